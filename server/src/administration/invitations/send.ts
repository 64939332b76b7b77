import type { InvitedBy } from '../../catalogue/invitation.ts'
import { rowOf } from '../../database/rows.ts'
import type { Service } from '../../service.ts'
import { makeLink } from '../../store/links.ts'
import type { Transacting } from '../by.ts'
import { day, type Invitation, lifetimeDays } from './inviting.ts'
import { offersOf } from './offers.ts'

/** The page that its link leads to. */
export const invitationPath = '/invitation'

/** What its link carries: whether a mail alone told it, so that using it proves the address. */
export interface LinkData {
  mailed: boolean
}

/** How long after its end the page of an invitation still offers another link. */
const asksAgainFor = 30 * day

interface Sending {
  mail: Service['mail']
  now: number
  /** When its link is not known any more. */
  until?: number
}

/**
 * Makes the link of an invitation, in the place of the one before, and mails it. Where nobody has set a mail server it
 * yields the link, to be passed on.
 */
export async function sendLink(
  trx: Transacting,
  row: Invitation,
  { mail, now, until = row.expires_at + asksAgainFor }: Sending,
): Promise<string | undefined> {
  const data: LinkData = { mailed: mail !== undefined }
  const link = { purpose: 'invitation', subject: row.uuid, data, expiresAt: until, now } as const
  const text = await makeLink(trx, link)
  if (mail === undefined) return text
  await mail.post(trx, {
    kind: 'invitation',
    to: { address: row.email, name: row.name ?? undefined },
    locale: row.locale ?? undefined,
    data: { ...(await namesOf(trx, row, mail.from.name ?? 'Tessera')), days: lifetimeDays },
    link: { path: invitationPath, text },
    expiresAt: row.expires_at,
    now,
  })
  return undefined
}

/** The names of the inviter and of what the invitation is to, as people know them. */
async function namesOf(
  trx: Transacting,
  row: Invitation,
  service: string,
): Promise<{ inviter: string; to: string }> {
  const { kind, id } = JSON.parse(row.invited_by) as InvitedBy
  const person = kind === 'user' && id !== undefined ? await rowOf(trx, 'users', { uuid: id }) : undefined
  const client =
    row.client_id === null ? undefined : await rowOf(trx, 'clients', { client_id: row.client_id })
  const [place, ...others] = new Set((await offersOf(trx, row)).map((one) => one.organisation_name))
  const organisation = (others.length === 0 ? place : undefined) ?? service
  return { inviter: person?.name ?? organisation, to: client?.client_name ?? organisation }
}
