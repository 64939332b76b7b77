import { chunksOf } from '../database/chunks.ts'
import type { JobContext } from '../job.ts'
import type { Service } from '../service.ts'
import { standStill } from '../store/upstream-states.ts'
import { upstreamsNow } from '../store/upstreams.ts'
import { lookAtUpstream } from '../upstream/check.ts'
import { reachingOf } from '../upstream/fetch.ts'
import { openUpstream } from '../upstream/secrets.ts'
import { dueDomains, lookAtDomain } from '../upstream/domains.ts'
import { dueLooks, lookAtDirectory } from '../upstream/look.ts'

const hour = 3_600_000

/** Looks at the directories that are due: what fails with one keeps no other waiting. */
export async function lookAtDirectories(
  service: Service,
  { stopping, report }: Pick<JobContext, 'stopping' | 'report'>,
): Promise<void> {
  const { store, now } = service
  const reaching = reachingOf(service)
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

/**
 * The job that reads the documents of upstreams each hour, so that certificates are known in time, and days stand still
 * where an upstream is gone.
 */
export function documentReader(): (service: Service, context: JobContext) => Promise<void> {
  let next = 0
  return async (service, { stopping }) => {
    const { store, now } = service
    if (now() >= next) {
      next = now() + hour
      for (const row of (await upstreamsNow(store)).byUuid.values()) {
        if (stopping.aborted) return
        // One that failed when somebody checked it is looked at until it does not.
        if (row.counts && (row.works || row.failing_since !== null))
          await lookAtDocuments(service, row.uuid, now())
      }
    }
    await standStill(store, now())
  }
}

async function lookAtDocuments(service: Service, uuid: string, now: number): Promise<void> {
  const row = (await upstreamsNow(service.store)).byUuid.get(uuid)
  if (row === undefined || row.kind === 'ldap' || (row.kind === 'saml' && row.metadata_url === null)) return
  await lookAtUpstream(service, openUpstream(service, row), now)
}
