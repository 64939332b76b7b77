import { Command } from 'commander'
import { messageOf } from '../mail/message.tsx'
import { reasonOf, smtpTransport } from '../mail/transport.ts'
import { emailProblem } from '../protocol/email-address.ts'
import { newId } from '../protocol/identifier.ts'
import type { MailServer } from '../protocol/mail-server.ts'
import { readIssuer, readMail } from '../settings.ts'
import { type Context, print } from './context.ts'

/** `tessera mail`: whether mails arrive. */
export function mailCommand(context: Context): Command {
  return new Command('mail')
    .description('Try the mail server.')
    .addCommand(testCommand(context))
    .addHelpText('after', '\nExample:\n  $ tessera mail test you@example.com')
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
