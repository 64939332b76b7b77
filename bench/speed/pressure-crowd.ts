/** A process of its own in which people sign in again and again, until it is told to end. */
import { once } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import type { Crowd } from './pressure.ts'
import { Seeded } from './seeded.ts'
import { Visitor } from './visitor.ts'

const [, , port = '0', people = '0', seed = '0'] = process.argv
const random = new Seeded(Number(seed))
const counted: Crowd = { signedIn: 0, refused: 0 }
let told = false
let ending = false

const running = Promise.all(Array.from({ length: Number(people) }, signInAgainAndAgain))
await once(process, 'message')
Object.assign(counted, { signedIn: 0, refused: 0 } satisfies Crowd)
await once(process, 'message')
const result = { ...counted }
ending = true
await running
process.send?.(result)
process.disconnect()

async function signInAgainAndAgain(): Promise<void> {
  const visitor = new Visitor(Number(port), random)
  while (!ending) {
    if ((await visitor.signIn()) !== undefined) {
      counted.signedIn++
    } else {
      counted.refused++
      if (!told) process.send?.('the bound is reached')
      told = true
      await wait(1000)
    }
  }
  visitor.close()
}
