import { sql } from 'kysely'
import * as z from 'zod'
import { type After, firstOf, type Page } from '../database/page.ts'
import { type MailState, mailStates } from '../database/schema-mail.ts'
import type { Store } from '../database/store.ts'
import { emailKey } from '../protocol/email-address.ts'
import { notFound, Problem } from '../protocol/problem.ts'
import type { By, Row } from './by.ts'
import { change } from './change.ts'
import { isoTime, pageOf } from './fields.ts'
import { idOf } from './path.ts'
import { listRoute } from './resource-routes.ts'
import { route, type Route } from './route.ts'

/** The outbox of mails: what became of each, and never what it says. For the whole installation alone. */

const mailState = z.enum(mailStates)

const mail = z.object({
  id: z.string().describe('Its Message-ID is made of it, the same in every attempt.'),
  kind: z.string().describe('What it is about, such as `password_reset` or `notice`.'),
  recipient: z.string(),
  user_uuid: z.string().nullable().describe('null: it is to somebody who has no account yet.'),
  state: mailState.describe('`dead`: it was given up.'),
  attempts: z.int().describe('Those that were begun.'),
  next_at: z.iso.datetime().nullable().describe('When the next attempt is due; null: there is none.'),
  created_at: z.iso.datetime(),
  expires_at: z.iso.datetime().describe('After this it is not sent any more.'),
  ended_at: z.iso.datetime().nullable().describe('When the mail server took it, or it was given up.'),
  error: z.string().nullable().describe('Why the last attempt failed, in the words of the mail server.'),
})

export const columns = [
  'id',
  'kind',
  'recipient',
  'user_uuid',
  'state',
  'attempts',
  'next_at',
  'created_at',
  'expires_at',
  'ended_at',
  'error',
] as const

export type ListedMail = Pick<Row<'mails'>, (typeof columns)[number]>

export const shownMail = ({
  next_at,
  created_at,
  expires_at,
  ended_at,
  ...row
}: ListedMail): z.output<typeof mail> => ({
  id: row.id,
  kind: row.kind,
  recipient: row.recipient,
  user_uuid: row.user_uuid,
  state: row.state,
  attempts: row.attempts,
  next_at: row.state === 'waiting' ? isoTime(next_at) : null,
  created_at: isoTime(created_at),
  expires_at: isoTime(expires_at),
  ended_at: ended_at === null ? null : isoTime(ended_at),
  error: row.error,
})

export const mailSchemas = { Mail: mail, MailPage: pageOf(mail) }

export const mailRoutes: Route[] = [
  listRoute({
    path: '/mails',
    permission: 'iam.mails.read',
    summary: 'List mails',
    description:
      'Newest first, without what they say. Sent ones are listed for a week, dead ones for ninety days. For administrators of the whole installation.',
    answers: 'MailPage',
    file: mail,
    refusals: ['forbidden'],
    query: {
      state: mailState.optional(),
      kind: z.string().optional().describe('Such as `password_reset`.'),
      recipient: z.string().optional().describe('The whole address, in upper or lower case.'),
    },
    shown: shownMail,
    async rows({ service: { store }, by, query, after, limit }) {
      by.authority.changesInstallation()
      return await listMails(store, query, after(1), limit)
    },
  }),
  route({
    method: 'GET',
    path: '/mails/:id',
    permission: 'iam.mails.read',
    summary: 'Read what became of a mail',
    description: 'Without what it says. For administrators of the whole installation.',
    answers: 'Mail',
    refusals: ['forbidden'],
    async handle({ service: { store }, by, param }) {
      by.authority.changesInstallation()
      const id = idOf(param('id'), 'mail')
      const row = await store.db.selectFrom('mails').select(columns).where('id', '=', id).executeTakeFirst()
      if (row === undefined) throw notFound('mail')
      return { status: 200, body: shownMail(row) }
    },
  }),
  route({
    method: 'POST',
    path: '/mails/:id/replay',
    permission: 'iam.mails.update',
    summary: 'Send a dead mail again',
    description:
      'It is due at once, with all its attempts before it, to the same recipient and with the same `Message-ID`. Refused when it is not dead, has expired, its link was used, replaced or withdrawn, or it is a link to a password, or a code, at an address that the person had before. For administrators of the whole installation.',
    answers: 'Mail',
    repeatable: false,
    refusals: ['forbidden', 'conflict'],
    body: z.strictObject({}),
    async handle({ service, by, param }) {
      const row = await replayMail(service.store, by, idOf(param('id'), 'mail'))
      return { status: 201, body: shownMail(row), location: `/mails/${row.id}` }
    },
  }),
]

interface Filters {
  state?: MailState | undefined
  kind?: string | undefined
  recipient?: string | undefined
}

async function listMails(
  { db }: Store,
  { state, kind, recipient }: Filters,
  after: After,
  limit: number,
): Promise<Page<ListedMail>> {
  const rows = await db
    .selectFrom('mails')
    .select(columns)
    .where((where) =>
      where.and({
        ...(state !== undefined && { state }),
        ...(kind !== undefined && { kind }),
        ...(recipient !== undefined && { recipient_key: emailKey(recipient) }),
      }),
    )
    .$if(after !== undefined, (query) => query.where('id', '<', after?.[0] ?? ''))
    .orderBy('id', 'desc')
    .limit(limit + 1)
    .execute()
  return firstOf(rows, limit, ({ id }) => [id])
}

/** Puts a dead mail in line again, and records that. Concurrency: one conditional statement; see `change`. */
async function replayMail(store: Store, by: By, id: string): Promise<ListedMail> {
  by.authority.changesInstallation()
  return await change(store, by, async (trx) => {
    const row = await trx
      .updateTable('mails')
      .set({ state: 'waiting', attempts: 0, next_at: by.now, ended_at: null })
      .where('id', '=', id)
      .where('state', '=', 'dead')
      .where('body', 'is not', null)
      .where('expires_at', '>', by.now)
      .where(sql<boolean>`(link_hash is null or exists (
        select 1 from links where links.hash = mails.link_hash and links.expires_at > ${by.now}))`)
      // What sets a password, or stands for it, counts at the person's address alone.
      .where(sql<boolean>`(kind not in ('password_reset', 'recovery', 'enrolment_code')
        or user_uuid is null or exists (select 1 from users
          where users.uuid = mails.user_uuid and users.email_key = mails.recipient_key))`)
      .returning(columns)
      .executeTakeFirst()
    if (row === undefined) throw await whyNot(trx, id)
    const about = { target: { kind: 'mail', id }, user_uuid: row.user_uuid ?? undefined }
    return { result: row, events: [{ kind: 'mail.replayed', ...about, detail: { kind: row.kind } }] }
  })
}

async function whyNot(trx: Store['db'], id: string): Promise<Problem> {
  const row = await trx.selectFrom('mails').select('state').where('id', '=', id).executeTakeFirst()
  if (row === undefined) return notFound('mail')
  if (row.state !== 'dead')
    return new Problem('conflict', `The mail is ${row.state}: only a dead one is sent again.`)
  return new Problem(
    'conflict',
    'The mail has expired, its link ended, or it is a link to a password, or a code, at an address from before. Let another one be made.',
  )
}
