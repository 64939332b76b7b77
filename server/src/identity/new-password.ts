/** What is demanded of a new password, by the person who gets it. */
import { type Called, callingsOf, noOtherNames } from '../protocol/own-word.ts'
import { strictest } from '../protocol/policy.ts'
import type { Reading } from '../store/in-transaction.ts'
import { brandingFor } from '../store/brandings.ts'
import { installationPolicy, type RolePlace, placesOf, policiesOf } from '../store/policies.ts'
import type { Parameters } from '../protocol/parameters.ts'
import { type PasswordFault, passwordFault, type PasswordFor } from './password-rules.ts'

/** The demands on a password of a person with these profiles. It is for all of them: the longest counts. */
export async function passwordFor(
  store: Reading,
  person: Called,
  profiles: readonly RolePlace[],
): Promise<PasswordFor> {
  const policies = [await installationPolicy(store), ...(await policiesOf(store, profiles))]
  const places = new Set([undefined, ...profiles.map((one) => one.organisation_uuid ?? undefined)])
  const brands = await Promise.all([...places].map((uuid) => brandingFor(store, uuid)))
  const names = [...callingsOf(person), ...brands.flatMap((one) => one.name ?? [])]
  return { names, least: strictest(policies).passwordLength }
}

/** The demands for a newcomer, who makes an account with a name and an address alone. */
export const passwordForNewcomer = async (
  store: Reading,
  { email, name }: { email: string; name: string },
  profiles: readonly RolePlace[],
): Promise<PasswordFor> => await passwordFor(store, { ...noOtherNames, email, name }, profiles)

/** The demands for a user, with the profiles that they have and those that come along. */
export const passwordForUser = async (
  store: Reading,
  user: Called & { uuid: string },
  coming: readonly RolePlace[] = [],
): Promise<PasswordFor> => await passwordFor(store, user, [...(await placesOf(store, user.uuid)), ...coming])

/** What is wrong with a new password of a form, typed twice: in the field `name`, and in it with `_again`. */
export function newPasswordFault(
  form: Parameters,
  known: PasswordFor,
  name = 'password',
): PasswordFault | 'missing' | 'differs' | undefined {
  const password = form.optional(name)
  if (password === undefined) return 'missing'
  return (
    passwordFault(password, known) ?? (password === form.optional(`${name}_again`) ? undefined : 'differs')
  )
}
