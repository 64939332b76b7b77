import { randomInt } from 'node:crypto'

/** Consonants alone: no code is a word, and no letter looks like a digit (RFC 8628 §6.1). */
const letters = 'BCDFGHJKLMNPQRSTVWXZ'
const half = 4

/** A new user code: 20^8 of them, which is 34 bits. It lives for ten minutes, and guesses are throttled. */
export const newUserCode = (): string =>
  Array.from({ length: 2 * half }, () => letters[randomInt(letters.length)]).join('')

/** The user code that was typed, without regard to case, hyphens and spaces; undefined: it can't be one. */
export function userCodeOf(typed: string): string | undefined {
  const code = typed.toUpperCase().replaceAll(/[\s\p{Dash}]/gu, '')
  return new RegExp(`^[${letters}]{${2 * half}}$`).test(code) ? code : undefined
}

/** The form that people read: `BCDF-GHJK`. */
export const shownUserCode = (code: string): string => `${code.slice(0, half)}-${code.slice(half)}`
