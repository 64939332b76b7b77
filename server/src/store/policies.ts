import { type Policy, policyOf } from '../protocol/policy.ts'
import type { Reading } from './in-transaction.ts'

/** The policy of the installation, from memory as long as nothing changed. */
export async function installationPolicy(store: Reading): Promise<Policy> {
  return await store.cache.get('installation policy', async () => {
    const row = await store.db
      .selectFrom('installation')
      .select('kept')
      .where('name', '=', 'policy')
      .executeTakeFirstOrThrow()
    return policyOf(row.kept) ?? {}
  })
}

/** The role and the organisation that a profile names. */
export interface RolePlace {
  role_code: string
  organisation_uuid?: string | null | undefined
}

/** The places of everything that a person holds, also of what is disabled or over. */
export const placesOf = async ({ db }: Pick<Reading, 'db'>, user_uuid: string): Promise<RolePlace[]> =>
  await db
    .selectFrom('profiles')
    .select(['role_code', 'organisation_uuid'])
    .where('user_uuid', '=', user_uuid)
    .execute()

/** The policies of the roles and organisations of these. */
export async function policiesOf(
  { db }: Pick<Reading, 'db'>,
  places: readonly RolePlace[],
): Promise<Policy[]> {
  if (places.length === 0) return []
  const roles = [...new Set(places.map((one) => one.role_code))]
  const organisations = [...new Set(places.flatMap((one) => one.organisation_uuid ?? []))]
  const rows = [
    ...(await db.selectFrom('roles').select('policy').where('code', 'in', roles).execute()),
    ...(organisations.length === 0
      ? []
      : await db.selectFrom('organisations').select('policy').where('uuid', 'in', organisations).execute()),
  ]
  return rows.flatMap(({ policy }) => policyOf(policy) ?? [])
}

/** The policy of an organisation, where it sets one. */
export async function organisationPolicies({ db }: Pick<Reading, 'db'>, uuid: string): Promise<Policy[]> {
  const row = await db
    .selectFrom('organisations')
    .select('policy')
    .where('uuid', '=', uuid)
    .executeTakeFirst()
  const policy = policyOf(row?.policy ?? null)
  return policy === undefined ? [] : [policy]
}
