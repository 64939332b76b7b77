/** Words that a person is called by: they are guessed before the most common passwords (ASVS 5.0 6.2.11). */

/** What people are called by, each as its column has it. */
const callings = ['email', 'name', 'given_name', 'family_name', 'preferred_username'] as const

/** Somebody whose password is to be no word of their own. None may be forgotten, so none is optional. */
export type Called = Readonly<Record<(typeof callings)[number], string | null | undefined>>

/** The other names of somebody who gave a name and an address alone. */
export const noOtherNames = { given_name: null, family_name: null, preferred_username: null }

/** What somebody is called by. */
export const callingsOf = (person: Called): string[] => callings.flatMap((field) => person[field] ?? [])

const brand = 'Tessera'

/** Whether a password is, but for digits and signs around it, one of these names or addresses, a word of one, or the brand's. */
export function isOwnWord(password: string, names: readonly string[]): boolean {
  const own = [...names, brand].flatMap((name) => [
    name,
    ...name.split('@'),
    ...name.split(/[\s@.]+/),
    ...name.split(/[^\p{L}\p{N}]+/u),
  ])
  const core = coreOf(password)
  return core !== '' && own.some((one) => coreOf(one) === core)
}

/** Its letters, with what stands among them that is no sign or space: `Mara.Lind_1987!` is `maralind`. */
const coreOf = (text: string) =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/^[^\p{L}]+|[^\p{L}]+$/gu, '')
    .replace(/[^\p{L}\p{N}]+/gu, '')
