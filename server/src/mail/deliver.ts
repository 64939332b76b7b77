import { setImmediate as nextTurn } from 'node:timers/promises'
import type { JobContext } from '../job.ts'
import type { Service } from '../service.ts'
import { brandingFor } from '../store/brandings.ts'
import { Concurrency } from '../webhooks/concurrency.ts'
import { withDeadline } from '../webhooks/deadline.ts'
import { lockedMail, openedBody } from './body.ts'
import type { Mail } from './mail.ts'
import { messageOf, type MailContent } from './message.tsx'
import { noticeWriter } from './notices.ts'
import {
  type ClaimedMail,
  claimMail,
  handMailBack,
  isMailDue,
  mailDied,
  mailFailed,
  mailSent,
} from './outbox.ts'
import { reasonOf, RefusedMail, type OutgoingMail } from './transport.ts'

const second = 1000
const minute = 60 * second
const hour = 60 * minute
/** The most time that one attempt takes, ms. */
const timeout = minute
/** How long a mail belongs to the process that claimed it; after that another one may. */
const lease = timeout + 30 * second

/** The delay after each failed attempt; the last one goes on until the mail expires. */
const delays = [5 * second, 30 * second, 2 * minute, 10 * minute, 30 * minute, hour, 2 * hour]

/** The job that writes notices of what the audit tells, and starts workers for mails that are due. */
export function mailSender(): (service: Service, context: JobContext) => Promise<void> {
  const concurrency = new Concurrency()
  /** The time until which this process leaves mails to others, because it can't open one. */
  const locked = { until: 0 }
  const writeNotices = noticeWriter()
  return async (service, context) => {
    const { mail, store, now } = service
    if (mail === undefined) return
    while (!context.stopping.aborted && (await writeNotices(service, mail))) await nextTurn()
    if (locked.until > now() || !(await isMailDue(store, now()))) return
    concurrency.start('server', () => sendNext(service, mail, locked, context), context)
  }
}

/** Sends the next due mail; undefined when none is due. `failed`: the server took none, so the others wait too. */
async function sendNext(
  service: Service,
  mail: Mail,
  locked: { until: number },
  { stopping, report }: JobContext,
): Promise<'arrived' | 'failed' | undefined> {
  const { store, now } = service
  if (stopping.aborted || locked.until > now()) return undefined
  // An embedded database answers within the turn of the event loop: give requests a turn after each step.
  await nextTurn()
  const claimed = await claimMail(store, { now: now(), until: now() + lease })
  if (claimed === undefined) return undefined
  const { ended } = claimed
  if (ended !== undefined) {
    await mailDied(store, claimed, { reason: ended, error: undefined, now: now() })
    if (ended === 'expired') service.observe({ kind: 'mail', outcome: 'dead' })
    return 'arrived'
  }
  const written = opened(service, claimed)
  if (written === undefined) {
    // Another process may know the secret.
    locked.until = now() + 5 * minute
    await handMailBack(store, claimed, now())
    throw lockedMail(claimed.id)
  }
  const { name: brand } = await brandingFor(store)
  try {
    const sent = sentOf(service, mail, { claimed, written, brand })
    await withDeadline(timeout, stopping, (signal) => mail.transport.send(sent, signal))
  } catch (error) {
    return await failed(service, claimed, error, { stopping, report })
  }
  await mailSent(store, claimed, now())
  service.observe({ kind: 'mail', outcome: 'sent' })
  return 'arrived'
}

function opened({ settings }: Service, claimed: ClaimedMail): MailContent | undefined {
  const text = openedBody(claimed, [settings.secret, settings.previousSecret])
  return text === undefined ? undefined : (JSON.parse(text) as MailContent)
}

function sentOf(
  { issuer, now }: Pick<Service, 'issuer' | 'now'>,
  { from, replyTo }: Pick<Mail, 'from' | 'replyTo'>,
  {
    claimed: { id, recipient },
    written,
    brand,
  }: { claimed: ClaimedMail; written: MailContent; brand: string | undefined },
): OutgoingMail {
  return {
    ...messageOf(written, { name: brand ?? from.name ?? 'Tessera', issuer }),
    messageId: `<${id}@${new URL(issuer).hostname}>`,
    from,
    replyTo,
    to: { name: written.name, address: recipient },
    at: now(),
  }
}

async function failed(
  { store, now, observe }: Service,
  claimed: ClaimedMail,
  failure: unknown,
  { stopping, report }: Pick<JobContext, 'stopping' | 'report'>,
): Promise<'arrived' | 'failed'> {
  // When the process stops, nobody knows whether it arrived; another process sends it again, with the same Message-ID.
  if (stopping.aborted) {
    await handMailBack(store, claimed, now())
    return 'failed'
  }
  const error = reasonOf(failure)
  const final = failure instanceof RefusedMail
  if (final) await mailDied(store, claimed, { reason: 'refused', error, now: now() })
  else await mailFailed(store, claimed, { error, nextAt: now() + delayAfter(claimed.attempt) })
  observe({ kind: 'mail', outcome: final ? 'dead' : 'failed' })
  // The server's words may hold the address: they stand in the list of mails.
  const next = final ? 'it is given up' : 'it is tried again'
  report(
    new Error(
      `The mail ${claimed.id} could not be sent (attempt ${claimed.attempt}); ${next}: ${codeOf(failure)}.`,
    ),
  )
  return final ? 'arrived' : 'failed'
}

const delayAfter = (attempt: number): number => delays[attempt - 1] ?? delays.at(-1) ?? hour

/** What kind of failure it was, such as `ECONNECTION` or `EENVELOPE 550`. */
function codeOf(failure: unknown): string {
  const error = failure instanceof RefusedMail ? failure.cause : failure
  const { code, responseCode } = (error ?? {}) as Partial<Record<string, unknown>>
  return [code, responseCode].filter((one) => one !== undefined).join(' ') || 'no answer'
}
