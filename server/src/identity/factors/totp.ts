import { HOTP, Secret, TOTP } from 'otpauth'
import type { TotpSecret } from '../../protocol/totp-secret.ts'

/** Steps before and after the present one whose codes count (RFC 6238 §5.2). */
const drift = 1
/** Steps within which a code of an enrolment shows that a clock is wrong. */
const wrongClock = 10

/** What a typed code is: of the step that it belongs to, of one too far away, or wrong. */
export type TotpMatch = { step: number } | 'clock' | undefined

/** The code without the spaces that apps show in it; undefined: it can't be one. */
export function totpCodeOf(typed: string): string | undefined {
  const code = typed.replaceAll(/\s/g, '')
  return /^[0-9]{6,8}$/.test(code) ? code : undefined
}

/**
 * What a code is at this moment. Whether its step was accepted before is for the statement that accepts it, which
 * moves on to the step of this code.
 */
export function matchTotp(code: string, kept: TotpSecret, now: number): TotpMatch {
  const { algorithm, digits, period } = kept
  const counter = TOTP.counter({ period, timestamp: now })
  const secret = Secret.fromBase32(kept.secret)
  const deltaWithin = (window: number) =>
    HOTP.validate({ token: code, secret, algorithm, digits, counter, window })
  const near = deltaWithin(drift)
  if (near !== null) return { step: counter + near }
  return deltaWithin(wrongClock) === null ? undefined : 'clock'
}

/** What an app reads as a QR code. A colon would end the name of the issuer. */
export function totpAddress(kept: TotpSecret, { issuer, label }: { issuer: string; label: string }): string {
  const named = { issuer: issuer.replaceAll(':', ' ').trim(), label: label.replaceAll(':', ' ') }
  return new TOTP({ ...kept, ...named }).toString()
}
