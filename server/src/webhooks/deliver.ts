/**
 * `webhooks/` owns the subscriptions' secrets, the deliveries that the audit leads to, and sending them. It never
 * decides what happened: it only reads the audit, and sends each record as it is.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Service } from '../service.ts'
import { openedSecret, webhookSignature } from './secret.ts'
import {
  type ClaimedDelivery,
  claimDelivery,
  deliveryArrived,
  deliveryFailed,
  disableWebhook,
  dueWebhooks,
  type Failure,
  handBack,
} from './deliveries.ts'
import { fillOutbox } from './outbox.ts'
import { withDeadline } from './deadline.ts'
import type { JobContext } from '../job.ts'
import { Concurrency } from './concurrency.ts'
import { send } from './send.ts'

const second = 1000
const minute = 60 * second
const hour = 60 * minute
/** The most time that one attempt takes, ms. */
const timeout = 10 * second
/** How long a delivery belongs to the process that claimed it; after that another one may. */
const lease = 3 * timeout

/** The delay after each failed attempt (Standard Webhooks, “Deliverability and reliability”). */
const delays = [
  5 * second,
  5 * minute,
  30 * minute,
  2 * hour,
  5 * hour,
  10 * hour,
  14 * hour,
  20 * hour,
  24 * hour,
]

/** Up to a tenth more, so that what failed together is not tried again together. */
const withJitter = (delay: number) => Math.round(delay * (1 + Math.random() / 10))

/** The job that turns records of the audit into deliveries, and starts workers for those that are due. */
export function webhookSender(): (service: Service, context: JobContext) => Promise<void> {
  const concurrency = new Concurrency()
  const sending: Sending = { inTurn: oneByOne(), locked: new Map() }
  return async (service, context) => {
    // An embedded database answers within the turn of the event loop: give requests a turn after each step.
    while (!context.stopping.aborted && (await fillOutbox(service.store, service.now()))) await nextTurn()
    for (const uuid of await dueWebhooks(service.store, service.now())) {
      concurrency.start(uuid, () => sendNext(service, uuid, sending, context), context)
    }
  }
}

/** Runs one piece of work at a time, so that many workers leave the database free for requests. */
function oneByOne(): InTurn {
  let last: Promise<unknown> = Promise.resolve()
  return async (work) => {
    const mine = last.then(work)
    last = mine.catch(() => undefined)
    return await mine
  }
}

type InTurn = <T>(work: () => Promise<T>) => Promise<T>

interface Sending {
  inTurn: InTurn
  /** Subscriptions whose secrets this process can't open, and until when it leaves them to other processes. */
  locked: Map<string, number>
}

/** Sends the next due delivery of a subscription; undefined when none is due. */
async function sendNext(
  service: Service,
  uuid: string,
  { inTurn, locked }: Sending,
  { stopping }: JobContext,
): Promise<'arrived' | 'failed' | undefined> {
  const { store, now } = service
  if (stopping.aborted || (locked.get(uuid) ?? 0) > now()) return undefined
  const claimed = await inTurn(() => claimDelivery(store, uuid, { now: now(), until: now() + lease }))
  if (claimed === undefined) return undefined
  let message: Message
  try {
    message = messageOf(service, claimed)
  } catch (error) {
    // Another process may know the secret.
    locked.set(uuid, now() + 5 * minute)
    await handBack(store, claimed, now())
    throw error
  }
  const outcome = await attempt(service, claimed.url, message, stopping)
  if (typeof outcome === 'number') {
    await inTurn(() => deliveryArrived(store, claimed, { now: now(), status: outcome }))
    service.observe({ kind: 'webhook', outcome: 'delivered' })
    return 'arrived'
  }
  // When the process stops, nobody knows whether it arrived; another process sends it again.
  await inTurn(() => (stopping.aborted ? handBack(store, claimed, now()) : failed(service, claimed, outcome)))
  return 'failed'
}

type Message = Record<'body' | 'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string>

/** Standard Webhooks, “Webhook headers and payload”: the id is the same in every attempt, the time is not. */
function messageOf({ settings, now }: Service, { id, record, secrets }: ClaimedDelivery): Message {
  const opened = secrets.map((row) => openedSecret(row, [settings.secret, settings.previousSecret]))
  const body = JSON.stringify({ type: record.kind, timestamp: record.at, data: record })
  const timestamp = Math.floor(now() / second)
  return {
    body,
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': webhookSignature({ id, timestamp, body }, opened),
  }
}

/** The status of the answer when it is 2xx, otherwise what failed. */
async function attempt(
  { settings }: Service,
  url: string,
  { body, ...headers }: Message,
  stopping: AbortSignal,
): Promise<number | Failure> {
  try {
    const status = await withDeadline(timeout, stopping, (signal) =>
      send({
        url,
        headers: { 'content-type': 'application/json', 'user-agent': 'Tessera', ...headers },
        body,
        toPrivateAddresses: settings.webhooksToPrivateAddresses,
        refusal:
          'Nobody knows its name, or its address is private; TESSERA_WEBHOOKS_TO_PRIVATE_ADDRESSES=true allows private ones.',
        signal,
      }),
    )
    return status >= 200 && status < 300 ? status : { status, error: `The answer was ${status}.` }
  } catch (error) {
    return { status: null, error: reasonOf(error) }
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return reasonOf(error.errors[0])
  return error instanceof Error ? error.message.slice(0, 500) : 'It could not be sent.'
}

async function failed(
  { store, now, observe }: Service,
  claimed: ClaimedDelivery,
  failure: Failure,
): Promise<void> {
  const gone = failure.status === 410
  const delay = gone ? undefined : delays[claimed.attempt - 1]
  const nextAt = delay === undefined ? undefined : now() + withJitter(delay)
  await deliveryFailed(store, claimed, { failure, nextAt, now: now() })
  if (gone) await disableWebhook(store, claimed.webhookUuid, now())
  observe({ kind: 'webhook', outcome: nextAt === undefined ? 'dead' : 'failed' })
}
