import type { Updateable } from 'kysely'
import { notFound, wrongField } from '../../protocol/problem.ts'
import { indexMembers } from '../members.ts'
import { emailKey } from '../../protocol/values.ts'
import type { Store } from '../open.ts'
import { endSessionsOf } from '../revoke-unusable.ts'
import type { ProfileRow, UserRow } from '../schema.ts'
import { keepingAdministrators } from './administrators.ts'
import {
  type By,
  change,
  changeOnce,
  type Created,
  type Done,
  type Repeatable,
  type Row,
  type Show,
  type Told,
  type Transacting,
} from './change.ts'
import { aboutProfile } from './profiles.ts'
import { type Authority, checkNewProfile, isMember, profilesHeldBy } from './reach.ts'
import { differs, staleVersion, type Versions } from './version.ts'
import { selectUser } from './users.ts'

/** What of a user can be written. The password is its hash. */
export type UserColumns = Pick<
  UserRow,
  | 'email'
  | 'email_verified'
  | 'name'
  | 'given_name'
  | 'family_name'
  | 'preferred_username'
  | 'picture'
  | 'locale'
  | 'zoneinfo'
  | 'password_hash'
  | 'active'
>

export interface NewUser {
  uuid: string
  columns: UserColumns
  profiles: readonly Omit<ProfileRow, 'user_uuid'>[]
}

export interface MadeUser {
  user: Row<'users'>
  profiles: Row<'profiles'>[]
}

export interface ShowMade {
  user: Show<Row<'users'>>
  profile: Show<Row<'profiles'>>
}

/** Adds a user with their profiles. Throws when the address is taken or a profile may not be given. */
export async function createUser(
  store: Store,
  by: By,
  authority: Authority,
  { uuid, columns, profiles }: NewUser,
  options: { show: ShowMade; repeatable: Repeatable<MadeUser> | undefined },
): Promise<Created<MadeUser>> {
  return await changeOnce(store, by, options.repeatable, async (trx) => {
    if (authority.reach.organisationUuid !== undefined && profiles.length === 0) {
      throw wrongField('profiles', 'Whoever administers an organisation gives a new user a profile in it.')
    }
    await refuseTakenAddress(trx, columns.email)
    for (const [index, profile] of profiles.entries()) {
      await checkNewProfile(trx, profile, authority, `profiles.${index}.`)
    }
    const { user, profiles: made } = await insertUser(trx, by, { uuid, columns, profiles })
    const secrets = user.password_hash === null ? [] : ['password']
    const { show } = options
    const told: Told[] = [{ ...about(user, authority), after: show.user(user), secrets }]
    for (const one of made) told.push({ ...(await aboutProfile(trx, one)), after: show.profile(one) })
    return { result: { user, profiles: made }, told }
  })
}

/** Writes a user and their profiles, which were checked. */
export async function insertUser(
  trx: Transacting,
  by: By,
  { uuid, columns, profiles }: NewUser,
): Promise<MadeUser> {
  const user = await trx
    .insertInto('users')
    .values({
      uuid,
      ...columns,
      email_key: emailKey(columns.email),
      name_key: emailKey(columns.name),
      declared_password_hash: null,
      last_profile_uuid: null,
      created_at: by.now,
      updated_at: by.now,
    })
    .returningAll()
    .executeTakeFirstOrThrow()
  const made: Row<'profiles'>[] = []
  for (const profile of profiles) {
    const values = { ...profile, user_uuid: uuid }
    made.push(await trx.insertInto('profiles').values(values).returningAll().executeTakeFirstOrThrow())
  }
  await indexMembers(trx, [uuid])
  return { user, profiles: made }
}

/**
 * Changes a user when it still has the version that was read; ends their sessions when they are disabled or get
 * another password. Concurrency: see `change`; the version is compared in the statement that writes.
 */
