import { newColumns } from '../catalogue/columns.ts'
import { user as userThing } from '../catalogue/user.ts'
import { emailKey, isSameEmail } from '../protocol/email-address.ts'
import type { DeclaredRow } from './state.ts'
import type { UserRow } from '../database/schema.ts'
import { proved } from '../store/ownership.ts'
import type { Owning } from './adoption.ts'
import { byKey, groupBy } from '../access/by-key.ts'
import type { Comparison } from './comparison.ts'
import { compareProfiles } from './compare-profiles.ts'
import type { DeclaredUser } from './declared.ts'
import { type PasswordDecisions, passwordOf, type StoredPassword } from './passwords.ts'
import { userFinder } from './people.ts'
import { shown } from './problems.ts'

/** Users and their profiles. */
export function compareUsers(
  comparison: Comparison,
  users: readonly DeclaredUser[],
  passwords: PasswordDecisions,
): void {
  const matches = matchUsers(comparison, users)
  const profiles = groupBy(comparison.state.profiles, (row) => row.user_uuid)
  for (const user of users) {
    const before = matches.get(user)
    // The key is the same, but not the mailbox: such as with ß and with ss.
    const isOther = before?.email_key === emailKey(user.email) && !isSameEmail(before.email, user.email)
    const isForeign = comparison.adopts(before) && (before?.limited_reach !== 0 || isOther)
    const password = passwordOf(user, before, passwords, isForeign)
    const user_uuid = before?.uuid ?? user.uuid ?? comparison.settings.newUuid()
    putUser(comparison, user, before, { user_uuid, password })
    const owning = before && ownPassword(comparison, user, before, isForeign)
    comparison.manage('users', before, { kind: 'user', id: user.email, key: user_uuid, ...owning })
    compareProfiles(comparison, user, { user_uuid, rows: profiles.get(user_uuid) ?? [] })
  }
}

function putUser(
  comparison: Comparison,
  user: DeclaredUser,
  before: DeclaredRow<'users'> | undefined,
  { user_uuid: uuid, password }: { user_uuid: string; password: StoredPassword },
): void {
  const { now } = comparison.settings
  const { password_hash, declared_password_hash } = password
  const stays = before?.email_verified === 1 && isSameEmail(before.email, user.email)
  const columns = newColumns(userThing, { ...user, email_verified: user.email_verified ?? stays })
  const isOther = password_hash !== (before?.password_hash ?? null)
  // Whoever made the account may have set up more than its password.
  if (before !== undefined && isOther && before.limited_reach !== 0) comparison.disowned.users.push(uuid)
  const totp = before === undefined ? user.totp : undefined
  if (totp !== undefined) comparison.totps.push({ user_uuid: uuid, totp })
  if ((before?.deletion_at ?? null) !== null)
    comparison.records.push({ kind: 'deletion.undone', target: { kind: 'user', id: uuid }, user_uuid: uuid })
  const differs = comparison.put(
    'user',
    before,
    // A person whom a file names stays, even where they asked to be removed.
    { ...columns, email_key: emailKey(user.email), password_hash, deletion_at: null },
    {
      id: user.email,
      about: { uuid, user_uuid: uuid },
      uuid: user.uuid,
      created: {
        uuid,
        declared_password_hash,
        ...proved,
        last_profile_uuid: null,
        created_at: now,
        updated_at: now,
      },
      changed: {
        declared_password_hash,
        updated_at: now,
        ...(isOther && { ...proved, password_temporary: 0 as const }),
      },
      hidden: [...(isOther ? ['password'] : []), ...(totp === undefined ? [] : ['totp_secret'])],
    },
  )
  // The file says the password that is stored already: no change, but what the file said last.
  if (before !== undefined && !differs) comparison.update('users', before, { declared_password_hash })
}

/** What somebody who is adopted keeps of what the file does not name, and what goes. */
function ownPassword(
  { disowned }: Comparison,
  user: DeclaredUser,
  before: UserRow,
  isForeign: boolean,
): Owning {
  const unnamed = before.password_hash !== null && user.password === undefined ? ['password' as const] : []
  if (!isForeign) return { keeps: unnamed }
  if (!disowned.users.includes(before.uuid)) disowned.users.push(before.uuid)
  return { loses: [...unnamed, 'factors', 'sessions', 'tokens', 'consents'] }
}

/** Which stored user each declared one is. What would give one person's account to another is refused. */
function matchUsers(
  comparison: Comparison,
  users: readonly DeclaredUser[],
): Map<DeclaredUser, DeclaredRow<'users'>> {
  const find = userFinder(comparison.state)
  const matches = new Map<DeclaredUser, DeclaredRow<'users'>>()
  const taken = new Map<string, DeclaredUser>()
  for (const user of users) {
    const row = find(user)
    if (row === undefined) continue
    comparison.expectUuid(user, row, `the user ${shown(user.email)}`)
    const other = taken.get(row.uuid)
    if (other !== undefined) {
      const reason = `this user and the one on line ${other.line} are both the stored user ${row.uuid}; give a new user a uuid of its own once the address is free`
      comparison.problems.add(user.line, reason)
    }
    taken.set(row.uuid, user)
    matches.set(user, row)
  }
  refuseTakenAddresses(comparison, matches, taken)
  endHolds(comparison, users, matches)
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

/** Ends holds: a person can take back a changed address for some days, unless a file gives it to somebody else. */
function endHolds(
  { state, settings, holds }: Comparison,
  users: readonly DeclaredUser[],
  matches: ReadonlyMap<DeclaredUser, UserRow>,
): void {
  const held = byKey(state.held ?? [], (row) => row.email_key)
  for (const user of users) {
    const row = held.get(emailKey(user.email))
    const isOver = row === undefined || row.expires_at <= settings.now
    if (isOver || row.user_uuid === matches.get(user)?.uuid) continue
    const until = new Date(row.expires_at).toISOString()
    holds.push({ email: user.email, holder: row.holder, user_uuid: row.user_uuid, until })
  }
}
