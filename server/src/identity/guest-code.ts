/** The code for somebody whose upstream does not speak for their address: it comes before an account, or before theirs. */
import { createHmac, randomInt } from 'node:crypto'
import { emailKey } from '../protocol/email-address.ts'
import { hashSecret } from '../protocol/identifier.ts'
import type { Service } from '../service.ts'
import { addToLimit } from '../store/limits.ts'
import { codeWaits, keepCode, takeCode } from '../store/mailed-codes.ts'
import { addressKey } from './address.ts'

/** How long a code counts, ms. */
const lifetime = 10 * 60_000
/** What is counted, and how often in it a code is mailed: to one address, for one network address, by one upstream. */
const window = 60 * 60_000
const most = { email: 3, address: 30, upstream: 200 }

/** The guest who gets a code: an upstream, subject and address, and the request that waits in one browser. */
export interface Guest {
  upstream_uuid: string
  subject: string
  email: string
  /** Random, known to the server and named by the request alone. */
  state: string
}

const codeOf = ({ state }: Pick<Guest, 'state'>) =>
  ({ purpose: 'guest_code', subject: hashSecret(state) }) as const

/** Whether a code waits to be typed. */
export const guestCodeWaits = async (
  { store, now }: Service,
  guest: Pick<Guest, 'state'>,
): Promise<boolean> => await codeWaits(store, codeOf(guest), now())

/**
 * Mails a new code, whether somebody has the address or not. False: the address, the network or the upstream had as many
 * as there are in an hour.
 */
export async function sendGuestCode(
  { store, mail, settings, now: clock }: Service,
  guest: Guest,
  { locale, address, name }: { locale: string; address: string; name: string },
): Promise<boolean> {
  if (mail === undefined) return false
  const now = clock()
  const counted = async (key: string) =>
    (await addToLimit(store, `guest code ${key}`, { by: 1, now, window })).count
  // The rarest last: what one browser asks for uses up nothing of others beyond its own bound.
  if ((await counted(`address ${addressKey(address)}`)) > most.address) return false
  if ((await counted(`email ${hashSecret(emailKey(guest.email))}`)) > most.email) return false
  if ((await counted(`upstream ${guest.upstream_uuid}`)) > most.upstream) return false
  const code = String(randomInt(100_000_000)).padStart(8, '0')
  const expiresAt = now + lifetime
  const kept = { ...codeOf(guest), text: textOf(code, guest, settings.secret), expiresAt, now }
  return await keepCode(store, kept, (trx) =>
    mail.post(trx, {
      kind: 'guest_code',
      to: { address: guest.email, name: undefined },
      locale,
      data: { code, minutes: lifetime / 60_000, name },
      expiresAt,
      // Counted by the hour, above.
      always: true,
      now,
    }),
  )
}

/** Whether it is the code that was mailed; each that could be one counts as a try. */
export async function giveGuestCode(
  { store, settings, now }: Service,
  guest: Guest,
  typed: string,
): Promise<boolean> {
  const code = typed.replaceAll(/[\s-]/g, '')
  if (!/^\d{8}$/.test(code)) return false
  const text = textOf(code, guest, settings.secret)
  return await store.db
    .transaction()
    .execute(async (trx) => await takeCode(trx, codeOf(guest), { text, now: now() }))
}

/** Nobody who reads the database finds the code by trying all of them. */
const textOf = (code: string, { state, upstream_uuid, subject, email }: Guest, secret: string) =>
  createHmac('sha256', secret)
    .update(JSON.stringify(['guest code', code, state, upstream_uuid, subject, emailKey(email)]))
    .digest('base64url')
