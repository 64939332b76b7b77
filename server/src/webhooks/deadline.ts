import { setMaxListeners } from 'node:events'

/**
 * Aborts the work's signal after `timeout` ms, or when the process stops. The timer keeps the signal alive: one of
 * `AbortSignal.any` over `AbortSignal.timeout` may be garbage collected and never abort (nodejs/node#57736).
 */
export async function withDeadline<T>(
  timeout: number,
  stopping: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const deadline = new AbortController()
  // Many listen at once, which Node would report as a leak from the eleventh on.
  setMaxListeners(0, deadline.signal)
  const end = () => deadline.abort()
  const timer = setTimeout(end, timeout)
  if (stopping.aborted) end()
  stopping.addEventListener('abort', end)
  try {
    return await work(deadline.signal)
  } finally {
    clearTimeout(timer)
    stopping.removeEventListener('abort', end)
  }
}
