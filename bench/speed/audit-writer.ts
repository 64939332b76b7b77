/** A process that records, each time in a transaction of its own, and links what waits as a service does. */
import { appending } from '../../server/dist/audit/append.js'
import { chained, extend } from '../../server/dist/audit/chain.js'
import { heldHead } from '../../server/dist/audit/head.js'
import { settled } from '../../server/dist/audit/link.js'
import { type AuditEvent, contentOf } from '../../server/dist/audit/record.js'
import { linkRecords } from '../../server/dist/background/link-records.js'
import { openStore } from '../../server/dist/database/open.js'
import type { Store } from '../../server/dist/database/store.js'
import { auditKeeper } from '../../server/dist/keys/audit-key.js'

const [, , url = '', secret = '', way = '', lanes = '1', milliseconds = '0'] = process.argv

const signIn = (lane: number, n: number): AuditEvent => ({
  at: Date.now(),
  kind: 'sign_in.succeeded',
  actor: { kind: 'user', id: `person-${lane}-${n % 1000}` },
  address: '192.0.2.1',
  requestId: `${process.pid}-${lane}-${n}`,
  target: { kind: 'session', id: `session-${lane}-${n}` },
  userUuid: `person-${lane}-${n % 1000}`,
  clientId: 'submissions-web',
  sid: `session-${lane}-${n}`,
  detail: { amr: ['pwd'] },
})

/** `waiting`: as the product does. `at the head`: as on SQLite, where each writer moves the head of the chain. */
async function recordOne(store: Store, event: AuditEvent): Promise<void> {
  const contents = [contentOf(event)]
  if (way === 'waiting') return await store.write(() => appending(store, contents))
  await store.db.transaction().execute(async (trx) => {
    await extend(trx, chained(await heldHead(trx), store.auditKey(), contents))
  })
}

const keeper = auditKeeper(() => ({ secret, previousSecret: undefined }))
const limits = { pool: Number(lanes) + 1, connectTimeout: 60_000, statementTimeout: 60_000 }
const store = await openStore(url, keeper, limits)
process.send?.('ready')
await new Promise((resolve) => process.once('message', resolve))
const stopping = new AbortController()
const linking = (async () => {
  const context = { stopping: stopping.signal, report: console.error, goesOn: () => undefined }
  while (!stopping.signal.aborted) await linkRecords({ store }, context)
})()
const until = performance.now() + Number(milliseconds)
const times: number[] = []
const lane = async (number: number) => {
  for (let n = 0; performance.now() < until; n++) {
    const began = performance.now()
    await recordOne(store, signIn(number, n))
    times.push(performance.now() - began)
  }
}
await Promise.all(Array.from({ length: Number(lanes) }, (_, number) => lane(number)))
stopping.abort()
await linking
await settled(store)
times.sort((a, b) => a - b)
process.send?.({ records: times.length, p99: times[Math.floor(times.length * 0.99)] ?? 0 })
// Until it is ended: what has ended tells no CPU.
setInterval(() => undefined, 1000)
