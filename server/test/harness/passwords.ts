import { getEnvironmentData } from 'node:worker_threads'
import { afterAll, beforeAll } from 'vitest'

/** For the tests of a file that are about what a password costs: each is hashed and checked, as it is in the product. */
export function keepPasswordsDear(): void {
  // Made by test-process.cjs.
  const dear = getEnvironmentData('passwords are dear')
  if (!(dear instanceof Uint8Array)) throw new Error('Passwords cost here what they cost anyway.')
  beforeAll(() => void dear.fill(1))
  afterAll(() => void dear.fill(0))
}
