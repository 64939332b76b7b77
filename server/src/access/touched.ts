import type { Kysely } from 'kysely'
import { chunksOf } from '../database/chunks.ts'
import { rowsOf } from '../database/rows.ts'
import type { Schema, Tables } from '../database/schema.ts'
import { textList } from '../store/clients.ts'
import type { AccessState } from './permitted.ts'
import { unitsAbove } from './unit-tree.ts'

/** The things that a change is about. */
export interface Touched {
  users: Set<string>
  clients: Set<string>
  roles: Set<string>
  organisations: Set<string>
  units: Set<string>
}

/** The people and clients whose access a change can touch; `complete` is false where there are more. */
export interface Holders {
  users: readonly string[]
  clients: readonly string[]
  /** The organisations whose units can have moved. */
  organisations: readonly string[]
  complete: boolean
}

/** Reads at most `most` people by each role and place, and as many clients. */
export async function holdersOf(db: Kysely<Schema>, touched: Touched, most: number): Promise<Holders> {
  const users = new Set(touched.users)
  const clients = new Set(touched.clients)
  const units = await rowsOf(db, 'units', { uuid: [...touched.units, ''] }).execute()
  const organisations = [...new Set(units.map((unit) => unit.organisation_uuid))]
  const all = await rowsOf(db, 'units', { organisation_uuid: [...organisations, ''] }).execute()
  // Administrators of a unit above come to reach it, or cease to.
  const above = unitsAbove(all)
  const places = new Set([...touched.units].flatMap((uuid) => [uuid, ...above(uuid)]))
  const by = {
    role_code: [...touched.roles],
    organisation_uuid: [...touched.organisations],
    unit_uuid: [...places],
  }
  let complete = true
  for (const [column, values] of Object.entries(by)) {
    if (values.length === 0) continue
    const rows = await rowsOf(db, 'profiles', { [column]: values })
      .limit(most + 1)
      .execute()
    for (const row of rows.slice(0, most)) users.add(row.user_uuid)
    complete &&= rows.length <= most
  }
  if (touched.organisations.size > 0) {
    const rows = await rowsOf(db, 'clients', { organisation_uuid: [...touched.organisations] })
      .limit(most + 1)
      .execute()
    for (const row of rows.slice(0, most)) clients.add(row.client_id)
    complete &&= rows.length <= most
  }
  const some = <T>(all: Set<T>) => [...all].slice(0, most)
  complete &&= users.size <= most && clients.size <= most
  return { users: some(users), clients: some(clients), organisations, complete }
}

/** Rows of what these people and clients may do, as the transaction has them. */
export async function accessStateOf(db: Kysely<Schema>, holders: Holders): Promise<AccessState> {
  const users = await rowsBy(db, 'users', 'uuid', holders.users)
  const profiles = await rowsBy(db, 'profiles', 'user_uuid', holders.users)
  const clients = await rowsBy(db, 'clients', 'client_id', holders.clients)
  const roleCodes = profiles.map((row) => row.role_code)
  const places = [...profiles, ...clients].map((row) => row.organisation_uuid ?? '')
  const ofTree = await rowsBy(db, 'units', 'organisation_uuid', holders.organisations)
  const held = await rowsBy(
    db,
    'units',
    'uuid',
    profiles.map((row) => row.unit_uuid ?? ''),
  )
  return {
    users,
    profiles,
    clients,
    roles: await rowsBy(db, 'roles', 'code', roleCodes),
    role_permissions: await rowsBy(db, 'role_permissions', 'role_code', roleCodes),
    organisations: await rowsBy(db, 'organisations', 'uuid', places),
    units: [...new Map([...held, ...ofTree].map((unit) => [unit.uuid, unit])).values()],
    permissions: await rowsBy(
      db,
      'permissions',
      'service_code',
      clients.flatMap((row) => (row.permissions === null ? textList(row.services) : [])),
    ),
  }
}

async function rowsBy<T extends keyof Tables>(
  db: Kysely<Schema>,
  table: T,
  column: keyof Schema[T] & string,
  values: readonly string[],
) {
  const rows = []
  for (const some of chunksOf([...new Set(values)]))
    rows.push(...(await rowsOf(db, table, { [column]: some } as Parameters<typeof rowsOf<T>>[2]).execute()))
  return rows
}
