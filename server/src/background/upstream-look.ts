import { chunksOf } from '../database/chunks.ts'
import type { JobContext } from '../job.ts'
import type { Service } from '../service.ts'
import { dueDomains, lookAtDomain } from '../upstream/domains.ts'
import { dueLooks, lookAtDirectory } from '../upstream/look.ts'

const hour = 3_600_000

/** Looks at the directories that are due: what fails with one keeps no other waiting. */
export async function lookAtDirectories(
  service: Service,
  { stopping, report }: Pick<JobContext, 'stopping' | 'report'>,
): Promise<void> {
  const { store, settings, now } = service
  const reaching = {
    toPrivateAddresses: settings.webhooksToPrivateAddresses,
    refusal:
      'Nobody knows its name, or its address is private; TESSERA_WEBHOOKS_TO_PRIVATE_ADDRESSES=true allows private ones.',
  }
  for (const some of chunksOf(await dueLooks(store, now()), 10))
    await Promise.all(
      some.map(async (row) => {
        if (!stopping.aborted) await lookAtDirectory(service, reaching, row, stopping).catch(report)
      }),
    )
}

/** The job that looks at the records of domains that are due. Where servers don't answer it waits for an hour. */
export function domainLooker(): (service: Service, context: JobContext) => Promise<void> {
  const later = new Map<string, number>()
  return async (service, { stopping, report }) => {
    const now = service.now()
    for (const [name, until] of later) if (until <= now) later.delete(name)
    for (const name of await dueDomains(service.store, now)) {
      if (stopping.aborted) return
      if (later.has(name)) continue
      const looked = await lookAtDomain(service, name, { now }).catch(report)
      if (looked === undefined) later.set(name, now + hour)
    }
  }
}
