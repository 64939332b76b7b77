import type { AuditValues } from '../../audit/record.ts'
import { shownOf } from '../../catalogue/columns.ts'
import type { ChangesOf, ColumnsOf } from '../../catalogue/thing.ts'
import { user as catalogued } from '../../catalogue/user.ts'
import { Problem, wrongField } from '../../protocol/problem.ts'
import { isTaken as isTakenAddress } from '../../store/addresses.ts'
import { isSameEmail } from '../../protocol/email-address.ts'
import type { Store } from '../../database/store.ts'
import { newUser } from '../../store/write/users.ts'
import { write, writeChange } from '../../store/write/write.ts'
import { byKey } from '../../access/by-key.ts'
import type { ImportRow } from '../../database/schema-admin.ts'
import type { ProfileRow, UserRow } from '../../database/schema.ts'
import { keepImport } from '../../store/imports.ts'
import { ownedBy, type Owned } from '../../store/ownership.ts'
import { isUuid } from '../../protocol/values.ts'
import { isMember, profilesHeldBy } from '../../access/reach.ts'
import type { Authority } from '../authority.ts'
import { checkNewProfile } from '../placement.ts'
import type { By, Row, AuditedChange, Transacting } from '../by.ts'
import { change, changeOnce, type Created, type Repeatable } from '../change.ts'
import { profilesOf } from '../profiles/removal.ts'
import { profiles as profileResource } from '../profiles/verbs.ts'
import { type One, removeOne, type Resource, toChange, toldOf, toldOfGone } from '../resource.ts'
import type { Flag } from '../../database/flag.ts'
import { rowOf, rowsOf } from '../../database/rows.ts'
import { compared, differs } from '../version.ts'

export const users: Resource<Row<'users'>> = {
  thing: 'user',
  path: '/users',
  key: 'uuid',
  isId: isUuid,
  async find(db, uuid, { reach }) {
    if (!(await isMember(db, uuid, reach))) return undefined
    return await rowOf(db, 'users', { uuid })
  },
  held: async (trx, { uuid }, { reach }) => await profilesHeldBy(trx, uuid, reach),
  shown: (row) => shownOf(catalogued, row),
  about: (_trx, { uuid, managed_by: managedBy }, { reach }) => ({
    id: uuid,
    organisation_uuid: reach.organisation_uuid,
    managedBy,
  }),
}

/** What of a user can be written. The password is its hash. */
export type UserColumns = ColumnsOf<typeof catalogued> & Pick<UserRow, 'password_hash'> & Demanded
type UserChanges = ChangesOf<typeof catalogued> & Partial<Pick<UserRow, 'password_hash'>> & Demanded
interface Demanded {
  deletion_at?: null
  password_temporary?: Flag
  enrolment_required?: Flag
}

export interface NewUser {
  uuid: string
  columns: UserColumns
  /** Left out: whose it is who makes it. */
  owned?: Owned
  profiles: readonly Omit<ProfileRow, 'user_uuid'>[]
  /** What they come by, and what the audit is told of it. */
  imported?: { by: ImportRow; from: AuditValues } | undefined
}

export interface MadeUser {
  user: Row<'users'>
  profiles: Row<'profiles'>[]
}

/** Adds a user with their profiles. Throws when the address is taken or a profile may not be given. */
export async function createUser(
  store: Store,
  by: By,
  { uuid, columns, profiles, imported }: NewUser,
  repeatable: Repeatable<MadeUser> | undefined,
): Promise<Created<MadeUser>> {
  return await changeOnce(store, by, repeatable, async (trx) => {
    if (by.authority.reach.organisation_uuid !== undefined && profiles.length === 0) {
      throw wrongField('profiles', 'An administrator of an organisation gives a new user a profile in it.')
    }
    await refuseTakenAddress(trx, columns.email, by)
    if (columns.email_verified === 1) checkVerifying(by.authority)
    for (const [index, profile] of profiles.entries()) {
      await checkNewProfile(trx, profile, by.authority, `profiles.${index}.`)
    }
    if (imported !== undefined) await keepImport(trx, imported.by)
    const { user, profiles: made } = await insertUser(trx, by, { uuid, columns, profiles, imported })
    const secrets = user.password_hash === null ? [] : ['password']
    const told: AuditedChange[] = [
      { ...(await toldOf(trx, users, by, { after: user })), secrets, detail: imported?.from },
    ]
    for (const one of made) told.push(await toldOf(trx, profileResource, by, { after: one }))
    return { result: { user, profiles: made }, told }
  })
}

