import { setMaxListeners } from 'node:events'

/**
 * Does work that is told to end after `timeout` ms, or when the process stops. Its timer holds the signal: one made by
 * `AbortSignal.any` of `AbortSignal.timeout` is never aborted once the garbage collector came by (nodejs/node#57736).
 */
export async function withDeadline<T>(
  timeout: number,
  stopping: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const deadline = new AbortController()
  // As many as are told of it, which Node takes for a leak from the eleventh on.
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
