import { setTimeout as after } from 'node:timers/promises'
import { emailKey } from '../protocol/email-address.ts'
import { hashSecret } from '../protocol/identifier.ts'
import type { Service } from '../service.ts'
import { type Forgotten, makeResetFor } from '../store/forgotten-password.ts'
import { addToLimit } from '../store/limits.ts'
import { addressKey } from './address.ts'

/** How long a link counts that was mailed (SP 800-63B-4 §4.2.1.2 allows a day), ms. */
const lifetime = 30 * 60_000
/** What is counted, and how often in it something is sent. */
const window = 60 * 60_000
const most = { account: 3, address: 30 }
/** Longer than the work takes: how long the answer takes tells nothing. */
const leastTime = 300

/**
 * Sends a link to somebody who forgot their password. Known, unknown, disabled and limited addresses are one to whoever
 * asks, by the answer, the work and its time. Beyond the limits nothing is sent.
 */
export async function forgotPassword(
  { store, now }: Service,
  forgotten: Forgotten,
  send: Parameters<typeof makeResetFor>[3],
): Promise<void> {
  const counted = async (key: string) =>
    (await addToLimit(store, `password reset ${key}`, { by: 1, now: now(), window })).count
  const work = async () => {
    const ofAccount = await counted(`account ${hashSecret(emailKey(forgotten.email))}`)
    const ofAddress = await counted(`address ${addressKey(forgotten.from.address ?? '')}`)
    const may = ofAccount <= most.account && ofAddress <= most.address
    await makeResetFor(store, forgotten, { may, lifetime, now: now() }, send)
  }
  await Promise.all([work(), after(leastTime)])
}