export async function updateUser(
  store: Store,
  by: By,
  authority: Authority,
  { uuid, versions, set }: { uuid: string; versions: Versions; set: Partial<UserColumns> },
  show: Show<Row<'users'>>,
): Promise<Row<'users'>> {
  return await change(store, by, async (trx): Promise<Done<Row<'users'>>> => {
    const before = await userToChange(trx, uuid, authority, versions)
    const columns = { ...set, ...keysOf(set) }
    if (set.email !== undefined && emailKey(set.email) !== before.email_key) {
      await refuseTakenAddress(trx, set.email)
      columns.email_verified = set.email_verified ?? 0
    }
    if (!differs(before, columns)) return { result: before, told: undefined }
    const after = await keepingAdministrators(trx, by.now, async () => await write(trx, before, columns, by))
    if (after.active === 0 && before.active === 1) await endSessionsOf(trx, [uuid], by.now, 'user_disabled')
    if (after.password_hash !== before.password_hash) {
      await endSessionsOf(trx, [uuid], by.now, 'password_changed')
    }
    await indexMembers(trx, [uuid])
    const secrets = after.password_hash === before.password_hash ? [] : ['password']
    const told = { ...about(before, authority), before: show(before), after: show(after), secrets }
    const { password_hash: _, ...managed } = columns
    // A password that somebody has set since stays when the file is applied again.
    return { result: after, told: differs(before, managed) ? told : { ...told, managedBy: null } }
  })
}

async function userToChange(
  trx: Transacting,
  uuid: string,
  authority: Authority,
  versions: Versions,
): Promise<Row<'users'>> {
  const user = (await isMember(trx, uuid, authority.reach)) ? await selectUser(trx, uuid) : undefined
  if (user === undefined) throw notFound('user')
  if (versions !== undefined && !versions.includes(user.version)) throw staleVersion()
  authority.changes(await profilesHeldBy(trx, uuid, authority.reach))
  return user
}

async function write(
  trx: Transacting,
  { uuid, version }: Row<'users'>,
  columns: Updateable<UserRow>,
  by: By,
): Promise<Row<'users'>> {
  const after = await trx
    .updateTable('users')
    .set({ ...columns, updated_at: by.now, version: version + 1 })
    .where('uuid', '=', uuid)
    .where('version', '=', version)
    .returningAll()
    .executeTakeFirst()
  if (after === undefined) throw staleVersion()
  return after
}

/** Removes a user with all that is theirs, and ends what they signed in to. */
export async function deleteUser(
  store: Store,
  by: By,
  authority: Authority,
  { uuid, versions }: { uuid: string; versions: Versions },
  show: Show<Row<'users'>>,
): Promise<void> {
  await change(store, by, async (trx): Promise<Done<undefined>> => {
    const before = await userToChange(trx, uuid, authority, versions)
    const profiles = await keepingAdministrators(trx, by.now, async () => {
      await endSessionsOf(trx, [uuid], by.now, 'user_removed')
      const held = await trx.deleteFrom('profiles').where('user_uuid', '=', uuid).executeTakeFirst()
      await trx.deleteFrom('consents').where('user_uuid', '=', uuid).execute()
      await trx.deleteFrom('devices').where('user_uuid', '=', uuid).execute()
      await trx.deleteFrom('users').where('uuid', '=', uuid).execute()
      return Number(held.numDeletedRows)
    })
    await indexMembers(trx, [uuid])
    const told = { ...about(before, authority), before: show(before), removedWith: { profiles } }
    return { result: undefined, told }
  })
}

const about = ({ uuid, managed_by: managedBy }: Row<'users'>, { reach }: Authority) => ({
  thing: 'user' as const,
  id: uuid,
  organisationUuid: reach.organisationUuid,
  managedBy,
})

function keysOf(columns: Partial<UserColumns>): { email_key?: string; name_key?: string } {
  return {
    ...(columns.email !== undefined && { email_key: emailKey(columns.email) }),
    ...(columns.name !== undefined && { name_key: emailKey(columns.name) }),
  }
}

/** An address names one person in the whole installation: that it is taken is all that anybody learns. */
export async function refuseTakenAddress(trx: Transacting, email: string): Promise<void> {
  const holder = await trx
    .selectFrom('users')
    .select('uuid')
    .where('email_key', '=', emailKey(email))
    .executeTakeFirst()
  if (holder !== undefined) throw wrongField('email', 'This address is taken.', 'conflict')
}
