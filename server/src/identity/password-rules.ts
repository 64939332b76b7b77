import { createRequire } from 'node:module'
import { isOwnWord } from '../protocol/own-word.ts'
import { passwordLength, type PasswordTextFault, passwordTextFault } from '../protocol/password-text.ts'

export type PasswordFault = PasswordTextFault | 'too_common'

/** What is known of the person who gets a new password: see `passwordFor`. */
export interface PasswordFor {
  /** What they and their account are called: names and addresses. */
  names: readonly string[]
  /** Characters that policy demands. */
  least: number
}

/** The demands on a password that is checked before its person is known. */
export const forAnybody: PasswordFor = { names: [], least: passwordLength.least }

/** What is wrong with a new password, or undefined (decisions 7; NIST SP 800-63B §5.1.1.2). */
export function passwordFault(password: string, { names, least }: PasswordFor): PasswordFault | undefined {
  const fault = passwordTextFault(password, least)
  if (fault !== undefined) return fault
  return commonPasswords().has(commonForm(password)) || isOwnWord(password, names) ? 'too_common' : undefined
}

/** The fault as a sentence. */
export function passwordProblem(password: string, known: PasswordFor): string | undefined {
  const fault = passwordFault(password, known)
  if (fault === 'too_short') return `It needs at least ${known.least} characters.`
  return fault === undefined ? undefined : sentences[fault]
}

const sentences: Record<Exclude<PasswordFault, 'too_short'>, string> = {
  too_long: `It takes at most ${passwordLength.most} characters.`,
  untypable: 'It holds a character that nobody can type.',
  too_common:
    'It is one of the passwords that are guessed first. Take several words, or what a password manager makes.',
}

/** Capitals and spaces around it do not make a common password uncommon. */
const commonForm = (password: string) => password.normalize('NFKC').trim().toLowerCase()

let common: ReadonlySet<string> | undefined

/** 18,000 passwords, read when first needed: that takes 40 ms and 4 MiB, and most processes never do. */
function commonPasswords(): ReadonlySet<string> {
  if (common === undefined) {
    const require = createRequire(import.meta.url)
    const { dictionary } = require('@zxcvbn-ts/language-common') as {
      dictionary: { 'passwords-common': readonly string[] }
    }
    common = new Set(
      dictionary['passwords-common'].filter(({ length }) => length >= passwordLength.least).map(commonForm),
    )
  }
  return common
}
