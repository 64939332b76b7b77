import { createRequire } from 'node:module'
import { passwordLength, type PasswordTextFault, passwordTextFault } from '../protocol/password-text.ts'

export type PasswordFault = PasswordTextFault | 'too_common'

/** Who gets a new password, as far as that is known. */
export interface PasswordFor {
  /** What they and their account are called: names and addresses. */
  names?: readonly (string | null | undefined)[]
  /** Characters that policy demands: see `passwordFor`. */
  least?: number
}

/** What is wrong with a new password, or undefined (decisions 7; NIST SP 800-63B §5.1.1.2). */
export function passwordFault(
  password: string,
  { names = [], least }: PasswordFor = {},
): PasswordFault | undefined {
  const fault = passwordTextFault(password, least)
  if (fault !== undefined) return fault
  return commonPasswords().has(commonForm(password)) || isOwnWord(password, names) ? 'too_common' : undefined
}

/** The fault as a sentence. */
export function passwordProblem(password: string, known: PasswordFor = {}): string | undefined {
  const fault = passwordFault(password, known)
  if (fault === 'too_short') return `It needs at least ${known.least ?? passwordLength.least} characters.`
  return fault === undefined ? undefined : sentences[fault]
}

const brand = 'Tessera'

/**
 * Whether it is, but for digits and signs around it, a name, an address, a word of one of these or the brand's
 * (ASVS 5.0 6.2.11): that is guessed before the common ones.
 */
function isOwnWord(password: string, names: NonNullable<PasswordFor['names']>): boolean {
  const own = [...names, brand].flatMap((name) =>
    name === null || name === undefined
      ? []
      : [name, ...name.split('@'), ...name.split(/[\s@.]+/), ...name.split(/[^\p{L}\p{N}]+/u)],
  )
  const core = coreOf(password)
  return core !== '' && own.some((one) => coreOf(one) === core)
}

/** Its letters, with what stands among them that is no sign or space: `Mara.Lind_1987!` is `maralind`. */
const coreOf = (text: string) =>
  commonForm(text)
    .replace(/^[^\p{L}]+|[^\p{L}]+$/gu, '')
    .replace(/[^\p{L}\p{N}]+/gu, '')

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
