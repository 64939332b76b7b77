import type { Operation } from '../history.ts'

/** The grace of a rotated token, and the life of a code, ms (decisions 4, 5). */
const grace = 10_000
const codeLife = 60_000

/**
 * What a history of kills and restarts shows that must not be; empty when all is well:
 * an acknowledged write that is lost, a code or a refresh token that worked twice, a rotated or revoked token that
 * lives, an answer 500.
 */
export function problemsIn(history: readonly Operation[]): string[] {
  const inOrder = [...history].sort((a, b) => a.began - b.began)
  const issued = new Map(inOrder.filter(({ kind }) => kind === 'authorize').map((one) => [one.result, one]))
  return [
    ...inOrder.filter(isFault).map((one) => `${told(one)}: an answer that must never be`),
    ...[...groups(inOrder, 'exchange', bySubject).values()].flatMap((each) => codeProblems(each, issued)),
    ...[...groups(inOrder, undefined, (one) => one.family).values()].flatMap(familyProblems),
  ]
}

/** A fault of the service, or a session that was given to somebody and is lost. */
const isFault = ({ kind, status = 200 }: Operation) =>
  status >= 500 || (kind === 'authorize' && status !== 200)
const bySubject = ({ subject }: Operation) => subject
const worked = ({ status }: Operation) => status === 200
const told = ({ round, kind, subject, status, error }: Operation): string =>
  `round ${round}: ${kind} of ${subject} → ${status ?? 'no answer'} ${error ?? ''}`.trim()

function groups(
  history: readonly Operation[],
  kind: Operation['kind'] | undefined,
  key: (one: Operation) => string | undefined,
): Map<string, Operation[]> {
  const found = new Map<string, Operation[]>()
  for (const one of history) {
    const name = key(one)
    if (name === undefined || (kind !== undefined && one.kind !== kind)) continue
    const group = found.get(name) ?? []
    group.push(one)
    found.set(name, group)
  }
  return found
}

function codeProblems(
  exchanges: readonly Operation[],
  codes: ReadonlyMap<string | undefined, Operation>,
): string[] {
  const problems: string[] = []
  const successes = exchanges.filter(worked)
  for (const again of successes.slice(1)) problems.push(`${told(again)}: the code worked twice`)
  const [first] = exchanges
  const issued = codes.get(first?.subject)
  if (first === undefined || issued === undefined || first.status === undefined) return problems
  if (!worked(first) && first.ended < issued.began + codeLife)
    problems.push(`${told(first)}: the code was given to the client, and is lost`)
  return problems
}

/** Of one family, in the order in which they began. */
function familyProblems(family: readonly Operation[]): string[] {
  const problems: string[] = []
  const successors = new Map<string, { successor: string; first: Operation }>()
  for (const [index, one] of family.entries()) {
    const before = family.slice(0, index)
    if (one.kind === 'userinfo' && worked(one) && endedBefore(one, before))
      problems.push(`${told(one)}: the family had been revoked`)
    if (one.kind !== 'refresh') continue
    if (worked(one)) {
      if (endedBefore(one, before)) problems.push(`${told(one)}: the family had been revoked`)
      const known = successors.get(one.subject)
      if (known === undefined) successors.set(one.subject, { successor: one.result ?? '', first: one })
      else if (known.successor !== one.result) problems.push(`${told(one)}: a second successor, a fork`)
      if (known !== undefined && one.began > known.first.ended + grace)
        problems.push(`${told(one)}: a rotated token came back to life`)
    } else if (one.status !== undefined && mustWork(one, before)) {
      problems.push(`${told(one)}: the token was given to the client, and is lost`)
    }
  }
  return problems
}

/** Whether something that was answered had ended the family before this was asked. */
function endedBefore(one: Operation, before: readonly Operation[]): boolean {
  return before.some(
    (earlier) =>
      earlier.ended <= one.began &&
      ((earlier.kind === 'revoke' && earlier.status === 200) ||
        (earlier.kind === 'exchange' && earlier.error === 'replayed') ||
        (earlier.kind === 'refresh' && earlier.error === 'replayed')),
  )
}

/** Whether nothing that was asked, answered or not, gave a reason to refuse this token. */
function mustWork(one: Operation, before: readonly Operation[]): boolean {
  const mayHaveEnded = before.some(
    (earlier, index) =>
      earlier.kind === 'revoke' ||
      (earlier.kind === 'exchange' && index > 0) ||
      (earlier.kind === 'refresh' && earlier.status !== undefined && earlier.status !== 200) ||
      isUnansweredReplay(earlier, before.slice(0, index)),
  )
  if (mayHaveEnded) return false
  const given = before.some(({ result, ended }) => result === one.subject && ended <= one.began)
  const earlier = before.filter(({ kind, subject }) => kind === 'refresh' && subject === one.subject)
  // Presented before: it is the current one, or was replaced less than the grace ago. Then a retry must work.
  return given && earlier.every(({ began }) => one.ended < began + grace)
}

/** A replaced token, presented when its grace may have been over; the process died, perhaps after it had revoked the family. */
function isUnansweredReplay(one: Operation, before: readonly Operation[]): boolean {
  if (one.kind !== 'refresh' || one.status !== undefined) return false
  return before.some(
    ({ kind, subject, began }) => kind === 'refresh' && subject === one.subject && one.ended >= began + grace,
  )
}
