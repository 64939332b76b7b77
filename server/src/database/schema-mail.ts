/** The tables of links that are used once, of mails, and of what a link may bring back: removed factors, addresses. */
import type { Generated } from 'kysely'

export interface MailTables {
  links: LinkRow
  mails: MailRow
  removed_factors: RemovedFactorRow
  held_addresses: HeldAddressRow
}

export interface LinkRow {
  /** The hash of the text in the URL. */
  hash: string
  purpose: string
  /** What it is about, one for each purpose: a newer one takes its place. */
  subject: string
  user_uuid: string | null
  /** JSON. */
  data: string
  created_at: number
  expires_at: number
}

export const mailStates = ['waiting', 'sent', 'dead'] as const
export type MailState = (typeof mailStates)[number]

export interface MailRow {
  /** Also what its Message-ID is made of. */
  id: string
  kind: string
  recipient: string
  /** The key by which the limit of a recipient counts. */
  recipient_key: string
  user_uuid: string | null
  /** The link of the mail, which is never sent after the link was used, replaced or withdrawn. */
  link_hash: string | null
  /** What it says, encrypted with the service's secret; null once it was delivered or can't be any more. */
  body: string | null
  state: MailState
  /** How many attempts were begun. */
  attempts: Generated<number>
  /** When it is due; while somebody sends it, when others may take it over. */
  next_at: number
  expires_at: number
  created_at: number
  /** When it was delivered or given up. */
  ended_at: number | null
  /** When the row goes; null: not yet. */
  forgotten_at: number | null
  /** What the last attempt that failed came to. */
  error: string | null
}

export interface RemovedFactorRow {
  id: string
  user_uuid: string
  /** JSON of the row without its secret. */
  kept: string
  /** The secret of TOTP, encrypted with the service's secret. */
  secret: string | null
  removed_at: number
}

/** An address that somebody gave up. It is nobody else's until its end. */
export interface HeldAddressRow {
  email_key: string
  user_uuid: string
  email: string
  changed_at: number
  expires_at: number
}
