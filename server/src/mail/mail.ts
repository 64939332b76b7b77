/**
 * `mail/` owns what the service writes to people: the words of each mail, the outbox and sending. It never decides what
 * happens, never sends within a request, and never sends anything after the link in it has ended.
 */
import type { Kysely } from 'kysely'
import type { Schema } from '../database/schema.ts'
import { hashSecret, newId } from '../protocol/identifier.ts'
import type { Mailbox } from '../protocol/mail-server.ts'
import type { Settings } from '../settings.ts'
import type { NoticeData } from '../store/links.ts'
import { encryptedBody } from './body.ts'
import { addToDigest, digestWaits, type ToldBeyond } from './digest.ts'
import type { MailData, MailKind } from './kinds.ts'
import type { MailContent } from './message.tsx'
import { insertMail, putMail } from './outbox.ts'
import { type DevelopmentMail, developmentTransport, smtpTransport, type Transport } from './transport.ts'

/** A mail to one person. */
export interface Posted<K extends MailKind> {
  kind: K
  to: { address: string; name: string | undefined }
  /** The language that the person has set, or that of the request. */
  locale: string | null | undefined
  data: MailData[K]
  /** A link that was made in the same transaction, and the path of its page. */
  link?: { path: string; text: string }
  /** The mail is not sent after this: the end of its link, or a day. */
  expiresAt: number
  /** The mail goes with this person. */
  user_uuid?: string | undefined
  /** However many its recipient has had: what alone can undo a change, and what is counted where it is asked for. */
  always?: boolean
  now: number
}

/** How the service sends mail. Where there is no mail server in production it has none. */
export interface Mail {
  /**
   * Puts a mail into the outbox, within the transaction of what it tells; it is sent soon after. False: the recipient
   * has had twenty of this kind within a day, and it is left out.
   */
  post<K extends MailKind>(trx: Kysely<Schema>, posted: Posted<K>): Promise<boolean>
  /**
   * Posts a notice beyond the limit of a recipient: it goes with others in one mail, an hour after the
   * first of them. `makeLink` is asked where a new mail is put.
   */
  postBeyond(
    trx: Kysely<Schema>,
    notice: ToldBeyond &
      Omit<Posted<'notice'>, 'kind' | 'data' | 'link' | 'always'> & { user_uuid: string; days: number },
    makeLink: (data: NoticeData) => Promise<{ path: string; text: string }>,
  ): Promise<void>
  readonly transport: Transport
  readonly from: Mailbox
  readonly replyTo: Mailbox | undefined
  /** The last hundred mails, newest first. There in development without a mail server. */
  readonly box: readonly DevelopmentMail[] | undefined
}

/** Undefined: a service in production without a mail server. */
export function openMail({
  mail: { server, from, replyTo },
  mode,
  secret,
  previousSecret,
}: Pick<Settings, 'mail' | 'mode' | 'secret' | 'previousSecret'>): Mail | undefined {
  if (server === undefined && mode === 'production') return undefined
  const box: DevelopmentMail[] = []
  const rowOf = <K extends MailKind>({ to, locale, link, now, ...posted }: Posted<K>) => {
    const id = newId(now)
    const { kind, data, user_uuid, expiresAt, always } = posted
    const written: MailContent = { kind, data, name: to.name, locale, link }
    const body = encryptedBody(JSON.stringify(written), id, secret)
    const linkHash = link && hashSecret(link.text)
    return { id, kind, recipient: to.address, user_uuid, linkHash, body, expiresAt, always, now }
  }
  return {
    transport: server === undefined ? developmentTransport(box) : smtpTransport(server),
    from,
    replyTo,
    box: server === undefined ? box : undefined,
    post: (trx, posted) => putMail(trx, rowOf(posted)),
    async postBeyond(trx, { told, undoes, days, ...posted }, makeLink) {
      const { to, user_uuid, now } = posted
      const person = { recipient: to.address, user_uuid, secrets: [secret, previousSecret] as const, now }
      if (await addToDigest(trx, { told, undoes }, person)) return
      const link = await makeLink({ event: 'notices', each: [undoes] })
      const row = rowOf({ ...posted, kind: 'notices', data: { told: [told], days }, link })
      await insertMail(trx, row, now + digestWaits)
    },
  }
}
