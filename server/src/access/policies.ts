/** The policies of all places, and where they come to demand more. */
import { type Kysely, type RawBuilder, sql } from 'kysely'
import { listOf } from '../database/many-rows.ts'
import type { Schema } from '../database/schema.ts'
import { type Level, meets } from '../protocol/authentication.ts'
import { type Demand, policyOf, strictest } from '../protocol/policy.ts'

/** The policies, by the place that sets them. */
export interface Policies {
  installation: readonly { name: string; kept: string }[]
  roles: readonly { code: string; policy: string | null }[]
  organisations: readonly { uuid: string; policy: string | null; break_glass?: string | undefined }[]
  clients: readonly { client_id: string; policy: string | null }[]
}

/** The policies that are set now. */
export async function policiesNow(trx: Kysely<Schema>): Promise<Policies> {
  const isSet = ['policy', 'is not', null] as const
  return {
    installation: await trx.selectFrom('installation').select(['name', 'kept']).execute(),
    roles: await trx
      .selectFrom('roles')
      .select(['code', 'policy'])
      .where(...isSet)
      .execute(),
    organisations: await trx
      .selectFrom('organisations')
      .select(['uuid', 'policy', 'break_glass'])
      .where(({ or, eb }) => or([eb(...isSet), eb('break_glass', '<>', '[]')]))
      .execute(),
    clients: await trx
      .selectFrom('clients')
      .select(['client_id', 'policy'])
      .where(...isSet)
      .execute(),
  }
}

export const installationPolicyOf = ({ installation }: Policies): string | null =>
  installation.find(({ name }) => name === 'policy')?.kept ?? null

/** Policies of roles, organisations and clients, by their codes, uuids and client_ids. */
const byPlace = ({ roles, organisations, clients }: Policies) => ({
  roles: new Map(roles.map((one) => [one.code, one.policy])),
  organisations: new Map(organisations.map((one) => [one.uuid, one.policy])),
  clients: new Map(clients.map((one) => [one.client_id, one.policy])),
})

/** A profile's place, and perhaps the client that somebody acts through. */
export interface HeldPlace {
  role_code: string
  organisation_uuid: string | null
  client_id?: string
}

/** What these policies demand at a place. */
export function demandsOf(policies: Policies): (place: HeldPlace) => Demand {
  const { roles, organisations, clients } = byPlace(policies)
  const own = installationPolicyOf(policies)
  return ({ role_code, organisation_uuid, client_id }) =>
    strictest(
      [
        own,
        roles.get(role_code),
        organisations.get(organisation_uuid ?? ''),
        clients.get(client_id ?? ''),
      ].flatMap((text) => policyOf(text ?? null) ?? []),
    )
}

/** Whether these policies demand a level of whoever acts under a row of `profiles`. */
export function demanding(trx: Kysely<Schema>, policies: Policies, level: Level): RawBuilder<boolean> {
  const meet = (policy: string | null) => meets(levelOf(policy), level)
  if (meet(installationPolicyOf(policies))) return sql`(1 = 1)`
  const { roles, organisations } = byPlace(policies)
  const ofThese = (of: ReadonlyMap<string, string | null>) =>
    listOf(
      trx,
      [...of].flatMap(([id, policy]) => (policy !== null && meet(policy) ? [id] : [])),
    )
  return sql`(profiles.role_code in (${ofThese(roles)})
    or coalesce(profiles.organisation_uuid, '') in (${ofThese(organisations)}))`
}

const levelOf = (policy: string | null): Level => strictest([policyOf(policy) ?? {}]).level

/** The places whose own policy demands a higher level. No other place can demand more than before. */
export interface RisenPlaces {
  everywhere: boolean
  roles: readonly string[]
  organisations: readonly string[]
  clients: readonly string[]
}

export function risenPlaces(before: Policies, after: Policies): RisenPlaces {
  const [were, are] = [byPlace(before), byPlace(after)]
  const risen = (of: keyof typeof are) =>
    [...are[of]].filter(([id, policy]) => isHigher(were[of].get(id) ?? null, policy)).map(([id]) => id)
  return {
    everywhere: isHigher(installationPolicyOf(before), installationPolicyOf(after)),
    roles: risen('roles'),
    organisations: risen('organisations'),
    clients: risen('clients'),
  }
}

const isHigher = (before: string | null, after: string | null): boolean =>
  before !== after && !meets(levelOf(before), levelOf(after))
