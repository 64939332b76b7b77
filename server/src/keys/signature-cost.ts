import { sign, verify } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { SigningKey } from './signing-key.ts'

/** What one operation of an RSA key takes at the least, µs. */
export interface SignatureCost {
  signature: number
  /** The time of a verification by the same library, as a measure of how fast the machine is. */
  verification: number
}

/**
 * A signature takes as long as twelve verifications on a processor with these instructions, and as long as 25
 * without them: measured with OpenSSL 3.0 and 3.5, on a busy machine too.
 */
const instructions = 'avx512ifma'
export const expected = 12
const most = 18

/** Measured in a few milliseconds: in turn, and the cheapest of each, because others on the machine make some dearer. */
export function signatureCost({ privateKey, publicKey }: SigningKey): SignatureCost {
  const data = Buffer.alloc(600, 'a')
  const signed = sign('sha256', data, privateKey)
  const cost: SignatureCost = { signature: Infinity, verification: Infinity }
  for (let round = 0; round < 12; round++) {
    cost.signature = Math.min(
      cost.signature,
      timed(() => sign('sha256', data, privateKey)),
    )
    for (let more = 0; more < 4; more++)
      cost.verification = Math.min(
        cost.verification,
        timed(() => verify('sha256', data, publicKey, signed)),
      )
  }
  return cost
}

/** µs. */
function timed(work: () => unknown): number {
  const began = performance.now()
  work()
  return (performance.now() - began) * 1000
}

/**
 * How many times dearer than it should be on this processor; undefined when it is not, or nobody can say: without those
 * instructions there is nothing that OpenSSL may have missed.
 */
export function timesTooDear(
  { signature, verification }: SignatureCost,
  processor: string,
): number | undefined {
  const ratio = signature / verification
  return processor.includes(instructions) && ratio > most ? ratio / expected : undefined
}

/** What the system says of it; nothing on others than Linux. */
export function processorFlags(): string {
  try {
    return /^flags\s*:(.*)$/m.exec(readFileSync('/proc/cpuinfo', 'utf8'))?.[1] ?? ''
  } catch {
    return ''
  }
}
