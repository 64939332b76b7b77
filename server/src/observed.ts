import type { ErrorCode } from './protocol/errors.ts'

/** What the rooms tell of their work, for the metrics; without metrics nobody listens. */
type Observed =
  | { kind: 'token'; grant: string }
  | { kind: 'sign-in'; outcome: 'right' | 'wrong' | 'throttled' | 'busy' }
  | { kind: 'webhook'; outcome: 'delivered' | 'failed' | 'dead' }
  | { kind: 'mail'; outcome: 'sent' | 'failed' | 'dead' }
  | { kind: 'database loss' }
  | { kind: 'refusal'; error: ErrorCode }

export type Observe = (event: Observed) => void
