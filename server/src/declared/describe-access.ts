import { iamPermissions, iamWildcard } from '../protocol/permission.ts'
import { groupBy } from './comparison.ts'
import type { AccessChanges } from './effects.ts'

/** Whose access changes, for people to read: first in numbers, then one by one. */
export function describeAccess(access: AccessChanges): string {
  const { users, clients } = access
  if (users.length + clients.length === 0) return 'Nobody gains or loses a permission.'
  const people = new Set(users.map((one) => one.email)).size
  const affected = `${counted(people, 'user')} and ${counted(clients.length, 'client')}`
  const numbers = [`The access of ${affected} changes`, ...inNumbers(access).map((line) => `  ${line}`)]
  return [numbers.join('\n'), ['One by one', ...oneByOne(access)].join('\n')].join('\n\n')
}

type Verb = 'gain' | 'lose'

/** That somebody gains or loses one permission. */
interface Move {
  verb: Verb
  permission: string
  user?: string
  client?: string
  organisation: string | null
}

/** Such as `3 users in 2 organisations gain ledger.entry.read`; permissions of the same holders share a line. */
function inNumbers({ users, clients }: AccessChanges): string[] {
  const moves = [
    ...users.flatMap(({ email, organisation, ...one }) => movesOf(one, { user: email, organisation })),
    ...clients.flatMap(({ client_id, ...one }) => movesOf(one, { client: client_id, organisation: null })),
  ]
  const byPermission = groupBy(moves, (one) =>
    JSON.stringify([one.client === undefined, one.verb, one.permission]),
  )
  const byHolders = groupBy([...byPermission.values()], (group) =>
    JSON.stringify([group[0]?.verb, holdersOf(group)]),
  )
  return [...byHolders.values()].flatMap((groups) => {
    const [first] = groups
    if (first === undefined) return []
    const permissions = groups.flatMap(([move]) => (move === undefined ? [] : [move.permission]))
    return [`${lineOf(first)} ${permissions.join(', ')}`]
  })
}

function movesOf(
  { gains, loses }: { gains: readonly string[]; loses: readonly string[] },
  holder: Pick<Move, 'user' | 'client' | 'organisation'>,
): Move[] {
  const of = (verb: Verb, permissions: readonly string[]) =>
    asWritten(permissions).map((permission): Move => ({ verb, permission, ...holder }))
  return [...of('gain', gains), ...of('lose', loses)]
}

function holdersOf(moves: readonly Move[]): string[][] {
  const distinct = (values: (string | null | undefined)[]) =>
    [...new Set(values.filter((one) => typeof one === 'string'))].sort()
  const users = distinct(moves.map((one) => one.user))
  return [users, distinct(moves.map((one) => one.client)), distinct(moves.map((one) => one.organisation))]
}

function lineOf(moves: readonly Move[]): string {
  const [users = [], clients = [], organisations = []] = holdersOf(moves)
  const place = organisations.length === 0 ? '' : ` in ${counted(organisations.length, 'organisation')}`
  const holders = users.length === 0 ? counted(clients.length, 'client') : counted(users.length, 'user')
  return `${holders}${place} ${moves[0]?.verb}${users.length + clients.length === 1 ? 's' : ''}`
}

function oneByOne({ users, clients }: AccessChanges): string[] {
  const lines: string[] = []
  for (const { email, role, organisation, unit, gains, loses } of users) {
    const place = organisation === null ? '' : ` at ${organisation}${unit === null ? '' : `/${unit}`}`
    lines.push(`  ${email} as ${role}${place}`, ...gainsAndLosses(gains, loses))
  }
  for (const { client_id, gains, loses } of clients) {
    lines.push(`  client ${client_id}`, ...gainsAndLosses(gains, loses))
  }
  return lines
}

function gainsAndLosses(gains: readonly string[], loses: readonly string[]): string[] {
  const lines: string[] = []
  if (gains.length > 0) lines.push(`      gains ${asWritten(gains).join(', ')}`)
  if (loses.length > 0) lines.push(`      loses ${asWritten(loses).join(', ')}`)
  return lines
}

export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

/** The dozens of permissions of the built-in service as people write them. */
function asWritten(permissions: readonly string[]): readonly string[] {
  if (!iamPermissions.every((one) => permissions.includes(one))) return permissions
  return [iamWildcard, ...permissions.filter((one) => !iamPermissions.includes(one))]
}
