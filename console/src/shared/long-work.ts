import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { Refusal } from '../api/client.ts'
import { beginWork, type Line, type LongWork } from '../api/lines.ts'

/** The lines that say how far it is. */
export type Told<L extends Line> = Exclude<L, { kind: 'refused' } | { kind: 'failed' }>
/** The lines that each say what was refused of one. */
export type RefusedOne<L extends Line> = Extract<L, { kind: 'refused' }>

export interface Work<L extends Line> {
  /** `refused`: it was never begun. `broken`: the connection ended, and what was done since the last line is not known. */
  state: 'none' | 'running' | 'done' | 'stopped' | 'failed' | 'broken' | 'refused'
  told: Told<L> | undefined
  refused: readonly RefusedOne<L>[]
  error: unknown
  /** The request ids of every time that it was sent: the audit has what was done under them. */
  requestIds: readonly string[]
}

const none = { state: 'none', told: undefined, refused: [], error: undefined, requestIds: [] } as const

/** A long work and how it goes on. It stops when the component goes. */
export function useWork<L extends Line>() {
  const queries = useQueryClient()
  const [work, setWork] = useState<Work<L>>(none)
  const stopping = useRef(new AbortController())
  useEffect(() => () => stopping.current.abort(), [])

  async function begin(asked: LongWork, requestIds: readonly string[] = []): Promise<void> {
    stopping.current.abort()
    const { signal } = (stopping.current = new AbortController())
    let now: Work<L> = { ...none, requestIds, state: 'running' }
    const tell = (change: Partial<Work<L>>) => {
      now = { ...now, ...change }
      // Nothing is told any more of a work that was begun anew meanwhile.
      if (stopping.current.signal === signal) setWork(now)
    }
    tell({})
    const isTried = asked.query?.['dry_run'] === 'true'
    try {
      const { requestId, lines } = await beginWork<L>(asked, signal)
      // The audit has nothing of a dry run.
      if (requestId !== null && !isTried) tell({ requestIds: [...requestIds, requestId] })
      for await (const some of lines) tell(after(now, some))
      if (now.state === 'running') tell({ state: 'broken' })
    } catch (error) {
      const state = signal.aborted ? 'stopped' : error instanceof Refusal ? 'refused' : 'broken'
      tell({ state, error })
    }
    if (!isTried) await queries.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'try' })
  }

  return {
    ...work,
    begin: (asked: LongWork) => void begin(asked),
    /** Sends the same again: what is done already is told as such. */
    goOn: (asked: LongWork) => void begin(asked, work.requestIds),
    stop: () => stopping.current.abort(),
  }
}

function after<L extends Line>(work: Work<L>, lines: readonly L[]): Partial<Work<L>> {
  const refused = lines.filter((line): line is RefusedOne<L> => line.kind === 'refused')
  const failed = lines.find((line) => line.kind === 'failed')
  const told = lines.findLast((line): line is Told<L> => !['refused', 'failed'].includes(line.kind))
  const kind = failed?.kind ?? told?.kind
  return {
    ...(refused.length > 0 && { refused: [...work.refused, ...refused] }),
    ...(told !== undefined && { told }),
    ...(failed !== undefined && { error: failed }),
    ...((kind === 'done' || kind === 'stopped' || kind === 'failed') && { state: kind }),
  }
}
