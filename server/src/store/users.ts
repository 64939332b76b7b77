import type { Selectable } from 'kysely'
import { type NamedContext, optionalClaims } from '../protocol/claims.ts'
import { emailKey } from '../protocol/email-address.ts'
import { chunksOf } from '../database/chunks.ts'
import type { Store } from '../database/store.ts'
import { prepared, preparedRow, type Steps } from '../database/prepared.ts'
import type { Schema } from '../database/schema.ts'

/** The columns of a user that a sign-in, a token or a page reads. */
export const userColumns = [
  'uuid',
  'email',
  'email_verified',
  'name',
  ...optionalClaims,
  'updated_at',
  'active',
  'password_hash',
  'last_profile_uuid',
  'second_factor',
  'enrolment_required',
  'grace_began_at',
  'password_temporary',
  'deletion_at',
  'password_reach',
  'limited_reach',
] as const

export type User = Pick<Selectable<Schema['users']>, (typeof userColumns)[number]>

/** Whether they asked to be removed and may undo that, which is all that they may. */
export const isLeaving = ({ deletion_at }: User, now: number): boolean =>
  deletion_at !== null && deletion_at > now

/** A profile that can be used now, with the names that a person knows it by. */
export interface Profile extends NamedContext {
  /** When it ends; null: it doesn't. */
  held_until: number | null
  /** The end of an upstream's word for it; null: it rests on none. */
  held_counts_until: number | null
  /** How strongly people have to sign in for it: see `policiesOf`. */
  role_policy: string | null
  organisation_policy: string | null
}

/** The user with this id, active or not. */
export const findUser = async ({ db }: Pick<Store, 'db'>, uuid: string): Promise<User | undefined> =>
  await db.selectFrom('users').select(userColumns).where('uuid', '=', uuid).executeTakeFirst()

const selectByEmail = preparedRow<{ key: string }, User>((db, slot) =>
  db.selectFrom('users').select(userColumns).where('email_key', '=', slot('key')),
)

/** The user with this e-mail address, compared by `emailKey`. */
export const userByEmail = (email: string): Steps<User | undefined> => selectByEmail({ key: emailKey(email) })

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
export const rememberProfile = prepared<{ user_uuid: string; profile_uuid: string }, never>((db, slot) =>
  db
    .updateTable('users')
    .set({ last_profile_uuid: slot('profile_uuid') })
    .where('uuid', '=', slot('user_uuid')),
)

/** Notes when a second factor was demanded of somebody for the first time. */
export async function beginGrace(store: Store, user_uuid: string, now: number): Promise<void> {
  await store.db
    .updateTable('users')
    .set({ grace_began_at: now })
    .where('uuid', '=', user_uuid)
    .where('grace_began_at', 'is', null)
    .execute()
}

/** Replaces a password's hash by one with today's parameters; false when the password changed meanwhile. */
export async function rehashPassword(
  store: Store,
  user_uuid: string,
  from: string,
  to: string,
): Promise<boolean> {
  const row = await store.db
    .updateTable('users')
    .set({ password_hash: to })
    .where('uuid', '=', user_uuid)
    .where('password_hash', '=', from)
    .returning('uuid')
    .executeTakeFirst()
  return row !== undefined
}
