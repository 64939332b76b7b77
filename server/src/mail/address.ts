import type { Kysely } from 'kysely'
import type { Schema } from '../database/schema.ts'
import { maskedEmail } from '../protocol/email-address.ts'
import type { AskedAddress } from '../store/change-address.ts'
import { repudiable } from '../store/removed-factors.ts'
import type { Mail, Posted } from './mail.ts'
import { notMePath } from './notices.ts'

const day = 24 * 3_600_000

/** The page that the mail to a new address leads to. */
export const addressPath = '/account/address'

/** A person who asks for another address, and where they do it. */
export interface AsksForAddress {
  uuid: string
  name: string
  locale: string
  zone: string
  /** The new one. */
  email: string
  browser: string | undefined
  network: string
  now: number
}

/** A mail to the new address, or to whose it is already; and one to the address as it is, which can undo it. */
export async function tellOfAddress(
  trx: Kysely<Schema>,
  mail: Mail,
  { from, owner, confirm, undo }: AskedAddress,
  { uuid, name, locale, zone, email, browser, network, now }: AsksForAddress,
): Promise<void> {
  const own = { locale, user_uuid: uuid, now }
  const confirmation: Posted<'address_confirmation'> = {
    ...own,
    kind: 'address_confirmation',
    to: { address: email, name },
    data: { hours: 24 },
    link: { path: addressPath, text: confirm.text },
    expiresAt: confirm.expiresAt,
  }
  if (owner === undefined) await mail.post(trx, confirmation)
  else if (owner.active === 1)
    await mail.post(trx, {
      kind: 'address_taken',
      to: { address: owner.email, name: owner.name },
      locale: owner.locale,
      user_uuid: owner.uuid,
      data: {},
      expiresAt: now + day,
      now,
    })
  await mail.post(trx, {
    ...own,
    kind: 'notice',
    to: { address: from, name },
    data: {
      event: 'address_requested',
      at: now,
      zone,
      name: maskedEmail(email),
      browser,
      address: network,
      days: repudiable / day,
    },
    link: { path: notMePath, text: undo.text },
    expiresAt: undo.expiresAt,
    always: true,
  })
}
