import { Command } from 'commander'
import { messageOf } from '../mail/message.tsx'
import { reasonOf, smtpTransport } from '../mail/transport.ts'
import { emailProblem } from '../protocol/email-address.ts'
import { newId } from '../protocol/identifier.ts'
import type { MailServer } from '../protocol/mail-server.ts'
import { readIssuer, readMail } from '../settings.ts'
import { answerOf, type ConnectOptions } from './connect.ts'
import { routeOf } from './connection.ts'
import { type Context, print } from './context.ts'
import { fieldsOf, withFields } from './fields.ts'
import { type ListOptions, pageParameters, printList, withPages } from './verbs/list.ts'
import { printThing, verbOf } from './verbs/verb.ts'

/** `tessera mail`: what became of mails, and whether they arrive. */
export function mailCommand(context: Context): Command {
  return new Command('mail')
    .description('See what became of mails, send dead ones again, and try the mail server.')
    .addCommand(listCommand(context))
    .addCommand(oneCommand(context, 'show', 'GET', '/mails/:id'))
    .addCommand(oneCommand(context, 'replay', 'POST', '/mails/:id/replay'))
    .addCommand(testCommand(context))
    .addCommand(serverCommand(context))
    .addCommand(sendTestCommand(context))
    .addHelpText(
      'after',
      '\nExamples:\n  $ tessera mail list --state dead\n  $ tessera mail test you@example.com',
    )
}

function listCommand(context: Context): Command {
  const route = routeOf('GET', '/mails')
  const fields = fieldsOf(route.query, pageParameters)
  const columns = ['id', 'kind', 'recipient', 'state', 'attempts', 'created_at', 'error']
  return withPages(withFields(verbOf('mail list', route, ['--state dead']), fields)).action(
    async (options: ListOptions) => await printList(context, { route, fields, columns, options }),
  )
}

function oneCommand(context: Context, verb: string, method: 'GET' | 'POST', path: string): Command {
  const route = routeOf(method, path)
  return verbOf(`mail ${verb}`, route, ['01a1fe79f2bf4503141415cad11159b8'])
    .argument('<id>', 'the id of the mail')
    .action(async (id: string, options: ConnectOptions) => {
      const asked = { route, params: { id }, ...(method === 'POST' && { body: {} }) }
      printThing(context, await answerOf(context, options, asked), options)
    })
}

function serverCommand(context: Context): Command {
  const route = routeOf('GET', '/mail-server')
  return verbOf('mail server', route, ['']).action(async (options: ConnectOptions) => {
    printThing(context, await answerOf(context, options, { route, params: {} }), options)
  })
}

function sendTestCommand(context: Context): Command {
  const route = routeOf('POST', '/mails/test')
  return verbOf('mail send-test', route, ['you@example.com'])
    .argument('<address>', 'where to send it')
    .action(async (recipient: string, options: ConnectOptions) => {
      const asked = { route, params: {}, body: { recipient } }
      printThing(context, await answerOf(context, options, asked), options)
    })
}

function testCommand(context: Context): Command {
  return new Command('test')
    .description('Send a mail to an address at once, and print what the mail server said.')
    .argument('<address>', 'where to send it')
    .addHelpText('after', '\nExample:\n  $ tessera mail test you@example.com')
    .action(async (address: string) => {
      const problem = emailProblem(address)
      if (problem !== undefined) throw new Error(`The address ${problem}.`)
      const { environment } = context
      const { server, ...mail } = readMail(environment)
      if (server === undefined)
        throw new Error('TESSERA_MAIL_URL is not set: this service sends no mail. See docs/mail.md.')
      const test = { address, issuer: readIssuer(environment), at: context.now() }
      print(context, await sendTest({ ...mail, server }, test))
    })
}

async function sendTest(
  { server, from, replyTo }: ReturnType<typeof readMail> & { server: MailServer },
  { address, issuer, at }: { address: string; issuer: string; at: number },
): Promise<string> {
  const written = { kind: 'test', data: { at }, name: undefined, locale: undefined, link: undefined } as const
  const message = messageOf(written, { name: from.name ?? 'Tessera', issuer })
  const messageId = `<${newId(at)}@${new URL(issuer).hostname}>`
  const to = { name: undefined, address }
  try {
    const sent = { ...message, messageId, from, replyTo, to, at }
    const said = await smtpTransport(server).send(sent, AbortSignal.timeout(60_000))
    return `${server.host} took the mail for ${address}: ${said}\nWhether it arrives is up to that server; look into the folder for spam as well.`
  } catch (error) {
    const where = `${server.host}:${server.port}`
    throw new Error(`${where} did not take the mail: ${reasonOf(error)}`, { cause: error })
  }
}
