import { type Kysely, sql } from 'kysely'
import { iamPermissions, iamWildcard } from '../protocol/permission.ts'
import { Problem } from '../protocol/problem.ts'
import type { Schema } from '../database/schema.ts'
import type { Reading } from './in-transaction.ts'
import { usableProfiles } from './usable.ts'
import type { UserRow } from '../database/schema.ts'
import type { Profile } from './users.ts'

/** Whether somebody administers the whole installation, and whether somebody does without an end. */
export interface Administrators {
  any: boolean
  lasting: boolean
}

/**
 * Does what could take the last administrator away. Throws `last_administrator`, so that nothing happens, when nobody
 * would be left. An administrator whose profile has an end does not replace one without.
 */
export async function keepingAdministrators<T>(
  trx: Kysely<Schema>,
  now: number,
  work: () => Promise<T>,
): Promise<T> {
  const before = await administrators(trx, now)
  const result = await work()
  const after = await administrators(trx, now)
  refuseLast(before, after)
  return result
}

/** Throws `last_administrator` when what was there before is there no more. */
export function refuseLast(before: Administrators, after: Administrators): void {
  if ((before.any && !after.any) || (before.lasting && !after.lasting)) {
    throw new Problem(
      'last_administrator',
      'Nobody would be left who administers the whole installation. Give somebody else a profile with iam.* and no organisation first.',
    )
  }
}

/** Whether somebody has a usable profile with every permission of iam, over the whole installation. */
export async function administrators(trx: Kysely<Schema>, now: number): Promise<Administrators> {
  const roles = await administratorRoles(trx)
  if (roles.length === 0) return { any: false, lasting: false }
  const some = usableProfiles(trx, now)
    .select('profiles.uuid')
    .where('profiles.organisation_uuid', 'is', null)
    .where('profiles.role_code', 'in', roles)
    .limit(1)
  const lasting = await some.where('profiles.expires_at', 'is', null).executeTakeFirst()
  if (lasting !== undefined) return { any: true, lasting: true }
  return { any: (await some.executeTakeFirst()) !== undefined, lasting: false }
}

/** Throws `conflict` when somebody administers already, and so nobody is to be the first. */
export async function refuseWhereAdministered(trx: Kysely<Schema>, now: number): Promise<void> {
  if (!(await administrators(trx, now)).any) return
  throw new Problem(
    'conflict',
    'Somebody administers the whole installation already; nothing was changed. Sign in as them, or add another with tessera user create and tessera profile create.',
  )
}

/** The active roles with every permission of iam. */
export async function administratorRoles(trx: Kysely<Schema>): Promise<string[]> {
  const rows = await trx
    .selectFrom('role_permissions')
    .innerJoin('roles', 'roles.code', 'role_permissions.role_code')
    .select('roles.code')
    .where('roles.active', '=', 1)
    .where('permission', 'in', [iamWildcard, ...iamPermissions])
    .groupBy('roles.code')
    .having((having) =>
      having.or([
        having(
          having.fn.max(having.case().when('permission', '=', iamWildcard).then(1).else(0).end()),
          '=',
          1,
        ),
        having(having.fn.countAll<number>(), '=', iamPermissions.length),
      ]),
    )
    .execute()
  return rows.map((row) => row.code)
}

/** Roles, with their organisation, whose holders could give people of these profiles another one. */
export async function whoGivesAccess(
  { db }: Pick<Reading, 'db'>,
  profiles: readonly Pick<Profile, 'organisation_uuid'>[],
  now: number,
): Promise<{ role: string; organisation: string }[]> {
  const organisations = profiles.flatMap((one) => one.organisation_uuid ?? [])
  if (organisations.length === 0) return []
  // Each pair of a role and an organisation is a range of an index, however many people there are.
  const held = usableProfiles(db, now)
    .select('profiles.uuid')
    .where('profiles.role_code', '=', sql.ref<string>('giving.code'))
    .where('profiles.organisation_uuid', '=', sql.ref<string>('at.uuid'))
    .where('profiles.unit_uuid', 'is', null)
  const rows = await db
    .selectFrom('roles as giving')
    .innerJoin('organisations as at', (on) => on.on('at.uuid', 'in', organisations))
    .select(['giving.name as role', 'at.name as organisation'])
    .where('giving.active', '=', 1)
    .where('giving.code', 'in', rolesThatGive(db))
    .where(({ exists }) => exists(held))
    .orderBy('at.name')
    .orderBy('giving.name')
    .limit(10)
    .execute()
  return rows
}

/** People who give access in a whole organisation or the installation, and are told of what happens there. */
export async function whoAdministers(
  trx: Kysely<Schema>,
  organisation_uuid: string | null,
  now: number,
): Promise<Pick<UserRow, 'uuid' | 'email' | 'name' | 'locale' | 'zoneinfo'>[]> {
  const holders = usableProfiles(trx, now)
    .select('profiles.user_uuid')
    .where('profiles.unit_uuid', 'is', null)
    .where(({ eb, or }) =>
      or([
        eb('profiles.organisation_uuid', 'is', null),
        eb('profiles.organisation_uuid', '=', organisation_uuid),
      ]),
    )
    .where('profiles.role_code', 'in', rolesThatGive(trx))
  return await trx
    .selectFrom('users')
    .select(['uuid', 'email', 'name', 'locale', 'zoneinfo'])
    .where('uuid', 'in', holders)
    .orderBy('uuid')
    .execute()
}

/** The roles that may give people a profile. */
const rolesThatGive = (db: Kysely<Schema>) =>
  db
    .selectFrom('role_permissions')
    .select('role_code')
    .where('permission', 'in', ['iam.profiles.create', iamWildcard])
