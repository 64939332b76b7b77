import { afterAll, beforeAll } from 'vitest'

type Timer = (work: (...given: unknown[]) => void, milliseconds?: number, ...given: unknown[]) => unknown

/**
 * For the tests of a file: a timer of so many ms fires after so few, in the tests and in the services that they start.
 * For what the service does every second or gives up after ten. Call it outside of every describe block.
 */
export function shortenTimers(shorter: Readonly<Record<number, number>>): void {
  const { setTimeout, setInterval } = globalThis
  const shortened = (timer: Timer): Timer =>
    Object.assign<Timer, Timer>(
      (work, milliseconds = 0, ...given) => timer(work, shorter[milliseconds] ?? milliseconds, ...given),
      timer,
    )
  beforeAll(() => {
    Object.assign(globalThis, {
      setTimeout: shortened(setTimeout as Timer),
      setInterval: shortened(setInterval as Timer),
    })
  })
  afterAll(() => void Object.assign(globalThis, { setTimeout, setInterval }))
}
