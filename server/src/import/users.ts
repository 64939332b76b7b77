import { randomUUID } from 'node:crypto'
import type { Kysely } from 'kysely'
import { newColumns, shownOf } from '../catalogue/columns.ts'
import { profile } from '../catalogue/profile.ts'
import { user as catalogued } from '../catalogue/user.ts'
import { emailKey } from '../protocol/email-address.ts'
import { type AuditEvent, changedSecret, type Origin, recordAll } from '../audit/record.ts'
import { recorded } from '../audit/recorded.ts'
import { insertFactors, namesOf, passkeyColumns, takenNames } from './factors.ts'
import { idProblem, takenIds } from './ids.ts'
import { findPlaces, type PlacedProfile, type ImportPlaces, placeOf } from './places.ts'
import type { ImportedUser } from './row.ts'
import { removeReplaced, unprovedWith } from './replaced.ts'
import { addressOwners } from '../store/addresses.ts'
import { keepImport } from '../store/imports.ts'
import { proved } from '../store/ownership.ts'
import type { Row } from '../store/write/rows.ts'
import { newUser } from '../store/write/users.ts'
import { write } from '../store/write/write.ts'
import type { EncryptTotp } from '../store/given-totp.ts'
import type { Store } from '../database/store.ts'
import { lockAdministration } from '../database/revision.ts'
import type { ImportRow } from '../database/schema-admin.ts'
import type { ProfileRow, Schema } from '../database/schema.ts'

/** What became of a row. */
export type Imported =
  /** `replaces`: the unproved account with this address, which goes. */
  | { user: ImportedUser; outcome: 'imported'; replaces?: Row<'users'> }
  | { user: ImportedUser; outcome: 'already' }
  | { user: ImportedUser; outcome: 'refused'; field: string; reason: string }

export interface ImportOrigin {
  now: number
  by: Origin
  /** What the people come by; it is kept with the first of them. */
  import: ImportRow
  encryptTotp: EncryptTotp
}

/**
 * Adds the users that are not there yet, with their profiles and audit records; what is wrong with a row is told,
 * and nothing of it written. One whose row was imported before is left as they are now. An unproved account with the
 * address of a row goes for it, with all that is in it.
 *
 * Concurrency: as a change by an administrator, one at a time: of two imports of the same row one adds the user.
 * Users that it yields as imported are durable.
 */
export async function importUsers(
  store: Store,
  users: readonly ImportedUser[],
  origin: ImportOrigin,
): Promise<Imported[]> {
  return await within(store.db, async (trx) => {
    await lockAdministration(trx)
    const examined = (await examine(trx, users, origin.now)).map(unlessUnwrapped)
    const added = examined.filter((one) => one.outcome === 'imported')
    const gone = added.flatMap(({ replaces = [] }) => replaces)
    const removals = await removeReplaced(trx, gone, origin)
    if (added.length > 0) await keepImport(trx, origin.import)
    const rows = added.map((one) => rowOf(one, origin))
    const profiles = added.flatMap(({ placed }, index) =>
      placed.map((one) => profileRow({ ...one, user_uuid: rows[index]?.uuid ?? '' })),
    )
    const how = { now: origin.now, versions: 'overwritten', by: 'others', ends: 'each' } as const
    await write(trx, { users: { insert: rows }, profiles: { insert: profiles } }, how)
    const people = added.map(({ user }, index) => ({ ...user.factors, user_uuid: rows[index]?.uuid ?? '' }))
    const factors = await insertFactors(trx, people, origin)
    const records = added.flatMap(({ user }, index) => recordsOf(user, rows[index], profiles, origin))
    await recordAll(store, [...removals, ...records, ...factors], trx)
    return examined
  })
}

/** What would become of the rows; nothing is written. */
export async function examineUsers(
  { db }: Store,
  users: readonly ImportedUser[],
  now: number,
): Promise<Imported[]> {
  return await examine(db, users, now)
}

type Examined = Imported & { placed: PlacedProfile[] }

async function examine(db: Kysely<Schema>, users: readonly ImportedUser[], now: number): Promise<Examined[]> {
  const places = await findPlaces(
    db,
    users.flatMap((one) => one.profiles),
  )
  const holders = await holdersOf(db, users, now)
  const taken = await takenNames(
    db,
    users.map((one) => one.factors),
  )
  const ids = await takenIds(
    db,
    users.map((one) => one.own),
  )
  const unproved = await unprovedWith(
    db,
    users.map((one) => emailKey(one.columns.email)),
  )
  return users.map((user) => {
    const key = emailKey(user.columns.email)
    const [holder, replaces] = [holders.get(key), unproved.get(key)]
    if (holder !== undefined && holder === user.digest) return { user, outcome: 'already', placed: [] }
    if (holder !== undefined && replaces === undefined)
      return refused(user, 'email', holder === '' ? takenBy.somebody : takenBy.otherRow)
    const wrong = idProblem(ids, user.own, replaces?.uuid)
    if (wrong !== undefined) return refused(user, wrong.field, wrong.reason)
    const owners = namesOf(user.factors).flatMap((one) => taken.get(one) ?? [])
    if (owners.some((one) => one !== replaces?.uuid))
      return refused(user, 'passkeys', 'Somebody has one of them, or the user handle, already.')
    return placed(user, places, replaces)
  })
}

