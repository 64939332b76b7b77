/** Which rows belong to what a change is about. */
import { type Kysely, type RawBuilder, sql } from 'kysely'
import { chunksOf } from '../database/chunks.ts'
import { rowsOf } from '../database/rows.ts'
import type { Schema } from '../database/schema.ts'
import { entering, type EntryLists } from './entry.ts'
import { usableClients, usableProfiles, withinClient } from './usable.ts'

export type Subject =
  | { family: string }
  | { session: string }
  | { users: readonly string[] }
  | { profiles: readonly string[] }
  | { role: string }
  | { unit: string }
  | { organisation: string }
  | { clients: readonly string[] }
  /** The profiles that the lists of a client do not let in, at that client. */
  | { outside: { clientId: string; named: EntryLists } }
  /** What one person allowed one client. */
  | { consent: { user_uuid: string; client_id: string } }

export type Table =
  | 'sessions'
  | 'token_families'
  | 'authorization_codes'
  | 'authorization_requests'
  | 'pushed_requests'
  | 'device_codes'
  | 'consents'
  | 'devices'
  | 'trusted_devices'
  | 'factors'
  | 'removed_factors'
  | 'recovery_codes'
  | 'held_addresses'
  | 'webauthn_challenges'
  | 'links'
  | 'upstream_links'
  | 'users'
  | 'clients'

/** Which rows of a table. */
export type Which = (table: Table) => RawBuilder<boolean>

export type SubjectKind = 'family' | 'session' | 'users' | 'profiles' | 'clients' | 'consent'

/** A person is known by its own uuid. */
const column = (table: Table, name: string) =>
  sql.ref(table === 'users' && name === 'user_uuid' ? 'users.uuid' : `${table}.${name}`)

const among =
  (name: string, values: readonly string[]): Which =>
  (table) =>
    sql`${column(table, name)} in (${sql.join(values)})`

/** Asks the profiles who has such families, and so an index. They are removed afterwards. */
const underProfiles = (name: string, values: readonly string[], people?: RawBuilder<unknown>): Which => {
  const these = sql`from profiles where ${sql.ref(name)} in (${sql.join(values)})`
  return (table) => sql`${column(table, 'user_uuid')} in (${people ?? sql`select user_uuid ${these}`})
    and ${column(table, 'profile_uuid')} in (select uuid ${these})`
}

/** Its members stand in the order of the index that is asked: with 100,000 that is twenty times as fast. */
const underProfilesAt = (name: string, place: string): Which =>
  underProfiles(name, [place], sql`select user_uuid from members where place_uuid = ${place}`)

const throughClientsOf =
  (organisation: string): Which =>
  (table) =>
    sql`${column(table, 'client_id')} in (select client_id from clients where organisation_uuid = ${organisation})`

/** Asking the families in turn takes less time than looking up those of more profiles. */
const fewProfiles = 10_000

async function underRole(trx: Kysely<Schema>, role: string): Promise<Which> {
  const held = rowsOf(trx, 'profiles', { role_code: role }).clearSelect().select('uuid')
  if ((await held.limit(1).offset(fewProfiles).execute()).length === 0)
    return underProfiles('role_code', [role])
  return (table) =>
    sql`${column(table, 'profile_uuid')} in (select uuid from profiles where role_code = ${role})`
}

const outside =
  ({ clientId, named }: { clientId: string; named: EntryLists }): Which =>
  (table) =>
    sql`${column(table, 'client_id')} = ${clientId} and not exists (select 1 from profiles
      where profiles.uuid = ${column(table, 'profile_uuid')} and ${entering('profiles', named)})`

/** The parts of a subject, each no more than one statement can name. */
export async function partsOf(trx: Kysely<Schema>, subject: Subject): Promise<[SubjectKind, Which][]> {
  const inChunks = (kind: SubjectKind, all: readonly string[], which: (some: readonly string[]) => Which) =>
    [...chunksOf(all)].map((some): [SubjectKind, Which] => [kind, which(some)])
  if ('family' in subject) return [['family', among('id', [subject.family])]]
  if ('session' in subject) return [['session', among('sid', [subject.session])]]
  if ('users' in subject) return inChunks('users', subject.users, (some) => among('user_uuid', some))
  if ('clients' in subject) return inChunks('clients', subject.clients, (some) => among('client_id', some))
  if ('profiles' in subject)
    return inChunks('profiles', subject.profiles, (some) => underProfiles('uuid', some))
  if ('outside' in subject) return [['profiles', outside(subject.outside)]]
  if ('role' in subject) return [['profiles', await underRole(trx, subject.role)]]
  if ('unit' in subject) return [['profiles', underProfilesAt('unit_uuid', subject.unit)]]
  if ('organisation' in subject) {
    const { organisation } = subject
    return [
      ['profiles', underProfilesAt('organisation_uuid', organisation)],
      ['clients', throughClientsOf(organisation)],
    ]
  }
  const { user_uuid, client_id } = subject.consent
  const which: Which = (table) =>
    sql`${among('user_uuid', [user_uuid])(table)} and ${among('client_id', [client_id])(table)}`
  return [['consent', which]]
}

/** What belongs to users, clients and profiles that do not count now, whichever they are. */
export function unusable(trx: Kysely<Schema>, now: number): Record<'user' | 'client' | 'profile', Which> {
  const user: Which = (table) =>
    sql`not exists (select 1 from users as u where u.uuid = ${column(table, 'user_uuid')} and u.active = 1)`
  const client: Which = (table) => {
    const usable = usableClients(trx)
      .select(sql`1`.as('one'))
      .where('c.client_id', '=', sql<string>`${column(table, 'client_id')}`)
    // A client that became a machine acts for nobody any more.
    return sql`not exists ${table === 'clients' ? usable : usable.where('c.type', '<>', 'machine')}`
  }
  const profile: Which = (table) => {
    const usable = usableProfiles(trx, now)
      .innerJoin('clients as c', (on) =>
        on.on('c.client_id', '=', sql<string>`${column(table, 'client_id')}`),
      )
      .select(sql`1`.as('one'))
      .where('profiles.uuid', '=', sql<string>`${column(table, 'profile_uuid')}`)
      .where('profiles.user_uuid', '=', sql<string>`${column(table, 'user_uuid')}`)
      .where(withinClient('profiles', 'c'))
    return sql`not exists ${usable}`
  }
  return { user, client, profile }
}
