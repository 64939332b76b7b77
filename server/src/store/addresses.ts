/** Says who owns an address: a user, or the user who gave it up a few days ago and holds it. */
import { type Kysely, sql } from 'kysely'
import { chunksOf } from '../database/chunks.ts'
import type { Flag } from '../database/flag.ts'
import type { Schema } from '../database/schema.ts'
import { emailKey } from '../protocol/email-address.ts'
import { repudiable } from './removed-factors.ts'

export interface AddressOwner {
  uuid: string
  email_key: string
  /** The address as they wrote it. */
  email: string
  name: string
  locale: string | null
  active: 0 | 1
}

/** The users who have or hold these addresses, by the keys of the addresses. */
export async function addressOwners(
  db: Kysely<Schema>,
  keys: readonly string[],
  now: number,
): Promise<Map<string, AddressOwner>> {
  const owners = new Map<string, AddressOwner>()
  for (const chunk of chunksOf(keys)) {
    const these = sql.join(chunk)
    const { rows } = await sql<AddressOwner>`
      select u.uuid, h.email_key, h.email, u.name, u.locale, u.active
      from held_addresses as h join users as u on u.uuid = h.user_uuid
      where h.email_key in (${these}) and h.expires_at > ${now}
      union all
      select uuid, email_key, email, name, locale, active from users where email_key in (${these})`.execute(
      db,
    )
    for (const row of rows) owners.set(row.email_key, row)
  }
  return owners
}

/** Whether somebody else has or holds an address. */
export async function isTaken(
  db: Kysely<Schema>,
  email: string,
  { user_uuid, now }: { user_uuid?: string | undefined; now: number },
): Promise<boolean> {
  const key = emailKey(email)
  const owner = (await addressOwners(db, [key], now)).get(key)
  return owner !== undefined && owner.uuid !== user_uuid
}

/** The earliest address that somebody gave up and can take back. */
export async function firstHeld(
  db: Kysely<Schema>,
  user_uuid: string,
  now: number,
): Promise<string | undefined> {
  const row = await db
    .selectFrom('held_addresses')
    .select('email')
    .where('user_uuid', '=', user_uuid)
    .where('expires_at', '>', now)
    .orderBy('changed_at')
    .executeTakeFirst()
  return row?.email
}

/** Whether it is held that somebody gives their address up: of an account that nobody has proved it is not. */
export const isHoldable = (user: { limited_reach: Flag }): boolean => user.limited_reach === 0

/** Holds the address that somebody gives up. The caller has found that nobody else has it, and lets no other change in. */
export async function holdAddress(
  trx: Kysely<Schema>,
  { user_uuid, email, now }: { user_uuid: string; email: string; now: number },
): Promise<void> {
  const held = { user_uuid, email, changed_at: now, expires_at: now + repudiable }
  await trx
    .insertInto('held_addresses')
    .values({ email_key: emailKey(email), ...held })
    .onConflict((conflict) => conflict.column('email_key').doUpdateSet(held))
    .execute()
}

/** When an address that somebody gave up is free; undefined: they hold it not. */
export async function heldAddress(
  db: Kysely<Schema>,
  { user_uuid, email, now }: { user_uuid: string; email: string; now: number },
): Promise<{ email: string; changedAt: number; expiresAt: number } | undefined> {
  const row = await db
    .selectFrom('held_addresses')
    .select(['email', 'changed_at', 'expires_at'])
    .where('email_key', '=', emailKey(email))
    .where('user_uuid', '=', user_uuid)
    .where('expires_at', '>', now)
    .executeTakeFirst()
  return row && { email: row.email, changedAt: row.changed_at, expiresAt: row.expires_at }
}

/**
 * Part of every verb that gives somebody another address. Where it is one that they hold, it and those after it are held
 * no more, and links that were made since end: what was mailed to a later address undoes nothing. False: it is none.
 */
export async function returnTo(
  trx: Kysely<Schema>,
  change: { user_uuid: string; email: string; now: number },
): Promise<boolean> {
  const held = await heldAddress(trx, change)
  if (held === undefined) return false
  const { user_uuid } = change
  await trx
    .deleteFrom('held_addresses')
    .where('user_uuid', '=', user_uuid)
    .where('changed_at', '>=', held.changedAt)
    .execute()
  await trx
    .deleteFrom('links')
    .where('user_uuid', '=', user_uuid)
    .where('created_at', '>=', held.changedAt)
    .execute()
  return true
}

/**
 * Part of every verb by which somebody else gives a person another address: nothing is held any more, no link counts that
 * was mailed to an earlier one, and no removed factor rests (people.md 13).
 */
export async function forgetAddresses(
  trx: Kysely<Schema>,
  userUuids: readonly string[],
  now: number,
): Promise<void> {
  for (const some of chunksOf(userUuids)) {
    await trx.updateTable('users').set({ ranked_at: now }).where('uuid', 'in', some).execute()
    for (const table of ['held_addresses', 'removed_factors'] as const)
      await trx.deleteFrom(table).where('user_uuid', 'in', some).execute()
    await trx
      .deleteFrom('links')
      .where('user_uuid', 'in', some)
      .where(({ or, and, eb }) =>
        or([
          eb('purpose', 'in', mailedLinks),
          and([eb('purpose', '=', 'password_reset'), eb('data', 'like', '%"mailedTo":%')]),
        ]),
      )
      .execute()
  }
}

/** Always mailed; of links that set a password, one that was shown goes on. */
const mailedLinks = ['notice', 'address_confirmation', 'enrolment_code', 'enrolment_proof'] as const
