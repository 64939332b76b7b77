/** What is demanded of a new password, by who gets it. */
import { strictest } from '../protocol/policy.ts'
import type { Reading } from '../store/in-transaction.ts'
import { brandingFor } from '../store/brandings.ts'
import { installationPolicy, type Place, placesOf, policiesOf } from '../store/policies.ts'
import type { PasswordFor } from './password-rules.ts'

/** A person as rows have them. */
interface Named {
  email: string
  name: string
  given_name?: string | null
  family_name?: string | null
  preferred_username?: string | null
}

/** For `passwordFault`, of somebody with these profiles: a password is for all of them, so the longest counts. */
export async function passwordFor(
  store: Reading,
  { email, name, given_name, family_name, preferred_username }: Named,
  profiles: readonly Place[],
): Promise<Required<PasswordFor>> {
  const policies = [await installationPolicy(store), ...(await policiesOf(store, profiles))]
  const places = new Set([undefined, ...profiles.map((one) => one.organisation_uuid ?? undefined)])
  const brands = await Promise.all([...places].map((uuid) => brandingFor(store, uuid)))
  const names = [email, name, given_name, family_name, preferred_username, ...brands.map((one) => one.name)]
  return { names, least: strictest(policies).passwordLength }
}

/** The same of a user that is there. */
export const passwordForUser = async (
  store: Reading,
  user: Named & { uuid: string },
): Promise<Required<PasswordFor>> => await passwordFor(store, user, await placesOf(store, user.uuid))
