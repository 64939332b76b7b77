import { findHead, goesThrough } from '../audit/head.ts'
import { isWaiting, settled } from '../audit/link.ts'
import { recordAll } from '../audit/record.ts'
import type { ChainHead } from '../database/audit-key.ts'
import { moveRevision, raiseGeneration, readGeneration } from '../database/revision.ts'
import type { Noticed } from '../database/store.ts'
import type { JobContext } from '../job.ts'
import type { Service } from '../service.ts'
import { endEverything } from '../store/ending-all.ts'

type Watched = Pick<Service, 'store' | 'now' | 'observe'> & {
  settings: Pick<Service['settings'], 'databaseLoss'>
}
type Job = (service: Watched, context: Pick<JobContext, 'report'>) => Promise<void>

/**
 * Notices that the database lacks what was acknowledged, as after a failover to a standby that lagged: then what had
 * ended since counts again. Ends all from before, or leaves the database unused until `tessera restored` was run.
 */
export function watchForLoss(): Job {
  const audit = watchForLostRecords()
  let told: number | undefined
  return async (service, { report }) => {
    const noticed = (await service.store.look()) ?? (await audit(service))
    if (noticed === undefined) return
    const { databaseLoss } = service.settings
    if (databaseLoss === 'end' && !(await endAll(service, noticed))) return
    if (told === noticed.generation) return
    told = noticed.generation
    service.observe({ kind: 'database loss' })
    report(
      new Error(
        `The database has lost what was acknowledged${noticed.record === undefined ? '' : ` (record ${noticed.record} of the audit)`}: it was put back to an earlier state, as by a failover to a standby that lagged, or the audit was altered. ${consequences[databaseLoss]} See "A lossy failover" in docs/operations.md.`,
      ),
    )
  }
}

const consequences = {
  end: 'Every session and token from before was ended.',
  stop: 'Requests that need the database are answered 503 until tessera restored was run.',
}

/** False: another process has answered this loss. */
async function endAll({ store, now }: Watched, { generation, record }: Noticed): Promise<boolean> {
  let isOurs = false
  await store.afterLoss(async (trx) => {
    isOurs = await raiseGeneration(trx, now(), generation)
    if (!isOurs) return
    const ended = await endEverything(trx, { now: now(), reason: 'database_lost' })
    await moveRevision(trx)
    await recordAll(store, [{ at: now(), kind: 'database.lost', detail: { ...ended, record } }], trx)
  })
  return isOurs
}

/** Watches for lost records by the audit alone, which every process sees, whoever wrote it. */
function watchForLostRecords() {
  let last: (ChainHead & { generation: number }) | undefined
  return async ({ store }: Watched): Promise<Noticed | undefined> => {
    const generation = await readGeneration(store)
    const head = await findHead(store.db)
    const before = last
    last = head && { ...head, generation }
    if (before === undefined || (await goesThrough(store, before))) return undefined
    // A record that lost only its place in the chain waits, and gets the same place again.
    await settled(store)
    // Read first: what is linked from here on is in the chain below.
    const waits = await isWaiting(store)
    if (await goesThrough(store, before)) return undefined
    // Another process has ended everything since.
    if (generation > before.generation) return undefined
    if ((head?.sequence ?? 0) < before.sequence && waits) {
      // The record may be one of those that could not be linked yet: the next look tells.
      last = before
      return undefined
    }
    return { what: 'lost', generation, record: before.sequence }
  }
}
