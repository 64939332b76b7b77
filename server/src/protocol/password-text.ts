import { lengthOf } from './length.ts'

/** Decisions 7. */
export const passwordLength = { least: 8, most: 128 } as const

export type PasswordTextFault = 'too_short' | 'too_long' | 'untypable'

/** What is wrong with the text of a new password. */
export function passwordTextFault(
  password: string,
  least: number = passwordLength.least,
): PasswordTextFault | undefined {
  if (/\0|\p{Cs}/u.test(password)) return 'untypable'
  const length = lengthOf(password)
  if (length < least) return 'too_short'
  return length > passwordLength.most ? 'too_long' : undefined
}

/** The same characters typed on different keyboards are the same password (NIST SP 800-63B §5.1.1.2). */
export function normalised(password: string): string {
  return password.normalize('NFKC')
}
