import type { Kysely } from 'kysely'
import { chunksOf } from '../database/chunks.ts'
import type { Schema } from '../database/schema.ts'
import type { LinkRow } from '../database/schema-mail.ts'
import { hashSecret, newSecret } from '../protocol/identifier.ts'

/** What a link is for: it counts for nothing else. */
export type LinkPurpose =
  | 'password_reset'
  | 'invitation'
  | 'address_confirmation'
  | 'notice'
  // A code that is typed, and that it was; no link has their text.
  | 'enrolment_code'
  | 'enrolment_proof'
  // A code for somebody who is new, or comes by an upstream that does not speak for their address.
  | 'guest_code'
  // A trial of a client, and one that was opened.
  | 'trial'
  | 'tried'

/**
 * What the link of a notice keeps: of which event it is and when that was, of which factor, or which address it gives
 * back.
 */
export interface NoticeData {
  event: string
  /** Epoch milliseconds; left out: when the link was made. */
  at?: number | undefined
  /** An administrator did it, and no undo takes it back. */
  stands?: boolean | undefined
  /** The key of the address that it went to; left out: by a version before. */
  to?: string | undefined
  factor?: string | undefined
  /** The upstream that the person was linked to. */
  upstream?: string | undefined
  address?: string | undefined
  /** The notices of a mail that tells several, in the order in which the events happened. */
  each?: readonly NoticeData[]
}

/** What a notice tells, the newest first. */
export const eventsOf = (notice: NoticeData): readonly NoticeData[] => notice.each?.toReversed() ?? [notice]

/** A link that counts. */
export interface Link {
  subject: string
  user_uuid: string | undefined
  data: unknown
  createdAt: number
  expiresAt: number
}

export interface NewLink {
  purpose: LinkPurpose
  /** What it is about: the link takes the place of an earlier one of the same purpose and subject. */
  subject: string
  /** The link goes with this person. */
  user_uuid?: string | undefined
  /** JSON. Nothing secret, not even encrypted: `tessera keys reencrypt` looks at no links. */
  data?: unknown
  /** 256 bits that nobody can guess; otherwise new random ones. */
  text?: string
  expiresAt: number
  now: number
}

const columns = ['subject', 'user_uuid', 'data', 'created_at', 'expires_at'] as const

const linkOf = (row: Pick<LinkRow, (typeof columns)[number]>): Link => ({
  subject: row.subject,
  user_uuid: row.user_uuid ?? undefined,
  data: JSON.parse(row.data),
  createdAt: row.created_at,
  expiresAt: row.expires_at,
})

/**
 * Makes a link of 256 bits, of which the hash alone is kept, and yields its text for the URL. Part of the verb
 * that it comes from. Concurrency: one statement; of several at once the last one's link counts.
 */
export async function makeLink(
  trx: Kysely<Schema>,
  { purpose, subject, user_uuid, data = {}, text = newSecret(), expiresAt, now }: NewLink,
): Promise<string> {
  const made = {
    hash: hashSecret(text),
    user_uuid: user_uuid ?? null,
    data: JSON.stringify(data),
    created_at: now,
    expires_at: expiresAt,
  }
  await trx
    .insertInto('links')
    .values({ purpose, subject, ...made })
    .onConflict((conflict) => conflict.columns(['purpose', 'subject']).doUpdateSet(made))
    .execute()
  return text
}

/** Whether there is one that counts. */
export async function hasLink(
  db: Kysely<Schema>,
  { purpose, subject, now }: Pick<NewLink, 'purpose' | 'subject' | 'now'>,
): Promise<boolean> {
  const found = db.selectFrom('links').select('subject').where('purpose', '=', purpose)
  const row = await found.where('subject', '=', subject).where('expires_at', '>', now).executeTakeFirst()
  return row !== undefined
}

/** The link with this text, for a page that shows it; undefined: unknown, used, replaced or expired. Changes nothing. */
export async function readLink(
  db: Kysely<Schema>,
  purpose: LinkPurpose,
  text: string,
  now: number,
): Promise<Link | undefined> {
  const row = await db
    .selectFrom('links')
    .select(columns)
    .where('hash', '=', hashSecret(text))
    .where('purpose', '=', purpose)
    .where('expires_at', '>', now)
    .executeTakeFirst()
  return row && linkOf(row)
}

/**
 * Uses the link with this text; undefined as for `readLink`. Part of the verb that it leads to.
 * Concurrency: one statement looks and takes, so of any number that come with one link one goes on.
 */
export async function takeLink(
  trx: Kysely<Schema>,
  purpose: LinkPurpose,
  text: string,
  now: number,
): Promise<Link | undefined> {
  const row = await trx
    .deleteFrom('links')
    .where('hash', '=', hashSecret(text))
    .where('purpose', '=', purpose)
    .where('expires_at', '>', now)
    .returning(columns)
    .executeTakeFirst()
  return row && linkOf(row)
}

/** Keeps other data with a link that counts. Part of the verb that does so, alone in writing that link. */
export async function changeLink(
  trx: Kysely<Schema>,
  purpose: LinkPurpose,
  text: string,
  now: number,
  change: (data: unknown) => unknown,
): Promise<void> {
  const found = await readLink(trx, purpose, text, now)
  if (found === undefined) return
  await trx
    .updateTable('links')
    .set({ data: JSON.stringify(change(found.data)) })
    .where('hash', '=', hashSecret(text))
    .where('purpose', '=', purpose)
    .execute()
}

/** Withdraws the link of this purpose and subject, if there is one. */
export const withdrawLink = async (
  trx: Kysely<Schema>,
  purpose: LinkPurpose,
  subject: string,
): Promise<void> => await withdrawLinks(trx, purpose, [subject])

/** Withdraws the links of this purpose and these subjects. */
export async function withdrawLinks(
  trx: Kysely<Schema>,
  purpose: LinkPurpose,
  subjects: readonly string[],
): Promise<void> {
  for (const some of chunksOf(subjects))
    await trx.deleteFrom('links').where('purpose', '=', purpose).where('subject', 'in', some).execute()
}