/** A weak hash is wrapped before: of a row that could come in only since, it is not. */
const unlessUnwrapped = (one: Examined): Examined =>
  one.outcome === 'imported' && one.user.weak !== undefined && one.user.columns.password_hash === null
    ? refused(one.user, 'email', 'It came free only while the rows were read: import this row once more.')
    : one

const takenBy = {
  somebody: 'This address is taken by somebody who was not imported from this row.',
  otherRow:
    'This address is taken by somebody who was not imported from this row, but from another: what changed in the other system since, also that they are disabled, is to be changed here by hand.',
}

const refused = (user: ImportedUser, field: string, reason: string): Examined => ({
  user,
  outcome: 'refused',
  field,
  reason,
  placed: [],
})

function placed(user: ImportedUser, places: ImportPlaces, replaces: Row<'users'> | undefined): Examined {
  const found: PlacedProfile[] = []
  for (const [index, profile] of user.profiles.entries()) {
    const place = placeOf(places, profile)
    if ('reason' in place) return refused(user, `profiles.${index}.${place.field}`, place.reason)
    found.push(place)
  }
  return { user, outcome: 'imported', placed: found, ...(replaces && { replaces }) }
}

/** The taken or held addresses, each with the digest of the row that its person was imported from, else ''. */
async function holdersOf(
  db: Kysely<Schema>,
  users: readonly ImportedUser[],
  now: number,
): Promise<ReadonlyMap<string, string>> {
  const keys = users.map((one) => emailKey(one.columns.email))
  const owners = keys.length === 0 ? new Map<string, { uuid: string }>() : await addressOwners(db, keys, now)
  const digests = await digestsOf(
    db,
    [...owners.values()].map((one) => one.uuid),
  )
  return new Map([...owners].map(([key, one]) => [key, digests.get(one.uuid) ?? '']))
}

/** The digests of the rows that these people were imported from, else '', by their uuids. */
export async function digestsOf(
  db: Kysely<Schema>,
  uuids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (uuids.length === 0) return new Map()
  const records = await recorded(db)
    .select(['target_id', 'detail'])
    .where('target_id', 'in', uuids)
    .where('kind', '=', 'user.created')
    .execute()
  return new Map(
    records.flatMap(({ target_id: uuid, detail }) => (uuid === null ? [] : [[uuid, digestIn(detail)]])),
  )
}

/** The audit is where it stands from which row somebody came. */
function digestIn(detail: string | null): string {
  const { row_sha256: digest } = JSON.parse(detail ?? '{}') as { row_sha256?: unknown }
  return typeof digest === 'string' ? digest : ''
}

/** A part of the transaction that the caller has, or a whole one. */
const within = async <T>(db: Store['db'], work: (trx: Kysely<Schema>) => Promise<T>): Promise<T> =>
  await (db.isTransaction ? work(db) : db.transaction().execute(work))

function rowOf({ user }: Examined, { now, import: of }: ImportOrigin): Row<'users'> {
  const { columns, own, factors } = user
  const said = { ...columns, ...own, ...passkeyColumns(factors) }
  return newUser({ uuid: randomUUID(), ...said, ...proved, import_uuid: of.uuid }, now)
}

const profileRow = (placed: PlacedProfile & { user_uuid: string }): ProfileRow => ({
  uuid: randomUUID(),
  ...newColumns(profile, placed),
})

/** What the audit is told of where somebody comes from. */
export const importedFrom = (
  { name }: ImportRow,
  { line, digest }: Pick<ImportedUser, 'line' | 'digest'>,
) => ({
  imported_from: name,
  line,
  row_sha256: digest,
})

function recordsOf(
  user: ImportedUser,
  row: Row<'users'> | undefined,
  profiles: readonly ProfileRow[],
  { now: at, by, import: of }: ImportOrigin,
): AuditEvent[] {
  if (row === undefined) return []
  const secret = row.password_hash === null ? {} : { password: changedSecret }
  const created: AuditEvent = {
    at,
    kind: 'user.created',
    ...by,
    target: { kind: 'user', id: row.uuid },
    after: { ...shownOf(catalogued, row), ...secret },
    detail: importedFrom(of, user),
  }
  const own = profiles.filter((one) => one.user_uuid === row.uuid)
  const given = own.map((one) => ({
    at,
    kind: 'profile.created' as const,
    ...by,
    target: { kind: 'profile', id: one.uuid },
    user_uuid: row.uuid,
    organisation_uuid: one.organisation_uuid ?? undefined,
    after: shownOf(profile, one),
  }))
  return [created, ...given]
}
