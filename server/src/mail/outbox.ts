import { type Kysely, sql } from 'kysely'
import { type AuditEvent, record } from '../audit/record.ts'
import type { MailRow } from '../database/schema-mail.ts'
import type { Schema } from '../database/schema.ts'
import type { Store } from '../database/store.ts'
import { emailKey } from '../protocol/email-address.ts'

const day = 24 * 3_600_000
/** The mails of one kind that a recipient gets within a day. No kind takes the place of another. */
const most = 20
/** How long a mail is listed after it was sent, and after it was given up. */
const stays = { sent: 7 * day, dead: 90 * day }

/** A literal: SQLite uses the partial index only when it sees the text, not a parameter. */
const waiting = sql.lit('waiting' as const)

interface NewMail {
  id: string
  kind: string
  recipient: string
  user_uuid: string | undefined
  linkHash: string | undefined
  /** Encrypted. */
  body: string
  expiresAt: number
  now: number
  /** However many there were. */
  always?: boolean | undefined
}

/** Puts a mail in line; false, and nothing is put, when the recipient has had as many of its kind as anybody gets. */
export async function putMail(trx: Kysely<Schema>, mail: NewMail): Promise<boolean> {
  const { kind, recipient, now } = mail
  const { count } = await trx
    .selectFrom('mails')
    .select((select) => select.fn.countAll<number>().as('count'))
    .where('recipient_key', '=', emailKey(recipient))
    .where('kind', '=', kind)
    .where('created_at', '>', now - day)
    .executeTakeFirstOrThrow()
  if (Number(count) >= most && mail.always !== true) return false
  await insertMail(trx, mail, now)
  return true
}

/** Puts a mail in line that is due then. */
export async function insertMail(trx: Kysely<Schema>, mail: NewMail, nextAt: number): Promise<void> {
  const { id, kind, recipient, body, expiresAt, now } = mail
  await trx
    .insertInto('mails')
    .values({
      id,
      kind,
      recipient,
      recipient_key: emailKey(recipient),
      user_uuid: mail.user_uuid ?? null,
      link_hash: mail.linkHash ?? null,
      body,
      state: 'waiting',
      next_at: nextAt,
      expires_at: expiresAt,
      created_at: now,
      forgotten_at: expiresAt + stays.dead,
    })
    .execute()
}

/** Whether a mail is due. */
export async function isMailDue({ db }: Store, now: number): Promise<boolean> {
  const row = await db
    .selectFrom('mails')
    .select('id')
    .where('state', '=', waiting)
    .where('next_at', '<=', now)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/** A mail that this process sends. */
export interface ClaimedMail extends Pick<MailRow, 'id' | 'kind' | 'recipient' | 'user_uuid' | 'body'> {
  /** Which attempt this is, 1 the first. */
  attempt: number
  expiresAt: number
  /** Why it is not to be sent any more. */
  ended: 'expired' | 'link_ended' | undefined
}

/**
 * Claims a due mail `until` a time, after which another process may claim it; undefined: none is due.
 * Concurrency: one conditional statement; one of several processes wins.
 */
export async function claimMail(
  { db }: Store,
  { now, until }: { now: number; until: number },
): Promise<ClaimedMail | undefined> {
  const due = await db
    .selectFrom('mails')
    .select('id')
    .where('state', '=', waiting)
    .where('next_at', '<=', now)
    .orderBy('next_at')
    .limit(10)
    .execute()
  for (const { id } of due) {
    const row = await db
      .updateTable('mails')
      .set((set) => ({ attempts: set('attempts', '+', 1), next_at: until }))
      .where('id', '=', id)
      .where('state', '=', waiting)
      .where('next_at', '<=', now)
      .returning(['id', 'kind', 'recipient', 'user_uuid', 'body', 'attempts', 'expires_at', 'link_hash'])
      .executeTakeFirst()
    if (row === undefined) continue
    const { link_hash: link, attempts: attempt, expires_at: expiresAt, ...mail } = row
    const ended = expiresAt <= now ? 'expired' : (await isLive(db, link)) ? undefined : 'link_ended'
    return { ...mail, attempt, expiresAt, ended }
  }
  return undefined
}

/** Whether nobody has used, replaced or withdrawn the link of a mail. */
async function isLive(db: Kysely<Schema>, hash: string | null): Promise<boolean> {
  if (hash === null) return true
  const row = await db.selectFrom('links').select('hash').where('hash', '=', hash).executeTakeFirst()
  return row !== undefined
}

/** The mail, while no other process has claimed it since, and nobody put it in line again. */
const claimOf = (db: Kysely<Schema>, { id, attempt }: ClaimedMail) =>
  db.updateTable('mails').where('id', '=', id).where('state', '=', waiting).where('attempts', '=', attempt)

/** The server took it; what it says is forgotten. */
export async function mailSent({ db }: Store, { id }: ClaimedMail, now: number): Promise<void> {
  await db
    .updateTable('mails')
    .set({ state: 'sent', body: null, ended_at: now, forgotten_at: now + stays.sent, error: null })
    .where('id', '=', id)
    .where('state', '=', waiting)
    .execute()
}

/** Makes the mail due again, or due at its end, when it is given up. */
export async function mailFailed(
  { db }: Store,
  mail: ClaimedMail,
  { error, nextAt }: { error: string; nextAt: number },
): Promise<void> {
  await claimOf(db, mail)
    .set({ next_at: Math.min(nextAt, mail.expiresAt), error })
    .execute()
}

/** Takes a claim back: it was not sent, by no fault of its recipient. */
export async function handMailBack({ db }: Store, mail: ClaimedMail, nextAt: number): Promise<void> {
  await claimOf(db, mail)
    .set({ attempts: mail.attempt - 1, next_at: nextAt })
    .execute()
}

/** Why a mail was given up. */
export type MailEnd = 'expired' | 'link_ended' | 'refused'

/** Gives a mail up, and records it unless its link ended first. What it says stays where it may still be sent again. */
export async function mailDied(
  store: Store,
  mail: ClaimedMail,
  { reason, error, now }: { reason: MailEnd; error: string | undefined; now: number },
): Promise<void> {
  await store.db.transaction().execute(async (trx) => {
    const row = await claimOf(trx, mail)
      .set({
        state: 'dead',
        ended_at: now,
        forgotten_at: now + stays.dead,
        ...(reason !== 'refused' && { body: null }),
        ...(error !== undefined && { error }),
      })
      .returning('id')
      .executeTakeFirst()
    if (row === undefined || reason === 'link_ended') return
    const event: AuditEvent = {
      at: now,
      kind: 'mail.dead',
      target: { kind: 'mail', id: mail.id },
      user_uuid: mail.user_uuid ?? undefined,
      detail: { kind: mail.kind, reason },
    }
    await record(store, event, trx)
  })
}

/** Forgets what dead mails say, once nobody could send them any more. */
export async function eraseDeadMails({ db }: Store, now: number): Promise<void> {
  await db
    .updateTable('mails')
    .set({ body: null })
    .where('state', '=', 'dead')
    .where('body', 'is not', null)
    .where('expires_at', '<=', now)
    .execute()
}

/** How many mails wait for their first or next attempt, and since when the first of them is due. */
export async function waitingMails({ db }: Store): Promise<{ count: number; dueSince: number | undefined }> {
  const { count, first } = await db
    .selectFrom('mails')
    .select(({ fn }) => [fn.countAll<number>().as('count'), fn.min<number | null>('next_at').as('first')])
    .where('state', '=', waiting)
    .executeTakeFirstOrThrow()
  return { count: Number(count), dueSince: first === null ? undefined : Number(first) }
}
