import { createRequire } from 'node:module'

/**
 * What is wrong with a password that somebody wants, or undefined (decisions 7; NIST SP 800-63B §5.1.1.2): 8 to 128
 * characters as people count them, that somebody can type, and none of the most common ones.
 */
export function passwordProblem(password: string): string | undefined {
  const { length } = [...password]
  if (length < 8) return 'It has at least 8 characters.'
  if (length > 128) return 'It has at most 128 characters.'
  if (/\0|\p{Cs}/u.test(password)) return 'It holds a character that nobody can type.'
  if (commonPasswords().has(commonForm(password))) {
    return 'It is one of the passwords that are guessed first. Take several words, or what a password manager makes.'
  }
  return undefined
}

/** Neither capitals nor spaces around it make a common password an uncommon one. */
const commonForm = (password: string) => password.normalize('NFKC').trim().toLowerCase()

let common: ReadonlySet<string> | undefined

/** 18,000 of them. Read when first asked for, because most processes never are: that takes 40 ms and 4 MiB. */
function commonPasswords(): ReadonlySet<string> {
  if (common === undefined) {
    const require = createRequire(import.meta.url)
    const { dictionary } = require('@zxcvbn-ts/language-common') as {
      dictionary: { 'passwords-common': readonly string[] }
    }
    common = new Set(dictionary['passwords-common'].filter(({ length }) => length >= 8).map(commonForm))
  }
  return common
}
