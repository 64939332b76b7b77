import { expandPermissions, iamPermissions, iamWildcard } from '../../protocol/permission.ts'
import { Problem } from '../../protocol/problem.ts'
import type { Tables } from '../schema.ts'
import type { Transacting } from './change.ts'

/** Whether somebody administers the whole installation, and whether somebody does without an end. */
export interface Administrators {
  any: boolean
  lasting: boolean
}

/**
 * Does what could take the last administrator away. Throws `last_administrator`, so that nothing happens, when
 * nobody would be left; one whose profile has an end is nobody where there was one without.
 */
export async function keepingAdministrators<T>(
  trx: Transacting,
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
export async function administrators(trx: Transacting, now: number): Promise<Administrators> {
  const roles = await administratorRoles(trx)
  if (roles.length === 0) return { any: false, lasting: false }
  const some = trx
    .selectFrom('profiles')
    .innerJoin('users', 'users.uuid', 'profiles.user_uuid')
    .select('profiles.uuid')
    .where('profiles.organisation_uuid', 'is', null)
    .where('profiles.role_code', 'in', roles)
    .where('profiles.active', '=', 1)
    .where('users.active', '=', 1)
    .limit(1)
  const lasting = await some.where('profiles.expires_at', 'is', null).executeTakeFirst()
  if (lasting !== undefined) return { any: true, lasting: true }
  const ending = await some.where('profiles.expires_at', '>', now).executeTakeFirst()
  return { any: ending !== undefined, lasting: false }
}

/** Throws `conflict` when somebody administers already, and so nobody is to be the first. */
export async function refuseWhereAdministered(trx: Transacting, now: number): Promise<void> {
  if (!(await administrators(trx, now)).any) return
  throw new Problem(
    'conflict',
    'Somebody administers the whole installation already; nothing was changed. Sign in as they, or add another with tessera user create and tessera profile create.',
  )
}

/** The active roles with every permission of iam. */
export async function administratorRoles(trx: Transacting): Promise<string[]> {
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

/** What the same is asked of without a database: rows of everybody who could be one. */
export interface AdministratorRows {
  roles: readonly Pick<Tables['roles'], 'code' | 'active'>[]
  role_permissions: readonly Tables['role_permissions'][]
  users: readonly Pick<Tables['users'], 'uuid' | 'active'>[]
  profiles: readonly Tables['profiles'][]
}

/** `administrators`, of a state that nobody wrote yet. */
export function administratorsIn(rows: AdministratorRows, now: number): Administrators {
  const roles = administratorRolesIn(rows)
  const active = new Set(rows.users.filter((user) => user.active === 1).map((user) => user.uuid))
  const held = rows.profiles.filter(
    (one) =>
      one.active === 1 &&
      one.organisation_uuid === null &&
      roles.has(one.role_code) &&
      active.has(one.user_uuid),
  )
  const lasting = held.some((one) => one.expires_at === null)
  return { any: lasting || held.some((one) => (one.expires_at ?? 0) > now), lasting }
}

/** `administratorRoles`, of such a state. */
export function administratorRolesIn(
  rows: Pick<AdministratorRows, 'roles' | 'role_permissions'>,
): Set<string> {
  const given = new Map<string, string[]>()
  for (const { role_code: code, permission } of rows.role_permissions) {
    given.set(code, [...(given.get(code) ?? []), permission])
  }
  const everything = (code: string) => {
    const permissions = new Set(expandPermissions(given.get(code) ?? []))
    return iamPermissions.every((one) => permissions.has(one))
  }
  return new Set(
    rows.roles.filter((role) => role.active === 1 && everything(role.code)).map((role) => role.code),
  )
}
