import { randomUUID } from 'node:crypto'
import type { Kysely } from 'kysely'
import { emailKey } from '../protocol/values.ts'
import type { Row, Show } from './admin/change.ts'
import type { UserColumns } from './admin/user-changes.ts'
import { type AuditEvent, changedSecret, type Origin, recordAll } from './audit.ts'
import type { AuditValues } from './audit.ts'
import { chunksOf } from './chunks.ts'
import {
  findPlaces,
  type ImportedProfile,
  type PlacedProfile,
  type Places,
  placeOf,
} from './import-places.ts'
import { indexMembers } from './members.ts'
import type { Store } from './open.ts'
import { lockAdministration } from './revision.ts'
import type { Schema } from './schema.ts'

/** A row of somebody else's users, checked as far as that goes without the database. */
export interface ImportedUser {
  line: number
  columns: UserColumns
  profiles: readonly ImportedProfile[]
  /** The hash of all that the row says, so that it is known when it comes again. */
  digest: string
}

/** What became of a row. */
export type Imported =
  | { user: ImportedUser; outcome: 'imported' | 'already' }
  | { user: ImportedUser; outcome: 'refused'; field: string; reason: string }

export interface ImportOrigin {
  now: number
  by: Origin
  /** What the rows come from, for the audit. */
  source: string
}

/**
 * Adds the users that are not there yet, with their profiles and audit records; what is wrong with a row is told,
 * and nothing of it written. One whose row was imported before is left as they are now.
 *
 * Concurrency: as a change by an administrator, one at a time: of two imports of the same row one adds the user.
 * Those that it yields as imported are durable.
 */
export async function importUsers(
  store: Store,
  users: readonly ImportedUser[],
  origin: ImportOrigin,
  show: Show<Row<'users'>>,
): Promise<Imported[]> {
  return await store.db.transaction().execute(async (trx) => {
    await lockAdministration(trx, store.dialect)
    const examined = await examine(trx, users)
    const added = examined.filter((one) => one.outcome === 'imported')
    const rows = await insertUsers(trx, added, origin.now)
    const profiles = await insertProfiles(
      trx,
      added.flatMap(({ placed }, index) =>
        placed.map((one) => ({ ...one, user_uuid: rows[index]?.uuid ?? '' })),
      ),
    )
    await indexMembers(
      trx,
      rows.map((row) => row.uuid),
    )
    const records = added.flatMap(({ user }, index) =>
      recordsOf(user, rows[index], profiles, { origin, show }),
    )
    await recordAll(store, records, trx)
    return examined
  })
}

/** What would become of the rows; nothing is written. */
export async function examineUsers({ db }: Store, users: readonly ImportedUser[]): Promise<Imported[]> {
  return await examine(db, users)
}

type Examined = Imported & { placed: PlacedProfile[] }

async function examine(db: Kysely<Schema>, users: readonly ImportedUser[]): Promise<Examined[]> {
  const places = await findPlaces(
    db,
    users.flatMap((one) => one.profiles),
  )
  const holders = await holdersOf(db, users)
  return users.map((user) => {
    const holder = holders.get(emailKey(user.columns.email))
    if (holder === undefined) return placed(user, places)
    if (holder === user.digest) return { user, outcome: 'already', placed: [] }
    const reason = 'This address is taken by somebody who was not imported from this row.'
    return { user, outcome: 'refused', field: 'email', reason, placed: [] }
  })
}

function placed(user: ImportedUser, places: Places): Examined {
  const found: PlacedProfile[] = []
  for (const [index, profile] of user.profiles.entries()) {
    const place = placeOf(places, profile)
    if ('reason' in place) {
      return {
        user,
        outcome: 'refused',
        field: `profiles.${index}.${place.field}`,
        reason: place.reason,
        placed: [],
      }
    }
    found.push(place)
  }
  return { user, outcome: 'imported', placed: found }
}

