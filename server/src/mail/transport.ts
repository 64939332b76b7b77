import type { MailServer, Mailbox } from '../protocol/mail-server.ts'
import type { Message } from './message.tsx'

/** A message with all that a server needs. */
export interface OutgoingMail extends Message {
  /** An id that is the same in every attempt, so that a mail that arrives twice is seen to be one. */
  messageId: string
  from: Mailbox
  replyTo: Mailbox | undefined
  to: Mailbox
  at: number
}

export interface Transport {
  /** Hands a message over, and yields what the server said. Throws when it did not take it. */
  send(sent: OutgoingMail, signal: AbortSignal): Promise<string>
}

/** The server will never take this message: another attempt is of no use. */
export class RefusedMail extends Error {}

const second = 1000

/** One connection for each message: a session that is kept open breaks in ways of its own. */
export function smtpTransport({ host, port, secure, user, password }: MailServer): Transport {
  return {
    async send({ from, replyTo, to, messageId, at, ...message }, signal) {
      const { createTransport } = await import('nodemailer')
      const transport = createTransport({
        host,
        port,
        secure,
        requireTLS: true,
        tls: { minVersion: 'TLSv1.2' },
        ...(user !== undefined && { auth: { user, pass: password ?? '' } }),
        forceAuth: user !== undefined,
        connectionTimeout: 10 * second,
        greetingTimeout: 10 * second,
        socketTimeout: 30 * second,
        disableFileAccess: true,
        disableUrlAccess: true,
      })
      try {
        const { response } = await transport.sendMail({
          ...message,
          from: asObject(from),
          ...(replyTo !== undefined && { replyTo: asObject(replyTo) }),
          to: asObject(to),
          messageId,
          date: new Date(at),
          // RFC 3834 §5: nobody's absence is answered to it.
          headers: { 'auto-submitted': 'auto-generated' },
          signal,
        })
        return response ?? ''
      } catch (error) {
        throw isFinal(error) ? new RefusedMail(reasonOf(error), { cause: error }) : error
      }
    },
  }
}

/** An object, so that nothing in a name is read as a further address. */
const asObject = ({ name = '', address }: Mailbox) => ({ name, address })

/**
 * A 5xx to the recipient or the message (RFC 5321 §4.2.1). One to the sender, or to the login, is about the settings
 * of this service, which somebody mends.
 */
function isFinal(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { code, command, responseCode } = error as Error & Partial<Record<string, unknown>>
  return (
    typeof responseCode === 'number' &&
    responseCode >= 500 &&
    ((code === 'EENVELOPE' && command === 'RCPT TO') || (code === 'EMESSAGE' && command === 'DATA'))
  )
}

/** The reason in one line, cut short: servers may say much. */
export const reasonOf = (error: unknown): string =>
  (error instanceof Error ? error.message : 'It could not be sent.').replaceAll(/\s+/g, ' ').slice(0, 500)

/** A mail as it is shown in development. */
export interface DevelopmentMail extends OutgoingMail {
  /** The id in the outbox. */
  id: string
}

/** Keeps the last hundred, in the memory of this process. */
export function developmentTransport(box: DevelopmentMail[]): Transport {
  return {
    async send(sent) {
      box.unshift({ ...sent, id: sent.messageId.slice(1).split('@', 1)[0] ?? '' })
      box.splice(100)
      return 'kept'
    },
  }
}