/** Writes a user and their profiles, which were checked. */
export async function insertUser(
  trx: Transacting,
  by: By,
  { uuid, columns, owned, profiles, imported }: NewUser,
): Promise<MadeUser> {
  const own = owned ?? (await ownedBy(trx, by.authority, by))
  const user = newUser({ uuid, ...columns, ...own, import_uuid: imported?.by.uuid ?? null }, by.now)
  const given = profiles.map((one) => ({ ...one, user_uuid: uuid }))
  await write(trx, { users: { insert: [user] }, profiles: { insert: given } }, compared(by))
  const held = byKey(await rowsOf(trx, 'profiles', { user_uuid: uuid }).execute(), (row) => row.uuid)
  return { user, profiles: given.flatMap((one) => held.get(one.uuid) ?? []) }
}

/**
 * Changes a user; ends their sessions when they are disabled or get another password. Concurrency: see `change`; the
 * version is compared in the statement that writes.
 */
export async function updateUser(store: Store, by: By, one: One, set: UserChanges): Promise<Row<'users'>> {
  return await change(store, by, async (trx) => {
    const before = await toChange(trx, users, one, by)
    const { uuid, managed_by } = before
    const columns = { ...set }
    await refuseKept(trx, before, set)
    await changeAddress(trx, before, columns, by)
    // Whoever says whether they are active decides that, and not what they asked for themself.
    const isKept = columns.active !== undefined && before.deletion_at !== null
    if (isKept) columns.deletion_at = null
    if (set.enrolment_required === 0 && before.enrolment_required === 1) refuseOwn(by, uuid)
    // A directory disabled the account: from now on an administrator did, whom it does not overrule.
    const isTaken = columns.active === 0 && before.disabled_by !== null
    if (!isTaken && !differs(before, columns)) return { result: before, told: undefined }
    const owner = await ownerOf(trx, before, columns, by)
    const stays = isKept ? undefined : stayingAt(before, columns, owner)
    const whole = { ...columns, ...owner, ...stays, updated_at: by.now }
    const after = await writeChange(trx, 'users', before, whole, compared(by))
    const isOther = after.password_hash !== before.password_hash
    const { password_hash: _, password_temporary: _once, enrolment_required: _demand, ...managed } = columns
    // What no file says stays when it is applied again: a password that somebody has set since, a demand.
    const managedBy = differs(before, managed) ? managed_by : null
    const secrets = isOther ? ['password'] : []
    return {
      result: after,
      told: { ...(await toldOf(trx, users, by, { before, after })), managedBy, secrets },
      events:
        isKept || stays !== undefined
          ? [{ kind: 'deletion.undone', target: { kind: 'user', id: uuid }, user_uuid: uuid }]
          : [],
    }
  })
}

/**
 * Throws when somebody would make their own sign-in weaker, for which a stolen session would be enough: the account asks
 * for a fresh proof.
 */
export function refuseOwn({ authority }: Pick<By, 'authority'>, user_uuid: string): void {
  if (authority.actor.kind !== 'user' || authority.actor.id !== user_uuid) return
  throw new Problem(
    'forbidden',
    'It is your own. Change it at /account/sign-in, which asks you to prove who you are, or ask another administrator.',
  )
}

/** Throws for a field that a directory or an upstream keeps: it would change it back. The refusal names it. */
async function refuseKept(trx: Transacting, before: Row<'users'>, set: UserChanges): Promise<void> {
  const kept = JSON.parse(before.kept_by ?? '{}') as Record<string, string>
  const asked = Object.entries(set).find(
    ([field, value]) => kept[field] !== undefined && value !== before[field as keyof typeof before],
  )
  if (asked === undefined) return
  const [field] = asked
  const uuid = kept[field] ?? ''
  const keeper = (await rowOf(trx, 'directories', { uuid })) ?? (await rowOf(trx, 'upstreams', { uuid }))
  if (keeper === undefined) return
  throw wrongField(field, `${keeper.name} keeps it: change it there, and it comes by itself.`, 'conflict')
}

