import type { Service } from '../service.ts'
import type { ChainHead } from '../database/audit-key.ts'
import { findHead, goesThrough } from '../audit/head.ts'
import type { JobContext } from '../job.ts'

/**
 * Logs when the audit has lost its last records: the database was put back to an earlier state while this process ran,
 * perhaps by a failover that nobody noticed, and what had ended since counts again.
 */
export function watchForEarlierState(): (
  service: Pick<Service, 'store'>,
  context: Pick<JobContext, 'report'>,
) => Promise<void> {
  let last: ChainHead | undefined
  return async ({ store }, { report }) => {
    const head = await findHead(store.db)
    const before = last
    last = head
    if (before === undefined || (await goesThrough(store, before))) return
    report(
      new Error(
        `The audit has lost its record ${before.sequence}: the database was put back to an earlier state, as by a failover, or the audit was altered. Sessions and tokens that had ended since count again: see "Backup and restore" in docs/operations.md.`,
      ),
    )
  }
}
