import * as z from 'zod'
import type { Store } from '../database/store.ts'
import { emailKey } from '../protocol/email-address.ts'
import { Problem } from '../protocol/problem.ts'
import type { By } from './by.ts'
import { change } from './change.ts'
import { email } from './fields.ts'
import { columns, type ListedMail, shownMail } from './mails.ts'
import { route, type AdministrationService, type Route } from './route.ts'

/** How the service sends mail, and a mail to try that. For the whole installation alone. */

const mailServer = z.object({
  sends: z
    .enum(['to_server', 'to_itself', 'nothing'])
    .describe(
      '`to_server`: to the mail server of `TESSERA_MAIL_URL`. `to_itself`: in development, where `/development/mail` shows them. `nothing`: none is set.',
    ),
  from: z.string().nullable().describe('Who mails come from; null: none are sent.'),
  reply_to: z.string().nullable().describe('Where answers go; null: to the sender.'),
})

export const mailServerSchemas = { MailServer: mailServer }

const mailbox = ({ name, address }: { name?: string | undefined; address: string }) =>
  name === undefined ? address : `${name} <${address}>`

function shownServer({ mail }: AdministrationService): z.output<typeof mailServer> {
  if (mail === undefined) return { sends: 'nothing', from: null, reply_to: null }
  const { box, from, replyTo } = mail
  return {
    sends: box === undefined ? 'to_server' : 'to_itself',
    from: mailbox(from),
    reply_to: replyTo === undefined ? null : mailbox(replyTo),
  }
}

export const mailServerRoutes: Route[] = [
  route({
    method: 'GET',
    path: '/mail-server',
    permission: 'iam.mails.read',
    summary: 'Read how mails are sent',
    description: 'Without the address of the mail server. For administrators of the whole installation.',
    answers: 'MailServer',
    refusals: ['forbidden'],
    async handle({ service, by }) {
      by.authority.changesInstallation()
      return { status: 200, body: shownServer(service) }
    },
  }),
  route({
    method: 'POST',
    path: '/mails/test',
    permission: 'iam.mails.update',
    summary: 'Send a mail to try the mail server',
    description:
      'It goes the way of every other mail, says that it is a test, and its state tells what became of it. Twenty a day go to one address. Refused where no mail is sent. For administrators of the whole installation.',
    answers: 'Mail',
    repeatable: false,
    refusals: ['forbidden', 'conflict'],
    body: z.strictObject({ recipient: email }),
    async handle({ service, by, body }) {
      const row = await testMail(service, by, body.recipient)
      return { status: 201, body: shownMail(row), location: `/mails/${row.id}` }
    },
  }),
]

const hour = 3_600_000

/** Puts a test into the outbox, and records that. Concurrency: see `change`. */
async function testMail(
  { store, mail }: { store: Store; mail: AdministrationService['mail'] },
  by: By,
  recipient: string,
): Promise<ListedMail> {
  by.authority.changesInstallation()
  if (mail === undefined)
    throw new Problem('conflict', 'This service sends no mail: set TESSERA_MAIL_URL and TESSERA_MAIL_FROM.')
  return await change(store, by, async (trx) => {
    const { now } = by
    const to = { address: recipient, name: undefined }
    const data = { at: now }
    const posted = { kind: 'test', to, locale: undefined, data, expiresAt: now + hour, now } as const
    if (!(await mail.post(trx, posted)))
      throw new Problem('conflict', 'This address has had twenty tests within a day.')
    const result = await trx
      .selectFrom('mails')
      .select(columns)
      .where('recipient_key', '=', emailKey(recipient))
      .where('kind', '=', 'test')
      .orderBy('id', 'desc')
      .executeTakeFirstOrThrow()
    return { result, events: [{ kind: 'mail.tested', target: { kind: 'mail', id: result.id } }] }
  })
}
