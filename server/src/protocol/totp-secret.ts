import { randomBytes } from 'node:crypto'

/** What an authenticator app and this service share (RFC 6238). */
export interface TotpSecret {
  /** Base32 without padding. */
  secret: string
  algorithm: TotpAlgorithm
  digits: number
  /** Seconds of a step. */
  period: number
}

const algorithms = ['SHA1', 'SHA256', 'SHA512'] as const
type TotpAlgorithm = (typeof algorithms)[number]

/** Other values break authenticator apps. */
const usual = { algorithm: 'SHA1', digits: 6, period: 30 } as const

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'
/** Base32 characters: 80 bits. */
const least = 16
const most = 160

/** A new secret of 160 bits (RFC 4226 §4, R6). */
export function newTotpSecret(): TotpSecret {
  // 32 letters, so each byte yields five even bits.
  const secret = Array.from(randomBytes(32), (byte) => letters[byte % 32]).join('')
  return { secret, ...usual }
}

/** A secret of another system, as base32 or as an `otpauth:` address; or what is wrong, without quoting it. */
export function readTotpSecret(text: string): TotpSecret | { problem: string } {
  const found = /^otpauth:/i.test(text) ? ofAddress(text) : { secret: text, ...usual }
  if ('problem' in found) return found
  const secret = found.secret.toUpperCase().replaceAll(/[\s-]/g, '').replace(/=+$/, '')
  if (!/^[A-Z2-7]+$/.test(secret)) return { problem: 'is neither base32 nor an otpauth: address' }
  if (secret.length < least) return { problem: 'has less than 80 bits' }
  if (secret.length > most) return { problem: `has more than ${most} characters` }
  return { ...found, secret }
}

function ofAddress(text: string): TotpSecret | { problem: string } {
  const address = URL.canParse(text) ? new URL(text) : undefined
  if (address?.host !== 'totp') return { problem: 'is no otpauth://totp address' }
  const { searchParams } = address
  const named = searchParams.get('algorithm')?.toUpperCase().replace('-', '') ?? usual.algorithm
  const algorithm = algorithms.find((one) => one === named)
  const digits = numberIn(searchParams.get('digits'), usual.digits)
  const period = numberIn(searchParams.get('period'), usual.period)
  if (algorithm === undefined) return { problem: 'has an algorithm other than SHA1, SHA256 and SHA512' }
  if (!(digits >= 6 && digits <= 8)) return { problem: 'has other than 6 to 8 digits' }
  if (!(period >= 15 && period <= 60)) return { problem: 'has a period other than 15 to 60 seconds' }
  return { secret: searchParams.get('secret') ?? '', algorithm, digits, period }
}

const numberIn = (text: string | null, otherwise: number): number =>
  text === null ? otherwise : /^[0-9]{1,3}$/.test(text) ? Number(text) : Number.NaN