/** Whose addresses are taken, each with the digest of the row that they were imported from; otherwise ''. */
async function holdersOf(
  db: Kysely<Schema>,
  users: readonly ImportedUser[],
): Promise<ReadonlyMap<string, string>> {
  if (users.length === 0) return new Map()
  const keys = users.map((one) => emailKey(one.columns.email))
  const rows = await db
    .selectFrom('users')
    .select(['uuid', 'email_key'])
    .where('email_key', 'in', keys)
    .execute()
  if (rows.length === 0) return new Map()
  const uuids = rows.map((row) => row.uuid)
  const records = await db
    .selectFrom('audit_records')
    .select(['target_id', 'detail'])
    .where('target_id', 'in', uuids)
    .where('kind', '=', 'user.created')
    .execute()
  const digests = new Map(records.map(({ target_id: uuid, detail }) => [uuid, digestIn(detail)]))
  return new Map(rows.map((row) => [row.email_key, digests.get(row.uuid) ?? '']))
}

/** The audit is where it stands from which row somebody came. */
function digestIn(detail: string | null): string {
  const { row_sha256: digest } = JSON.parse(detail ?? '{}') as { row_sha256?: unknown }
  return typeof digest === 'string' ? digest : ''
}

async function insertUsers(
  trx: Kysely<Schema>,
  added: readonly Examined[],
  now: number,
): Promise<Row<'users'>[]> {
  const values = added.map(({ user: { columns } }) => ({
    uuid: randomUUID(),
    ...columns,
    email_key: emailKey(columns.email),
    name_key: emailKey(columns.name),
    declared_password_hash: null,
    last_profile_uuid: null,
    created_at: now,
    updated_at: now,
  }))
  if (values.length > 0) await trx.insertInto('users').values(values).execute()
  return values.map((row) => ({ ...row, version: 1, managed_by: null }))
}

type Profile = PlacedProfile & { uuid: string; user_uuid: string }

async function insertProfiles(
  trx: Kysely<Schema>,
  profiles: readonly (PlacedProfile & { user_uuid: string })[],
): Promise<ReadonlyMap<string, Profile[]>> {
  const rows = profiles.map((one) => ({ uuid: randomUUID(), ...one }))
  for (const some of chunksOf(rows)) await trx.insertInto('profiles').values(some).execute()
  const byUser = new Map<string, Profile[]>()
  for (const row of rows) byUser.set(row.user_uuid, [...(byUser.get(row.user_uuid) ?? []), row])
  return byUser
}

function recordsOf(
  user: ImportedUser,
  row: Row<'users'> | undefined,
  profiles: ReadonlyMap<string, readonly Profile[]>,
  { origin, show }: { origin: ImportOrigin; show: Show<Row<'users'>> },
): AuditEvent[] {
  if (row === undefined) return []
  const { now: at, by, source } = origin
  const secret = row.password_hash === null ? {} : { password: changedSecret }
  const created: AuditEvent = {
    at,
    kind: 'user.created',
    ...by,
    target: { kind: 'user', id: row.uuid },
    after: { ...(show(row) as AuditValues), ...secret },
    detail: { imported_from: source, line: user.line, row_sha256: user.digest },
  }
  const given = (profiles.get(row.uuid) ?? []).map(({ uuid, user_uuid: userUuid, ...columns }) => ({
    at,
    kind: 'profile.created' as const,
    ...by,
    target: { kind: 'profile', id: uuid },
    userUuid,
    organisationUuid: columns.organisation_uuid ?? undefined,
    after: { uuid, user_uuid: userUuid, ...shownProfile(columns) },
  }))
  return [created, ...given]
}

const shownProfile = ({ unit_uuid, active, expires_at, ...rest }: PlacedProfile): AuditValues => ({
  ...rest,
  organisation_unit_uuid: unit_uuid,
  active: active === 1,
  expires_at: expires_at === null ? null : new Date(expires_at).toISOString(),
})
