import type { Operation } from '../history.ts'

/**
 * What a history of races shows that must not be; empty when all is well: a code that worked twice or not at all,
 * a refresh token with two successors or a client that was logged out, a token of a revoked family, more guesses
 * evaluated than `guesses` allows, an answer of the fives.
 */
export function problemsIn(history: readonly Operation[], { guesses = 10 } = {}): string[] {
  const problems = history
    .filter(({ status }) => status === undefined || status >= 500)
    .map((one) => `round ${one.round}: ${one.kind} was answered ${one.status}`)
  const of = (kind: Operation['kind']) => bySubject(history.filter((one) => one.kind === kind))
  for (const [code, exchanges] of of('exchange')) problems.push(...codeProblems(code, exchanges))
  const revokes = new Map(history.filter(({ kind }) => kind === 'revoke').map((one) => [one.family, one]))
  for (const [token, refreshes] of of('refresh')) {
    const revoke = revokes.get(refreshes[0]?.family)
    problems.push(...tokenProblems(token, refreshes, revoke))
  }
  for (const [account, tried] of of('guess')) {
    const evaluated = tried.filter(({ status }) => status === 400).length
    if (evaluated > guesses) problems.push(`${account}: ${evaluated} guesses were evaluated`)
    if (tried.some(({ status }) => status === 303)) problems.push(`${account}: a wrong password was let in`)
  }
  return problems
}

function codeProblems(code: string, exchanges: readonly Operation[]): string[] {
  const successes = exchanges.filter(({ status }) => status === 200).length
  const problems = successes === 1 ? [] : [`code ${code}: ${successes} exchanges succeeded`]
  const other = exchanges.find(({ status, error }) => status !== 200 && error !== 'invalid_grant')
  if (other !== undefined) problems.push(`code ${code}: refused as ${other.status} ${other.error}`)
  return problems
}

function tokenProblems(
  token: string,
  refreshes: readonly Operation[],
  revoke: Operation | undefined,
): string[] {
  const problems: string[] = []
  const successors = new Set(refreshes.filter(({ status }) => status === 200).map(({ result }) => result))
  if (successors.size > 1) problems.push(`token ${token}: ${successors.size} successors`)
  if (revoke === undefined) {
    const refused = refreshes.filter(({ status }) => status !== 200).length
    if (refused > 0) problems.push(`token ${token}: ${refused} of ${refreshes.length} were refused, a logout`)
    return problems
  }
  const late = refreshes.filter(({ status, began }) => status === 200 && began > revoke.ended).length
  if (late > 0) problems.push(`token ${token}: ${late} worked after its family was revoked`)
  return problems
}

function bySubject(operations: readonly Operation[]): Map<string, Operation[]> {
  const found = new Map<string, Operation[]>()
  for (const one of operations) {
    const group = found.get(one.subject) ?? []
    group.push(one)
    found.set(one.subject, group)
  }
  return found
}
