/** A process of its own that signs until told: `in turn` on the main thread, or `in the pool` of libuv. */
import { generateKeyPairSync, sign } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { setTimeout as wait } from 'node:timers/promises'

const [, , how, startAt = '0', milliseconds = '1000'] = process.argv
const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const input = Buffer.alloc(600, 'a')

await wait(Number(startAt) - Date.now())
const before = process.cpuUsage()
const began = performance.now()
const until = began + Number(milliseconds)
let count = 0
if (how === 'in the pool') await Promise.all(Array.from({ length: 4 * availableParallelism() }, inThePool))
else for (; performance.now() < until; count++) sign('sha256', input, privateKey)
const seconds = (performance.now() - began) / 1000
const { user, system } = process.cpuUsage(before)
process.send?.({ perSecond: count / seconds, cpu: (user + system) / count })

async function inThePool(): Promise<void> {
  while (performance.now() < until) {
    await new Promise<void>((resolve, reject) => {
      sign('sha256', input, privateKey, (error) => (error ? reject(error) : resolve()))
    })
    count++
  }
}
