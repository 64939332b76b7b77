import type { Selectable } from 'kysely'
import { type NamedContext, type OptionalClaim, optionalClaims, type Person } from '../protocol/claims.ts'
import { emailKey } from '../protocol/email-address.ts'
import type { Policy } from '../protocol/policy.ts'
import { chunksOf } from '../database/chunks.ts'
import type { Store } from '../database/store.ts'
import { prepared, preparedRow, type Steps } from '../database/prepared.ts'
import type { UserRow } from '../database/schema.ts'
import type { Account } from '../database/schema-account.ts'
import type { Factors } from '../database/schema-factors.ts'

export interface User extends Person {
  active: boolean
  passwordHash: string | undefined
  lastProfileUuid: string | undefined
  /** Whether a second factor is enrolled, suspended ones included. */
  secondFactor: boolean
  /** Whether an administrator demands one. */
  enrolmentRequired: boolean
  /** When a sign-in demanded one for the first time; 0 once one was there. */
  graceBeganAt: number | undefined
  /** Whether somebody else set the password, to be changed at the next sign-in. */
  passwordTemporary: boolean
  /** When they are removed, because they asked for it; they are not active. */
  deletionAt: number | undefined
}

/** Whether they asked to be removed and may undo that, which is all that they may. */
export const isLeaving = ({ deletionAt }: User, now: number): boolean =>
  deletionAt !== undefined && deletionAt > now

/** A profile that can be used now, with the names that a person knows it by. */
export interface Profile extends NamedContext {
  /** How strongly people have to sign in for it: of its role and its organisation. */
  policies: readonly Policy[]
  /** When it ends; undefined: it doesn't. */
  until?: number | undefined
}

/** The user with this id, active or not. */
export async function findUser(store: Store, uuid: string): Promise<User | undefined> {
  const row = await store.db.selectFrom('users').selectAll().where('uuid', '=', uuid).executeTakeFirst()
  return row === undefined ? undefined : asUser(row, row)
}

const selectByEmail = preparedRow<{ key: string }, UserRow & Selectable<Factors & Account>>((db, slot) =>
  db.selectFrom('users').selectAll().where('email_key', '=', slot('key')),
)

/** The user with this e-mail address, compared by `emailKey`. */
export function* userByEmail(email: string): Steps<User | undefined> {
  const row = yield* selectByEmail({ key: emailKey(email) })
  return row === undefined ? undefined : asUser(row, row)
}

/** The e-mail addresses of these users, by their uuids. */
export async function emailsOf(
  { db }: Pick<Store, 'db'>,
  uuids: readonly string[],
): Promise<Map<string, string>> {
  const emails = new Map<string, string>()
  for (const chunk of chunksOf(uuids)) {
    const rows = await db.selectFrom('users').select(['uuid', 'email']).where('uuid', 'in', chunk).execute()
    for (const { uuid, email } of rows) emails.set(uuid, email)
  }
  return emails
}

/** Remembers the profile that a person chose, to preselect it next time; part of the verb that notes it. */
export const rememberProfile = prepared<{ userUuid: string; profileUuid: string }, never>((db, slot) =>
  db
    .updateTable('users')
    .set({ last_profile_uuid: slot('profileUuid') })
    .where('uuid', '=', slot('userUuid')),
)

/** Notes when a second factor was demanded of somebody for the first time. */
export async function beginGrace(store: Store, userUuid: string, now: number): Promise<void> {
  await store.db
    .updateTable('users')
    .set({ grace_began_at: now })
    .where('uuid', '=', userUuid)
    .where('grace_began_at', 'is', null)
    .execute()
}

/** Replaces a password's hash by one with today's parameters; false when the password changed meanwhile. */
export async function rehashPassword(
  store: Store,
  userUuid: string,
  from: string,
  to: string,
): Promise<boolean> {
  const row = await store.db
    .updateTable('users')
    .set({ password_hash: to })
    .where('uuid', '=', userUuid)
    .where('password_hash', '=', from)
    .returning('uuid')
    .executeTakeFirst()
  return row !== undefined
}

/** Columns that get other names where a query joins profiles. */
type Renamed = 'uuid' | 'name' | 'active' | 'updated_at'

/** The others that make a user. */
export type UserColumns = Omit<UserRow, Renamed | 'email_key' | 'declared_password_hash' | 'created_at'> &
  Selectable<Omit<Factors, 'user_handle'> & Account>

/** A column that is null is a claim that is not there. */
function optionalOf(row: UserColumns): Pick<User, OptionalClaim> {
  const there = {} as Pick<User, OptionalClaim>
  for (const name of optionalClaims) there[name] = row[name] ?? undefined
  return there
}

export function asUser(row: UserColumns, { uuid, name, active, updated_at }: Pick<UserRow, Renamed>): User {
  return {
    uuid,
    email: row.email,
    email_verified: row.email_verified === 1,
    name,
    ...optionalOf(row),
    updated_at,
    active: active === 1,
    passwordHash: row.password_hash ?? undefined,
    lastProfileUuid: row.last_profile_uuid ?? undefined,
    secondFactor: row.second_factor === 1,
    enrolmentRequired: row.enrolment_required === 1,
    graceBeganAt: row.grace_began_at ?? undefined,
    passwordTemporary: row.password_temporary === 1,
    deletionAt: row.deletion_at ?? undefined,
  }
}
