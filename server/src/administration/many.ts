/** Many of one kind in one request, one after the other: each is a change of its own, by the verb that does it to one. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import * as z from 'zod'
import type { Store } from '../database/store.ts'
import { ProtocolError } from '../protocol/errors.ts'
import type { By } from './by.ts'
import { NoLonger } from './change.ts'
import { newTrial, storeWithin, undone } from './effect.ts'
import { failedLine } from './lines.ts'
import type { RouteRequest } from './route.ts'

/** How many lie between two lines that tell how far it is; then it is asked whether the token still counts. */
const step = 20

/** The lines of such a work: its counts, and what names the one that was refused. */
export const manyLines = <C extends z.ZodRawShape, N extends z.ZodRawShape>(counts: C, named: N) =>
  z.union([
    z.object({ kind: z.literal('progress'), ...counts }),
    z.object({
      kind: z.literal('refused'),
      ...named,
      code: z.string().describe('As of a request about this one alone.'),
      detail: z.string(),
    }),
    z.object({
      kind: z.literal('done'),
      ...counts,
      dry_run: z.boolean(),
      sign_in_again: z
        .boolean()
        .describe('Of a dry run: whether it would be refused until the person has signed in again.'),
    }),
    failedLine,
  ])

/** How many were looked at so far, and what came of them. */
interface Counts {
  all: number
  changed: number
  already: number
  refused: number
}

interface Many<T, C, N> {
  of: Iterable<T> | AsyncIterable<T>
  /** False: it is so already, and nothing was changed. Throws as the verb does. */
  change(store: Store, by: By, one: T): Promise<boolean>
  /** The counts by the names that the lines have. */
  counted(counts: Counts): C
  /** What names one that was refused. */
  named(one: T): N
  dryRun: boolean
  signInAgain: boolean
}

/** What is refused of one is told, and the others go on. A dry run tries each as if no other were changed. */
export async function* eachAlone<T, C extends object, N extends object>(
  asked: Pick<RouteRequest, 'service' | 'by' | 'closed'>,
  { of, change, counted, named, dryRun, signInAgain }: Many<T, C, N>,
) {
  const counts = { all: 0, changed: 0, already: 0, refused: 0 }
  for await (const one of of) {
    if (asked.closed.aborted) return
    const done = await outcomeOf(asked, async (store, by) => await change(store, by, one), dryRun)
    counts.all++
    counts[done instanceof ProtocolError ? 'refused' : done]++
    if (done instanceof ProtocolError)
      yield { kind: 'refused' as const, ...named(one), code: done.code, detail: done.description }
    if (counts.all % step === 0) yield { kind: 'progress' as const, ...counted(counts) }
    // An embedded database answers at once, and others would wait.
    await nextTurn()
  }
  yield { kind: 'done' as const, ...counted(counts), dry_run: dryRun, sign_in_again: signInAgain }
}

/** What came of one. Throws what is not about this one: who asks may do it no more, or the database fails. */
async function outcomeOf(
  { service: { store }, by }: Pick<RouteRequest, 'service' | 'by'>,
  change: (store: Store, by: By) => Promise<boolean>,
  dryRun: boolean,
): Promise<'changed' | 'already' | ProtocolError> {
  const tried = async () => {
    const trying = { ...by, tried: newTrial() }
    return await undone(store, async (trx) => await change(storeWithin(store, trx), trying))
  }
  try {
    return (await (dryRun ? tried() : change(store, by))) ? 'changed' : 'already'
  } catch (error) {
    if (error instanceof ProtocolError && error.status < 500 && !(error instanceof NoLonger)) return error
    throw error
  }
}
