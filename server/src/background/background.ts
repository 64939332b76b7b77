/**
 * `background/` owns what runs by itself: the sweep of what has expired, key rotation, logout notices, webhooks, and a
 * look at whether the database was put back. Each job is safe to run in several processes at once, and its failure is
 * logged and tried again, never fatal.
 */
import { setMaxListeners } from 'node:events'
import type { Service } from '../service.ts'
import { chainEarlier } from '../store/audit-earlier.ts'
import { sweep } from '../store/sweep.ts'
import type { JobContext } from './job.ts'
import { sendLogoutNotices } from './logout-notices.ts'
import { putBackWatch } from './put-back.ts'
import { webhookSender } from './webhooks.ts'

export interface Background {
  stop(): Promise<void>
}

interface Job {
  every: number
  run(service: Service, context: JobContext): Promise<void>
}

const jobs = (): readonly Job[] => [
  { every: 60_000, run: ({ store, now }, { stopping }) => sweep(store, now(), () => stopping.aborted) },
  // Often, and cheap: it is how a process learns of a key that another one added, long before that key signs.
  { every: 60_000, run: ({ keys, settings }) => keys.rotateIfDue(settings.keyRotation) },
  // What a process of the version before recorded, as long as one runs beside this one.
  { every: 60_000, run: ({ store }) => chainEarlier(store) },
  { every: 5000, run: putBackWatch() },
  { every: 1000, run: sendLogoutNotices },
  { every: 500, run: webhookSender() },
  { every: 1000, run: shareLimits },
]

/** Starts the jobs; `stop` waits for those under way. */
export function startBackground(service: Service, report: (failure: unknown) => void): Background {
  const running = new Set<Promise<void>>()
  const stopping = new AbortController()
  // All that is under way listens, which Node takes for a leak from the eleventh on.
  setMaxListeners(0, stopping.signal)
  const goesOn = (work: Promise<void>) => {
    running.add(work)
    void work.finally(() => running.delete(work))
  }
  const timers = jobs().map((job) => {
    let busy = false
    const timer = setInterval(() => {
      if (busy) return
      busy = true
      const run = job
        .run(service, { stopping: stopping.signal, report, goesOn })
        .catch(report)
        .finally(() => {
          busy = false
        })
      goesOn(run)
    }, job.every)
    return timer.unref()
  })
  return {
    async stop() {
      stopping.abort()
      for (const timer of timers) clearInterval(timer)
      // What a job began last is waited for as well.
      while (running.size > 0) await Promise.all(running)
    },
  }
}

async function shareLimits({ limits }: Service): Promise<void> {
  const shares = await Promise.allSettled(Object.values(limits).map((limit) => limit.share()))
  for (const share of shares) if (share.status === 'rejected') throw share.reason
}
