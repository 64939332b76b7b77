import { generateKeyPairSync, sign } from 'node:crypto'

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const input = Buffer.alloc(600, 'a')

/** RSA-2048 signatures a second on one core: the limit that nothing signed can pass. */
export function signaturesPerSecond(): number {
  const until = performance.now() + 1000
  let count = 0
  while (performance.now() < until) {
    sign('sha256', input, privateKey)
    count++
  }
  return count
}

/** What one signature costs just now: µs of CPU, which others on the machine lengthen less than time. */
export function signatureCost(milliseconds = 200): number {
  const until = performance.now() + milliseconds
  const before = process.cpuUsage()
  let count = 0
  while (performance.now() < until) {
    for (let more = 0; more < 20; more++) sign('sha256', input, privateKey)
    count += 20
  }
  const { user, system } = process.cpuUsage(before)
  return (user + system) / count
}
