/** A process that records, each time in a transaction of its own, and links what waits as a service does. */
import pg from 'pg'
import { appending } from '../../server/dist/audit/append.js'
import { settled } from '../../server/dist/audit/link.js'
import { type AuditEvent, contentOf } from '../../server/dist/audit/record.js'
import { linkRecords } from '../../server/dist/background/link-records.js'
import { openStore } from '../../server/dist/database/open.js'
import { contentColumns } from '../../server/dist/database/schema-audit.js'
import { lastly } from '../../server/dist/database/steps.js'
import type { Store } from '../../server/dist/database/store.js'
import { auditKeeper } from '../../server/dist/keys/audit-key.js'

/** Of each lane. */
const warmUp = 100
const [, , url = '', secret = '', way = '', lanes = '1', milliseconds = '0'] = process.argv

const signIn = (lane: number, n: number): AuditEvent => ({
  at: Date.now(),
  kind: 'sign_in.succeeded',
  actor: { kind: 'user', id: `person-${lane}-${n % 1000}` },
  address: '192.0.2.1',
  requestId: `${process.pid}-${lane}-${n}`,
  target: { kind: 'session', id: `session-${lane}-${n}` },
  user_uuid: `person-${lane}-${n % 1000}`,
  client_id: 'submissions-web',
  sid: `session-${lane}-${n}`,
  detail: { amr: ['pwd'] },
})

/** `linked`: as the product does. `bare`: the driver inserts the same rows, and nobody links them. */
async function recordOne(store: Store, event: AuditEvent): Promise<void> {
  const content = contentOf(event)
  if (way === 'linked') return void (await store.write(() => lastly(appending(store, [content]))))
  await pool.query({ name: 'bare', text: bare, values: contentColumns.map((column) => content[column]) })
}

const bare = `insert into audit_waiting (${contentColumns.join(', ')})
  values (${contentColumns.map((_, at) => `$${at + 1}`).join(', ')})`
const pool = new pg.Pool({ connectionString: url, max: Number(lanes) })

const keeper = auditKeeper(() => ({ secret, previousSecret: undefined }))
const limits = { pool: Number(lanes) + 1, connectTimeout: 60_000, statementTimeout: 60_000 }
const stopping = new AbortController()
const store = await openStore(url, keeper, limits)
const record = async (number: number, count: number, until: number) => {
  const times: number[] = []
  for (let n = 0; n < count && performance.now() < until; n++) {
    const began = performance.now()
    await recordOne(store, signIn(number, n))
    times.push(performance.now() - began)
  }
  return times
}
const inLanes = async (count: number, until: number) =>
  (
    await Promise.all(Array.from({ length: Number(lanes) }, (_, number) => record(number, count, until)))
  ).flat()
const context = { stopping: stopping.signal, report: console.error, goesOn: () => undefined }
const linkUntilStopped = async () => {
  while (way === 'linked' && !stopping.signal.aborted) await linkRecords({ store }, context)
}
// V8 compiles what was called often.
const linking = linkUntilStopped()
const warm = (await inLanes(warmUp, Infinity)).length
process.send?.(warm)
await new Promise((resolve) => process.once('message', resolve))
const times = await inLanes(Infinity, performance.now() + Number(milliseconds))
stopping.abort()
await linking
if (way === 'linked') await settled(store)
times.sort((a, b) => a - b)
process.send?.({ records: times.length, p99: times[Math.floor(times.length * 0.99)] ?? 0 })
// Until it is ended: what has ended tells no CPU.
setInterval(() => undefined, 1000)
