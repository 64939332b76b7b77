import { useEffect } from 'react'

/** An attempt that is under way is due again some minutes later, should its process end. */
const soonest = 5 * 60_000

/** Looks again while something is on its way: it usually arrives at once. */
export function useUnderWay(rows: readonly { next_at: string | null }[], refetch: () => unknown): void {
  const soon = rows.some(({ next_at: at }) => at !== null && Date.parse(at) < Date.now() + soonest)
  useEffect(() => {
    const timer = soon ? setInterval(() => void refetch(), 2000) : undefined
    return () => clearInterval(timer)
  }, [soon, refetch])
}
