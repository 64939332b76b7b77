import { anyText, instant } from './kinds.ts'
import { defined, time } from './thing.ts'

/** What is told of a secret of a client or a webhook: never the secret itself. */
export const secret = defined({
  id: { kind: anyText(), set: 'never' },
  created_at: time,
  expires_at: { kind: instant, set: 'never', nullable: true },
})
