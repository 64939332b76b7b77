import { randomInt } from 'node:crypto'
import type { PasswordHasher } from '../passwords.ts'

/** Crockford's base32: no I, L, O, U. */
const letters = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
/** Characters of 5 bits each: 80 bits in all. */
const length = 16
const recoveryCodeCount = 10

/** A recovery code: which of the person's it is, and what is hashed. */
export interface RecoveryCode {
  number: number
  code: string
}

export const newRecoveryCodes = (): RecoveryCode[] =>
  Array.from({ length: recoveryCodeCount }, (_, index) => ({
    number: index + 1,
    code: Array.from({ length }, () => letters[randomInt(letters.length)]).join(''),
  }))

/** The form that people read: `7-K3QF-9XWM-2TRB-HDN4`. */
export const shownRecoveryCode = ({ number, code }: RecoveryCode): string =>
  `${number}-${code.replaceAll(/(.{4})(?!$)/g, '$1-')}`

/** What was typed, without regard to case, separators and letters that look like digits; undefined: it is none. */
export function recoveryCodeOf(typed: string): RecoveryCode | undefined {
  const text = typed
    .toUpperCase()
    .replaceAll(/[\s\p{Dash}.]/gu, '')
    .replaceAll('O', '0')
    .replaceAll(/[IL]/g, '1')
  const parts = new RegExp(`^(10|[1-9])([${letters}]{${length}})$`).exec(text)
  return parts === null ? undefined : { number: Number(parts[1]), code: parts[2] ?? '' }
}

/** The hashes of codes, one after the other: the queue of password checks has room for more than one person. */
export async function hashRecoveryCodes(
  passwords: PasswordHasher,
  codes: readonly RecoveryCode[],
): Promise<{ number: number; hash: string }[]> {
  const hashes: { number: number; hash: string }[] = []
  for (const { number, code } of codes) hashes.push({ number, hash: await passwords.hash(code) })
  return hashes
}
