/** Changes: tried out first, made once, and told apart from what somebody else changed meanwhile. */
import { skipToken, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useRef } from 'react'
import { type Answer, answered, Refusal } from './client.ts'
import type { components } from './types.d.ts'

export type DryRun = components['schemas']['DryRun']

/** How a request is sent: for a dry run, or in earnest, with a key that makes a POST safe to repeat. */
export interface How {
  query: { dry_run?: 'true' }
  key: string
}

/** One request, as it is tried out and as it is made. */
export type Ask<T> = (how: How) => Promise<Answer<T | DryRun>>

/** Makes it. The key stays while the same thing is asked: who clicks again after a broken connection makes it once. */
export function useChange<I, T>(
  ask: (input: I, how: How) => Promise<Answer<T | DryRun>>,
  done?: (answer: T, input: I) => void,
) {
  const queries = useQueryClient()
  const last = useRef({ input: '', key: '' })
  const change = useMutation({
    mutationFn: async (input: I) => {
      const asked = JSON.stringify(input) ?? ''
      if (last.current.input !== asked || last.current.key === '')
        last.current = { input: asked, key: crypto.randomUUID() }
      // Nothing was asked to be tried out, so it is the thing itself.
      return (await answered(ask(input, { query: {}, key: last.current.key }))) as T
    },
    onSuccess: (answer, input) => {
      last.current.key = ''
      done?.(answer, input)
    },
    onSettled: () => queries.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'try' }),
  })
  return { ...change, isOutdated: isOutdated(change.error) }
}

/** What it would do; not asked for while `ask` is undefined. */
export function useTried<T>(what: readonly unknown[], ask: Ask<T> | undefined) {
  return useQuery({
    queryKey: ['try', ...what],
    retry: false,
    staleTime: 0,
    gcTime: 0,
    // Once the change was sent it may have been made, and would be refused here.
    refetchOnReconnect: false,
    refetchOnWindowFocus: false,
    queryFn:
      ask === undefined
        ? skipToken
        : async () => (await answered(ask({ query: { dry_run: 'true' }, key: '' }))) as DryRun,
  })
}

/** The header that changes a thing of a declared file until that is applied again. */
export const overriding = (file: string | null | undefined) =>
  file ? { 'Tessera-Managed': 'override' as const } : {}

/** The headers of a change of a thing as it was read. */
export const guarded = (tag: string, file?: string | null) => ({ 'If-Match': tag, ...overriding(file) })

/** 412: somebody else changed the thing since it was read. */
export const isOutdated = (error: unknown): boolean => error instanceof Refusal && error.status === 412
