import { useEffect } from 'react'

/** Looks again while something is due within the next seconds: what is on its way usually arrives at once. */
export function useUnderWay(rows: readonly { next_at: string | null }[], refetch: () => unknown): void {
  const soon = rows.some(({ next_at: at }) => at !== null && Date.parse(at) < Date.now() + 5000)
  useEffect(() => {
    const timer = soon ? setInterval(() => void refetch(), 2000) : undefined
    return () => clearInterval(timer)
  }, [soon, refetch])
}
