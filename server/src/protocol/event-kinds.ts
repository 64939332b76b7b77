import { auditKinds } from './audit-kinds.ts'
import type { ValueProblem } from './values.ts'

/** The kinds of audit records that a webhook wants: `user.created`, all of a thing as `user.*`, or all as `*`. */

const everything = '*'
const things = new Set(Object.keys(auditKinds).flatMap((kind) => /^(\w+)\./.exec(kind)?.[1] ?? []))

/** What is wrong with a kind or a pattern, to follow its name. */
export const kindPatternProblem: ValueProblem = (value) => {
  if (value === everything || Object.hasOwn(auditKinds, value)) return undefined
  const thing = /^([a-z_]+)\.\*$/.exec(value)?.[1]
  if (thing !== undefined && things.has(thing)) return undefined
  return 'is no kind of record: see docs/audit.md; user.* is all of users, * is everything'
}

/** Whether one of the patterns covers this kind. */
export function wantsKind(patterns: readonly string[], kind: string): boolean {
  return patterns.some((one) =>
    one.endsWith('.*') ? kind.startsWith(one.slice(0, -1)) : one === everything || one === kind,
  )
}
