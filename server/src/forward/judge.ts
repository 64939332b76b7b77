import { everybody, type RouteLine, signedIn } from '../protocol/proxied-routes.ts'
import type { Proxied } from '../store/clients.ts'
import type { Visitor } from './visitor.ts'

/** What comes of a request to an application. */
export type Judgement =
  /** The visitor passes; undefined: as nobody, on a public route. */
  | { outcome: 'passes'; lines: readonly RouteLine[]; visitor: Visitor | undefined }
  | { outcome: 'sign_in'; lines: readonly RouteLine[] }
  /** No line fits, or nobody can tell which. */
  | { outcome: 'unmapped' }
  | { outcome: 'lacks'; line: RouteLine }

export interface Judged {
  /** The methods that the application may take it for. */
  methods: readonly string[]
  target: string
}

/** Judges a request of this visitor by the table of the application. */
export function judge(
  { routes }: Proxied,
  { methods, target }: Judged,
  visitor: Visitor | undefined,
): Judgement {
  const lines = routes.find(methods, target)
  if (lines === undefined) return { outcome: 'unmapped' }
  if (visitor === undefined)
    return lines.every(({ demand }) => demand === everybody)
      ? { outcome: 'passes', lines, visitor }
      : { outcome: 'sign_in', lines }
  const lacking = lines.find(
    ({ demand }) => demand !== everybody && demand !== signedIn && !visitor.permissions.has(demand),
  )
  return lacking === undefined ? { outcome: 'passes', lines, visitor } : { outcome: 'lacks', line: lacking }
}
