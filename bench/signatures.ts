import { generateKeyPairSync, sign, verify } from 'node:crypto'
import { expected, processorFlags, timesTooDear } from '../server/dist/keys/signature-cost.js'

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const input = Buffer.alloc(600, 'a')

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

/** Which implementation signs, and whether it does so as it should: every figure of the bench hangs on it. */
export function signedBy(): string {
  const { node, openssl } = process.versions
  const cap = process.env.OPENSSL_ia32cap
  const signed = sign('sha256', input, privateKey)
  const cheapest = (work: () => unknown) => Math.min(...Array.from({ length: 200 }, () => timed(work)))
  const cost = {
    signature: cheapest(() => sign('sha256', input, privateKey)),
    verification: cheapest(() => verify('sha256', input, publicKey, signed)),
  }
  const times = timesTooDear(cost, processorFlags())
  const verdict =
    times === undefined
      ? ''
      : `, where ${expected} are usual on this processor: **${times.toFixed(1)} times too dear**`
  return `OpenSSL ${openssl} of Node.js ${node}, OPENSSL_ia32cap ${cap === undefined ? 'not set' : `set to "${cap}"`}; one takes as long as ${(cost.signature / cost.verification).toFixed(1)} verifications${verdict}`
}

function timed(work: () => unknown): number {
  const began = performance.now()
  work()
  return performance.now() - began
}
