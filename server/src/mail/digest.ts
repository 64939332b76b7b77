/** Notices beyond what a recipient gets in a day: one mail tells several of them, and its link undoes each. */
import type { Kysely } from 'kysely'
import type { Schema } from '../database/schema.ts'
import { emailKey } from '../protocol/email-address.ts'
import { changeLink, type NoticeData } from '../store/links.ts'
import { encryptedBody, openedBody } from './body.ts'
import type { NoticeFact } from './kinds.ts'
import type { MailContent } from './message.tsx'

/** How long it waits, so that more finds room in it, ms. */
export const digestWaits = 3_600_000

/** The most events that one mail tells. */
const mostTold = 50

/** What one more notice tells, and what its link undoes. */
export interface ToldBeyond {
  told: NoticeFact
  undoes: NoticeData
}

interface ToPerson {
  recipient: string
  user_uuid: string
  /** The secret that it is encrypted with, and the one before. */
  secrets: readonly [string, string | undefined]
  now: number
}

/**
 * Adds a notice to the digest of a person that waits. False: there is none that anybody could add to, so the notice
 * begins another. Sign-ins, of which there may be any number, give way; nothing else that was told is ever left out.
 *
 * Concurrency: one process writes notices at a time. A digest that another begins to send meanwhile takes no more.
 */
export async function addToDigest(
  trx: Kysely<Schema>,
  { told, undoes }: ToldBeyond,
  { secrets, now, ...to }: ToPerson,
): Promise<boolean> {
  const waiting = await waitingDigest(trx, to)
  const text = waiting && openedBody(waiting, secrets)
  if (waiting === undefined || text === undefined) return false
  const written = JSON.parse(text) as MailContent<'notices'>
  const before = written.data.told
  const isFull = before.length >= mostTold
  const gone = isFull ? before.findIndex(({ event }) => event === 'new_device') : -1
  if (written.link === undefined || (isFull && gone === -1)) return false
  const withOneMore = <T>(all: readonly T[], one: T) => [...all.filter((_, index) => index !== gone), one]
  const data = { ...written.data, told: withOneMore(before, told) }
  const body = encryptedBody(JSON.stringify({ ...written, data }), waiting.id, secrets[0])
  if (!(await rewrite(trx, waiting.id, body))) return false
  await changeLink(trx, 'notice', written.link.text, now, (kept) => {
    const link = kept as NoticeData
    return { ...link, each: withOneMore(link.each ?? [], undoes) }
  })
  return true
}

/** The newest digest that nobody has begun to send, while its link counts. */
async function waitingDigest(
  trx: Kysely<Schema>,
  { recipient, user_uuid }: Pick<ToPerson, 'recipient' | 'user_uuid'>,
): Promise<{ id: string; body: string | null } | undefined> {
  return await trx
    .selectFrom('mails')
    .innerJoin('links', 'links.hash', 'mails.link_hash')
    .select(['mails.id', 'mails.body'])
    .where('mails.recipient_key', '=', emailKey(recipient))
    .where('mails.user_uuid', '=', user_uuid)
    .where('mails.kind', '=', 'notices')
    .where('mails.state', '=', 'waiting')
    .where('mails.attempts', '=', 0)
    .orderBy('mails.id', 'desc')
    .limit(1)
    .executeTakeFirst()
}

/** Replaces what a mail says; false: somebody has begun to send it. */
async function rewrite(trx: Kysely<Schema>, id: string, body: string): Promise<boolean> {
  const row = await trx
    .updateTable('mails')
    .set({ body })
    .where('id', '=', id)
    .where('attempts', '=', 0)
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}
