/**
 * `mail/` owns what the service writes to people: the words of each mail, the outbox and sending. It never decides what
 * happens, never sends within a request, and never sends anything after the link in it has ended.
 */
import type { Kysely } from 'kysely'
import type { Schema } from '../database/schema.ts'
import { encrypt } from '../keys/encryption.ts'
import { hashSecret, newId } from '../protocol/identifier.ts'
import type { Mailbox } from '../protocol/mail-server.ts'
import type { Settings } from '../settings.ts'
import type { MailData, MailKind } from './kinds.ts'
import type { Written } from './message.tsx'
import { putMail } from './outbox.ts'
import { type DevelopmentMail, developmentTransport, smtpTransport, type Transport } from './transport.ts'

/** A mail to one person. */
export interface Posted<K extends MailKind> {
  kind: K
  to: { address: string; name: string | undefined }
  /** The language that the person has set, or that of the request. */
  locale: string | undefined
  data: MailData[K]
  /** A link that was made in the same transaction, and the path of its page. */
  link?: { path: string; text: string }
  /** After this it is not sent any more: the end of its link, or a day. */
  expiresAt: number
  /** The mail goes with this person. */
  userUuid?: string | undefined
  now: number
}

/** How the service sends mail. Where there is no mail server in production it has none. */
export interface Mail {
  /**
   * Puts a mail into the outbox, within the transaction of what it tells; it is sent soon after. False: the recipient
   * has had twenty within a day, and it is left out.
   */
  post<K extends MailKind>(trx: Kysely<Schema>, posted: Posted<K>): Promise<boolean>
  readonly transport: Transport
  readonly from: Mailbox
  readonly replyTo: Mailbox | undefined
  /** In development without a mail server: the last hundred, newest first. */
  readonly box: readonly DevelopmentMail[] | undefined
}

export const purpose = 'tessera mails'

/** Undefined: a service in production without a mail server. */
export function openMail({
  mail: { server, from, replyTo },
  mode,
  secret,
}: Pick<Settings, 'mail' | 'mode' | 'secret'>): Mail | undefined {
  if (server === undefined && mode === 'production') return undefined
  const box: DevelopmentMail[] = []
  const transport = server === undefined ? developmentTransport(box) : smtpTransport(server)
  return {
    transport,
    from,
    replyTo,
    box: server === undefined ? box : undefined,
    async post(trx, { to, locale, link, now, ...posted }) {
      const id = newId(now)
      const { kind, data, userUuid, expiresAt } = posted
      const written: Written = { kind, data, name: to.name, locale, link }
      return await putMail(trx, {
        id,
        kind,
        recipient: to.address,
        userUuid,
        linkHash: link && hashSecret(link.text),
        body: encrypt(JSON.stringify(written), id, { purpose, secret }),
        expiresAt,
        now,
      })
    },
  }
}
