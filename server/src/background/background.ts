/**
 * `background/` owns what runs by itself, as a list of jobs. Each may run in several processes at once; its failure is
 * logged and tried again. It never answers a request, and a failure never ends the process.
 */
import { setMaxListeners } from 'node:events'
import { keyTimes } from '../keys/key-times.ts'
import { countRecords } from '../audit/counting.ts'
import { closeMonth } from '../audit/months.ts'
import type { Service } from '../service.ts'
import { endGoneDocuments } from '../store/client-documents.ts'
import { sweepInTurn } from '../store/sweep.ts'
import { forgetWeakHashes } from '../store/weak-hashes.ts'
import type { JobContext } from '../job.ts'
import { removeLeavers } from './deletions.ts'
import { linkRecords } from './link-records.ts'
import { pictureFetcher } from './pictures.ts'
import { sendLogoutNotices } from './logout-notices.ts'
import { mailSender } from '../mail/deliver.ts'
import { eraseDeadMails } from '../mail/outbox.ts'
import { documentReader, domainLooker, lookAtDirectories } from './upstream-look.ts'
import { watchForLoss } from './database-loss.ts'
import { webhookSender } from '../webhooks/deliver.ts'

export interface Background {
  stop(): Promise<void>
}

interface Job {
  every: number
  /** Tells when it has something to do before its time. */
  wakes?(service: Service, wake: () => void): void
  run(service: Service, context: JobContext): Promise<void>
}

const jobs = (): readonly Job[] => [
  { every: 60_000, run: ({ store, now }, { stopping }) => sweepInTurn(store, now, () => stopping.aborted) },
  // How a process learns of keys that another one added or removed.
  { every: keyTimes.look, run: ({ keys }) => keys.reload() },
  { every: 60_000, run: ({ keys, settings }) => keys.rotateIfDue(settings.keyRotation) },
  // Every second for records of processes that are gone; its own it links at once.
  { every: 1000, wakes: ({ store }, wake) => store.onRecorded(wake), run: linkRecords },
  { every: 60_000, run: ({ store, now }) => closeMonth(store, now()) },
  { every: 10_000, run: ({ store }, { stopping }) => countRecords(store, () => stopping.aborted) },
  { every: 500, run: watchForLoss() },
  { every: 1000, run: sendLogoutNotices },
  { every: 500, run: webhookSender() },
  { every: 500, run: mailSender() },
  { every: 60_000, run: ({ store, now }) => eraseDeadMails(store, now()) },
  {
    every: 60_000,
    run: ({ store, now }, { stopping }) => forgetWeakHashes(store, now(), () => stopping.aborted),
  },
  { every: 60_000, run: ({ store, now }) => endGoneDocuments(store, now()) },
  { every: 2000, run: pictureFetcher() },
  { every: 60_000, run: removeLeavers },
  { every: 60_000, run: lookAtDirectories },
  { every: 60_000, run: domainLooker() },
  { every: 60_000, run: documentReader() },
  { every: 1000, run: shareLimits },
  { every: 500, run: ({ unanswered }) => unanswered.note() },
]

/** Starts the jobs; `stop` waits for those that run. */
export function startBackground(service: Service, report: (failure: unknown) => void): Background {
  const running = new Set<Promise<void>>()
  const stopping = new AbortController()
  // Many listen at once, which Node would report as a leak from the eleventh on.
  setMaxListeners(0, stopping.signal)
  const goesOn = (work: Promise<void>) => {
    running.add(work)
    void work.finally(() => running.delete(work))
  }
  const timers = jobs().map((job) => {
    let busy = false
    let woken = false
    const begin = () => {
      if (busy || stopping.signal.aborted) return
      busy = true
      woken = false
      const run = job
        .run(service, { stopping: stopping.signal, report, goesOn })
        .catch((error: unknown) => {
          service.unanswered.heard(error)
          report(error)
        })
        .finally(() => {
          busy = false
          if (woken) begin()
        })
      goesOn(run)
    }
    job.wakes?.(service, () => {
      woken = true
      begin()
    })
    return setInterval(begin, job.every).unref()
  })
  return {
    async stop() {
      stopping.abort()
      for (const timer of timers) clearInterval(timer)
      // A job may start more work while it ends.
      while (running.size > 0) await Promise.all(running)
    },
  }
}

async function shareLimits({ limits }: Service): Promise<void> {
  const shares = await Promise.allSettled(Object.values(limits).map((limit) => limit.share()))
  for (const share of shares) if (share.status === 'rejected') throw share.reason
}
