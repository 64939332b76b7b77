import { setTimeout as wait } from 'node:timers/promises'
import { linkAll } from '../audit/link.ts'
import type { JobContext } from '../job.ts'
import type { Service } from '../service.ts'

/** The pause between two runs, ms: what is recorded meanwhile is one batch. */
const pause = 100

/** Links to the chain what was recorded since. */
export async function linkRecords(
  { store }: Pick<Service, 'store'>,
  { stopping, report }: JobContext,
): Promise<void> {
  const unmarked = await linkAll(store, () => stopping.aborted)
  if (unmarked > 0)
    report(
      new Error(
        `${unmarked} audit records that waited are not marked by the key of the audit: somebody without the secret has written or altered them. They stand in the chain without a mark; tessera audit verify names them.`,
      ),
    )
  await wait(pause, undefined, { signal: stopping }).catch(() => undefined)
}
