import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** Collects garbage every 100 ms until it is ended: what only a weak reference holds is gone at once. */
export function collectGarbage(): { end(): void } {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const timer = setInterval(collect, 100)
  return { end: () => clearInterval(timer) }
}
