import { emailKey } from '../protocol/values.ts'
import type { Managed } from '../store/declared-state.ts'
import type { ProfileRow, UserRow } from '../store/schema.ts'
import { byKey, type Comparison, fieldsBetween, flagOf, groupBy, type Shown } from './comparison.ts'
import { compareProfiles } from './compare-profiles.ts'
import type { DeclaredUser } from './declared.ts'
import type { PlaceCodes } from './place-codes.ts'
import { type PasswordDecisions, passwordOf, type StoredPassword } from './passwords.ts'
import { userFinder } from './people.ts'
import { shown } from './problems.ts'

/** Users and their profiles. */
export function compareUsers(
  comparison: Comparison,
  codes: PlaceCodes,
  users: readonly DeclaredUser[],
  passwords: PasswordDecisions,
): void {
  const matches = matchUsers(comparison, users)
  const profiles = groupBy<ProfileRow>(comparison.state.profiles, (row) => row.user_uuid)
  for (const user of users) {
    const before = matches.get(user)
    const password = passwordOf(user, before, passwords)
    const isNew = before === undefined
    const userUuid = isNew
      ? createUser(comparison, user, password)
      : changeUser(comparison, user, before, password)
    comparison.manage('users', userUuid, before)
    compareProfiles(comparison, codes, user, { userUuid, rows: profiles.get(userUuid) ?? [] })
  }
}

/** Which stored user each declared one is. What would give one person's account to another is refused. */
function matchUsers(
  comparison: Comparison,
  users: readonly DeclaredUser[],
): Map<DeclaredUser, UserRow & Managed> {
  const find = userFinder(comparison.state)
  const matches = new Map<DeclaredUser, UserRow & Managed>()
  const taken = new Map<string, DeclaredUser>()
  for (const user of users) {
    const row = find(user)
    if (row === undefined) continue
    if (user.uuid !== undefined && user.uuid !== row.uuid) {
      const reason = `the user ${shown(user.email)} is stored with the uuid ${row.uuid}, not ${user.uuid}; a uuid never changes`
      comparison.problems.add(user.line, reason)
    }
    const other = taken.get(row.uuid)
    if (other !== undefined) {
      const reason = `this user and the one on line ${other.line} are both the stored user ${row.uuid}; give a new user a uuid of its own once the address is free`
      comparison.problems.add(user.line, reason)
    }
    taken.set(row.uuid, user)
    matches.set(user, row)
  }
  refuseTakenAddresses(comparison, matches, taken)
  return matches
}

function refuseTakenAddresses(
  comparison: Comparison,
  matches: ReadonlyMap<DeclaredUser, UserRow>,
  taken: ReadonlyMap<string, DeclaredUser>,
): void {
  const holders = byKey(comparison.state.users, (row) => row.email_key)
  for (const [user, row] of matches) {
    const holder = holders.get(emailKey(user.email))
    // Two users of the file may exchange their addresses.
    if (holder === undefined || holder.uuid === row.uuid || taken.has(holder.uuid)) continue
    const reason = `the address ${shown(user.email)} is that of the user ${holder.uuid}, who is not in this file`
    comparison.problems.add(user.line, reason)
  }
}

function createUser(comparison: Comparison, user: DeclaredUser, password: StoredPassword): string {
  const { now, newUuid } = comparison.settings
  const uuid = user.uuid ?? newUuid()
  const columns = columnsOf(user, user.emailVerified ?? false)
  const times = { created_at: now, updated_at: now }
  comparison.create('users', { uuid, ...columns, ...password, last_profile_uuid: null, ...times })
  const fields = fieldsBetween(undefined, { uuid: user.uuid ?? null, ...shownOf(columns) })
  if (password.password_hash !== null) fields.push({ field: 'password', hidden: true })
  comparison.tell('user', 'create', user.email, fields, { uuid, userUuid: uuid })
  return uuid
}

function changeUser(
  comparison: Comparison,
  user: DeclaredUser,
  before: UserRow,
  password: StoredPassword,
): string {
  const sameAddress = before.email_key === emailKey(user.email)
  const columns = columnsOf(user, user.emailVerified ?? (sameAddress && before.email_verified === 1))
  const after = { ...columns, password_hash: password.password_hash }
  const { declared_password_hash } = password
  if (
    comparison.update('users', before, after, { declared_password_hash, updated_at: comparison.settings.now })
  ) {
    const fields = fieldsBetween(shownOf(before), shownOf(columns))
    if (password.password_hash !== before.password_hash) {
      fields.push({ field: 'password', hidden: true })
      comparison.passwordsChanged.push(before.uuid)
    }
    comparison.tell('user', 'change', user.email, fields, { uuid: before.uuid, userUuid: before.uuid })
  } else {
    // The file says the password that is stored already: no change, but what the file said last.
    comparison.update('users', before, { declared_password_hash })
  }
  return before.uuid
}

type Columns = Omit<
  UserRow,
  'uuid' | keyof StoredPassword | 'last_profile_uuid' | 'created_at' | 'updated_at'
>

function columnsOf(user: DeclaredUser, emailVerified: boolean): Columns {
  return {
    email: user.email,
    email_key: emailKey(user.email),
    email_verified: flagOf(emailVerified),
    name: user.name,
    given_name: user.givenName ?? null,
    family_name: user.familyName ?? null,
    preferred_username: user.preferredUsername ?? null,
    picture: user.picture ?? null,
    locale: user.locale ?? null,
    zoneinfo: user.zoneinfo ?? null,
    active: flagOf(user.active),
  }
}

function shownOf(row: Columns): Shown {
  return {
    email: row.email,
    email_verified: row.email_verified === 1,
    name: row.name,
    given_name: row.given_name,
    family_name: row.family_name,
    preferred_username: row.preferred_username,
    picture: row.picture,
    locale: row.locale,
    zoneinfo: row.zoneinfo,
    active: row.active === 1,
  }
}
