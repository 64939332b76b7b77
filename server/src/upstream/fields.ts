/** What a directory or an upstream says of a person wins over what was typed by hand, field by field. */
import type { Kysely } from 'kysely'
import type { AuditEvent } from '../audit/record.ts'
import { user } from '../catalogue/user.ts'
import { rowOf } from '../database/rows.ts'
import type { Schema } from '../database/schema.ts'
import { domainOf, emailKey } from '../protocol/email-address.ts'
import { isTaken } from '../store/addresses.ts'
import { ownedBy } from '../store/ownership.ts'
import type { Row } from '../store/write/rows.ts'
import { writeChange } from '../store/write/write.ts'
import { domainsOf, ownedAmong } from './owned.ts'
import { breakGlassOf } from '../store/break-glass.ts'
import { type AccountSource, setterOf } from './source.ts'
import { type ToldField, toldFields } from './told-fields.ts'

export type ToldFields = Readonly<Partial<Record<ToldField, string>>>

/** The fields whose values a user can have; others are as if they were not told. */
export function settable(fields: ToldFields): ToldFields {
  const fine = toldFields.flatMap((field) => {
    const value = fields[field]?.trim()
    if (value === undefined || value === '' || user[field].kind.problem(value) !== undefined) return []
    return [[field, value] as const]
  })
  return Object.fromEntries(fine)
}

/** What keeps which field of a person: uuids of directories and upstreams. */
const keptBy = (row: Pick<Row<'users'>, 'kept_by'>) =>
  JSON.parse(row.kept_by ?? '{}') as Partial<Record<ToldField, string>>

/**
 * Writes what a source says of a person whom its organisation owns: nothing of anybody else. A directory wins over an
 * upstream. A new address within the domains makes the account unproved; one outside, or of somebody else, moves nothing,
 * and the event says so. The person's row is held. Yields what is to be recorded.
 */
export async function writeFields(
  trx: Kysely<Schema>,
  user_uuid: string,
  fields: ToldFields,
  source: AccountSource,
  now: number,
): Promise<AuditEvent[]> {
  const { organisation_uuid } = source
  const before = await rowOf(trx, 'users', { uuid: user_uuid })
  if (before === undefined || organisation_uuid === null) return []
  if (!(await ownedAmong(trx, organisation_uuid, [user_uuid])).has(user_uuid)) return []
  // Break-glass people belong to no source.
  if ((await breakGlassOf(trx, organisation_uuid)).has(user_uuid)) return []
  const kept = keptBy(before)
  const directories = await directoriesAmong(trx, Object.values(kept))
  const said = settable(fields)
  const set: Partial<Row<'users'>> = {}
  for (const field of toldFields) {
    const value = said[field]
    const keeper = kept[field]
    if (value === undefined || (source.kind === 'upstream' && directories.has(keeper ?? ''))) continue
    if (field !== 'email') {
      kept[field] = source.uuid
      if (value !== before[field]) set[field] = value
    }
  }
  const isKept = source.kind === 'upstream' && directories.has(kept.email ?? '')
  const moving =
    isKept || said.email === undefined ? undefined : await movingTo(trx, before, said.email, { source, now })
  if (moving !== undefined && 'set' in moving) {
    kept.email = source.uuid
    Object.assign(set, moving.set)
  }
  const refused =
    moving !== undefined && 'refused' in moving
      ? [addressRefused(before, source, { why: moving.refused, now })]
      : []
  const kept_by = JSON.stringify(kept)
  if (Object.keys(set).length === 0 && kept_by === before.kept_by) return refused
  const changed = Object.keys(set).length > 0
  const how = { now, versions: 'overwritten', by: 'others', ends: 'each' } as const
  await writeChange(trx, 'users', before, { ...set, kept_by, ...(changed && { updated_at: now }) }, how)
  return [...refused, ...(changed ? [changedEvent(before, set, { source, now })] : [])]
}

/** The directories that keep anything of a person. */
async function directoriesAmong(trx: Kysely<Schema>, uuids: readonly string[]): Promise<Set<string>> {
  if (uuids.length === 0) return new Set()
  const rows = await trx.selectFrom('directories').select('uuid').where('uuid', 'in', uuids).execute()
  return new Set(rows.map(({ uuid }) => uuid))
}

type Moving = { set: Partial<Row<'users'>> } | { refused: 'domain' | 'taken' } | undefined

/** Another address of a person who is owned: within the domains and free it counts, and nobody has proved it yet. */
async function movingTo(
  trx: Kysely<Schema>,
  before: Row<'users'>,
  email: string,
  { source, now }: { source: AccountSource; now: number },
): Promise<Moving> {
  if (emailKey(email) === before.email_key) return { set: email === before.email ? {} : { email } }
  const domains = await domainsOf(trx, source.organisation_uuid ?? '')
  if (!domains.has(domainOf(email) ?? '')) return { refused: 'domain' }
  if (await isTaken(trx, email, { user_uuid: before.uuid, now })) return { refused: 'taken' }
  const owned = await ownedBy(trx, await setterOf(trx, source), { now, before })
  return { set: { email, email_verified: 0, ...owned } }
}

const about = ({ uuid: user_uuid }: Row<'users'>, { kind, uuid, organisation_uuid }: AccountSource) => ({
  actor: { kind, id: uuid },
  target: { kind: 'user', id: user_uuid },
  user_uuid,
  ...(organisation_uuid !== null && { organisation_uuid }),
})

const addressRefused = (
  before: Row<'users'>,
  source: AccountSource,
  { why, now }: { why: string; now: number },
): AuditEvent => ({
  at: now,
  kind: 'link.refused',
  ...about(before, source),
  detail: { reason: `address_${why}` },
})

function changedEvent(
  before: Row<'users'>,
  set: Partial<Row<'users'>>,
  { source, now }: { source: AccountSource; now: number },
): AuditEvent {
  const told = toldFields.filter((field) => set[field] !== undefined)
  const of = (row: Partial<Row<'users'>>) =>
    Object.fromEntries(told.map((field) => [field, row[field] ?? null]))
  return { at: now, kind: 'user.changed', ...about(before, source), before: of(before), after: of(set) }
}
