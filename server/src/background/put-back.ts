import type { Service } from '../service.ts'
import type { ChainHead } from '../store/audit-chain.ts'
import { auditHead, goesThrough } from '../store/audit-head.ts'
import type { JobContext } from './job.ts'

/**
 * Tells the log when the audit has lost what was its end: the database was put back to an earlier state under this
 * process. Whoever runs it may not know, where a failover did so by itself, and what had ended counts again.
 */
export function putBackWatch(): (
  service: Pick<Service, 'store'>,
  context: Pick<JobContext, 'report'>,
) => Promise<void> {
  let last: ChainHead | undefined
  return async ({ store }, { report }) => {
    const head = await auditHead(store)
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
