import type { KeyRing } from '../keys/key-ring.ts'
import { expected, processorFlags, timesTooDear } from '../keys/signature-cost.ts'

interface Log {
  debug(fields: object, message: string): void
  warn(fields: object, message: string): void
}

/** Warns when a signature, most of the cost of a token, is far dearer than it should be on this processor. */
export function warnOfDearSignatures(keys: KeyRing, log: Log): void {
  const cost = keys.signatureCost()
  const { node, openssl } = process.versions
  const fields = {
    signature_us: Math.round(cost.signature),
    verification_us: Math.round(cost.verification),
    openssl,
  }
  const times = timesTooDear(cost, processorFlags())
  if (times === undefined) return log.debug(fields, 'measured what an RSA signature costs')
  const cause =
    process.env.OPENSSL_ia32cap === undefined
      ? `this build of Node.js (${node} with OpenSSL ${openssl}) does not use all that the processor has: try another`
      : 'OPENSSL_ia32cap is set, which hides from OpenSSL what the processor has, even when it is empty: unset it'
  log.warn(
    { ...fields, expected_us: Math.round(cost.verification * expected) },
    `an RSA signature costs ${times.toFixed(1)} times what it should on this processor: ${cause} (docs/operations.md)`,
  )
}