/** What was proven of one address is not proven of another. */
async function changeAddress(
  trx: Transacting,
  before: Row<'users'>,
  columns: UserChanges,
  { authority, now }: By,
): Promise<void> {
  const { email = before.email } = columns
  const isSame = isSameEmail(email, before.email)
  if (!isSame) {
    const { uuid: user_uuid } = before
    await refuseTakenAddress(trx, email, { user_uuid, now })
    columns.email_verified ??= 0
  }
  if (columns.email_verified === 1 && !(isSame && before.email_verified === 1)) checkVerifying(authority)
}

/** Applications may know people by their address, so administrators of a part could make one person look like another. */
function checkVerifying({ reach }: Authority): void {
  if (reach.organisation_uuid === undefined) return
  throw wrongField(
    'email_verified',
    'Only an administrator of the whole installation says that an address is verified; leave it out, or send false.',
    'forbidden',
  )
}

/**
 * The owner of the account after the change (people.md 13). It goes to whoever else sets a password, and to a
 * limited administrator who sets another address. A declared file finds users by address, so it no longer manages a
 * user at another one.
 */
async function ownerOf(
  trx: Transacting,
  before: Row<'users'>,
  set: Partial<UserRow>,
  { authority, now }: By,
): Promise<Partial<Owned> & { managed_by?: null }> {
  const { actor, limitedReach } = authority
  const isOwn = actor.kind === 'user' && actor.id === before.uuid
  const moved = limitedReach === 1 && set.email !== undefined && !isSameEmail(set.email, before.email)
  const unmanaged = moved ? { managed_by: null } : {}
  if (setsPassword(before, set) && !isOwn)
    return { ...(await ownedBy(trx, authority, { now })), ...unmanaged }
  if (!moved) return {}
  return { ...(await ownedBy(trx, authority, { now, before })), ...unmanaged }
}

/** An unproved account that becomes somebody else's stays: its maker asked for the removal. Undefined: nothing of that. */
function stayingAt(
  before: Row<'users'>,
  set: Partial<UserRow>,
  owner: Partial<Owned>,
): Pick<Row<'users'>, 'active' | 'deletion_at' | 'disabled_by'> | undefined {
  const isTaken = before.limited_reach === 1 && setsPassword(before, set) && owner.limited_reach !== undefined
  if (!isTaken || before.deletion_at === null) return undefined
  // A directory alone brings back people whom it sent away meanwhile.
  const { disabled_by } = before
  return { active: disabled_by === null ? 1 : 0, disabled_by, deletion_at: null }
}

const setsPassword = (before: Row<'users'>, { password_hash: set }: Partial<UserRow>): boolean =>
  typeof set === 'string' && set !== before.password_hash

/** Removes a user with all that is theirs, and ends what they signed in to. `check` throws unless they may go. */
export async function deleteUser(
  store: Store,
  by: By,
  one: One,
  check?: (trx: Transacting, user_uuid: string) => Promise<void>,
): Promise<void> {
  await removeOne(store, by, users, one, async (trx, before) => {
    await check?.(trx, before.uuid)
    const profiles = await profilesOf(trx, ['user_uuid', before.uuid])
    await write(trx, { users: { remove: [before] }, profiles: { remove: profiles } }, compared(by))
    const others = profiles.map((row) => toldOfGone(profileResource, row))
    return { others, removedWith: { profiles: profiles.length } }
  })
}

/** An address names one person in the whole installation: that it is taken is all that anybody learns. */
export async function refuseTakenAddress(
  trx: Transacting,
  email: string,
  { user_uuid, now }: { user_uuid?: string; now: number },
): Promise<void> {
  if (await isTakenAddress(trx, email, { user_uuid, now }))
    throw wrongField('email', 'This address is taken.', 'conflict')
}
