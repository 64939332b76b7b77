import { iamPermissions, iamWildcard } from '../protocol/permission.ts'
import { groupBy } from '../access/by-key.ts'
import type { EntryChange } from '../access/entering.ts'
import type { ClientProof } from '../access/proving.ts'
import type { Strengthened } from '../access/strengthened.ts'
import type { AccessChanges } from './effects.ts'

/** Describes changes of access for people to read: first in numbers, then one by one. */
export function describeAccess(access: AccessChanges): string {
  const { users, clients } = access
  if (users.length + clients.length === 0) return "Nobody's access changes."
  const people = new Set(users.map((one) => one.email)).size
  const machines = new Set(clients.map((one) => one.client_id)).size
  const affected = `${counted(people, 'user')} and ${counted(machines, 'client')}`
  const numbers = [`The access of ${affected} changes`, ...inNumbers(access).map((line) => `  ${line}`)]
  return [numbers.join('\n'), ['One by one', ...oneByOne(access)].join('\n')].join('\n\n')
}

type Verb = 'gain' | 'lose'

/** A permission that somebody gains or loses at a place. */
interface Move extends At {
  verb: Verb
  permission: string
  user?: string
  client?: string
  /** The service whose callers it is for. */
  acting?: string | undefined
}

interface At {
  organisation: string | null
  unit?: string | null
}

/** Such as `3 users gain ledger.entry.read in globex`; permissions of the same holders share a line. */
function inNumbers({ users, clients }: AccessChanges): string[] {
  const moves = [
    ...users.flatMap(({ email, ...one }) => movesOf(one, { user: email })),
    ...clients.flatMap(({ client_id, acting_for: acting, ...one }) =>
      movesOf(one, { client: client_id, acting }),
    ),
  ]
  // What holds everywhere is a line of its own: it is more than what holds somewhere.
  const byPermission = groupBy(moves, (one) =>
    JSON.stringify([
      one.client === undefined,
      one.acting,
      one.verb,
      one.organisation === null,
      one.permission,
    ]),
  )
  const byHolders = groupBy([...byPermission.values()], (group) =>
    JSON.stringify([group[0]?.verb, group[0]?.acting, holdersOf(group)]),
  )
  return [...byHolders.values()].flatMap((groups) => {
    const [first] = groups
    if (first === undefined) return []
    const permissions = groups.flatMap(([move]) => (move === undefined ? [] : [move.permission]))
    return [lineOf(first, permissions)]
  })
}

function movesOf(
  { gains, loses, ...at }: At & { gains: readonly string[]; loses: readonly string[] },
  holder: Pick<Move, 'user' | 'client' | 'acting'>,
): Move[] {
  const of = (verb: Verb, permissions: readonly string[]) =>
    asWritten(permissions).map((permission): Move => ({ verb, permission, ...holder, ...at }))
  return [...of('gain', gains), ...of('lose', loses)]
}

const distinct = (values: (string | null | undefined)[]) =>
  [...new Set(values.filter((one) => typeof one === 'string'))].sort()

function holdersOf(moves: readonly Move[]) {
  return {
    users: distinct(moves.map((one) => one.user)),
    clients: distinct(moves.map((one) => one.client)),
    places: distinct(moves.map(placeOf)),
  }
}

function lineOf(moves: readonly Move[], permissions: readonly string[]): string {
  const { users, clients, places } = holdersOf(moves)
  const holders = users.length === 0 ? counted(clients.length, 'client') : counted(users.length, 'user')
  const verb = `${moves[0]?.verb}${users.length + clients.length === 1 ? 's' : ''}`
  return `${holders}${actingText(moves[0]?.acting)} ${verb} ${permissions.join(', ')} ${whereOf(moves, places)}`
}

/** Such as ` acting for whoever calls ledger`. */
const actingText = (service: string | undefined) =>
  service === undefined ? '' : ` acting for whoever calls ${service}`

function whereOf(moves: readonly Move[], places: readonly string[]): string {
  const organisations = distinct(moves.map((one) => one.organisation))
  if (places.length === 1) return places.join('')
  if (organisations.length > 1) return `in ${counted(organisations.length, 'organisation')}`
  return `in ${organisations.join('')}, at ${counted(places.length, 'place')}`
}

function placeOf({ organisation, unit }: At): string {
  if (organisation === null) return 'everywhere'
  return `in ${organisation}${typeof unit === 'string' ? `/${unit}` : ''}`
}

function oneByOne({ users, clients }: AccessChanges): string[] {
  const lines: string[] = []
  for (const one of users) lines.push(`  ${one.email} ${placeOf(one)}`, ...gainsAndLosses(one))
  for (const one of clients)
    lines.push(
      `  client ${one.client_id}${actingText(one.acting_for)} ${placeOf(one)}`,
      ...gainsAndLosses(one),
    )
  return lines
}

function gainsAndLosses({ gains, loses }: Record<'gains' | 'loses', readonly string[]>): string[] {
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

/** Such as `12 people in 2 organisations can no longer sign in to ledger`. */
export const entryLines = (changes: readonly EntryChange[] | null = []): string[] =>
  (changes ?? []).flatMap(({ client_id, shut_out, let_in }) =>
    [
      { who: shut_out, can: 'can no longer sign in to' },
      { who: let_in, can: 'can sign in newly to' },
    ]
      .filter(({ who }) => who.people > 0)
      .map(({ who, can }) => {
        const people = who.people === 1 ? '1 person' : `${who.people} people`
        const where = who.organisations === 0 ? '' : ` in ${counted(who.organisations, 'organisation')}`
        return `${people}${where} ${can} ${client_id}`
      }),
  )

/** The change of the workloads that prove to be a client. */
export const provingLines = (proves: readonly ClientProof[]): string[] => [
  'Who proves to be a client changes',
  ...proves.flatMap(({ client_id, who, beware }) => [
    `  client ${client_id}: ${who ?? 'nobody any more by a token of another issuer'}`,
    ...beware.map((one) => `      ${one}`),
  ]),
]

/** The people whom stricter policies stop, a line for each way. */
export function stoppedLines({ enrol, refresh, sign_in: forced }: Strengthened): string[] {
  const people = (count: number) => (count === 1 ? '1 person' : `${count} people`)
  const places = enrol.organisations === 0 ? '' : ` in ${counted(enrol.organisations, 'organisation')}`
  return [
    ...(enrol.people === 0 ? [] : [`${people(enrol.people)}${places} will have to enrol`]),
    ...(refresh === null || refresh.people === 0
      ? []
      : [
          `${counted(refresh.clients, 'client')} can't refresh the tokens of ${people(refresh.people)} until they sign in again with more proof`,
        ]),
    ...(forced === undefined ? [] : [forcedLine(forced, people)]),
  ]
}

function forcedLine(
  { people, never, last_used_at: last }: NonNullable<Strengthened['sign_in']>,
  counting: (count: number) => string,
): string {
  const used = last === null ? '' : `, the last of the others on ${last.slice(0, 10)}`
  return `${counting(people)} can't act before they sign in through their organisation: ${never} never did${used}`
}
