import type { Kysely } from 'kysely'
import type { Schema } from '../database/schema.ts'
import { policyOf } from '../protocol/policy.ts'

/** Where a policy wants a sign-in by upstreams: an organisation; null: everywhere. */
export type DemandedAt = string | null

/** The policies by the place where they are set. A client of an organisation takes the profiles of that one alone. */
export interface PlacedPolicies {
  installation: readonly { name: string; kept: string }[]
  roles: readonly { policy: string | null }[]
  organisations: readonly { uuid: string; policy: string | null }[]
  clients: readonly { organisation_uuid: string | null; policy: string | null }[]
}

export const isForced = (policy: string | null): boolean => policyOf(policy)?.sign_in === 'upstream'

/** Where these policies want a sign-in by upstreams. */
export function demandedBy({ installation, roles, organisations, clients }: PlacedPolicies): DemandedAt[] {
  const everywhere = [...installation.filter(({ name }) => name === 'policy').map(({ kept }) => kept)]
  return [
    ...[...everywhere, ...roles.map(({ policy }) => policy)].filter(isForced).map(() => null),
    ...organisations.filter(({ policy }) => isForced(policy)).map(({ uuid }) => uuid),
    ...clients.filter(({ policy }) => isForced(policy)).map((one) => one.organisation_uuid),
  ]
}

/** The places of these where that is demanded, and that have an upstream: another place demands nothing by it. */
export const demandedAmong = (
  places: readonly (string | null)[],
  demands: readonly DemandedAt[],
  upstreams: readonly { organisation_uuid: string | null }[],
): (string | null)[] =>
  places.filter(
    (place) =>
      demands.some((one) => one === null || one === place) &&
      upstreams.some((one) => one.organisation_uuid === place),
  )

/** The organisations of these, null: the installation, that have an upstream which any policy demands. */
export async function demandedOf(
  trx: Kysely<Schema>,
  places: readonly (string | null)[],
): Promise<(string | null)[]> {
  const named = '%"sign_in":"upstream"%'
  const uuids = ['', ...places.flatMap((one) => one ?? [])]
  const upstreams = await trx
    .selectFrom('upstreams')
    .select('organisation_uuid')
    .distinct()
    .where(({ or, eb }) => or([eb('organisation_uuid', 'is', null), eb('organisation_uuid', 'in', uuids)]))
    .execute()
  if (upstreams.length === 0) return []
  const demands = demandedBy({
    installation: await trx
      .selectFrom('installation')
      .select(['name', 'kept'])
      .where('name', '=', 'policy')
      .execute(),
    roles: await trx.selectFrom('roles').select('policy').where('policy', 'like', named).execute(),
    organisations: await trx
      .selectFrom('organisations')
      .select(['uuid', 'policy'])
      .where('uuid', 'in', uuids)
      .execute(),
    clients: await trx
      .selectFrom('clients')
      .select(['organisation_uuid', 'policy'])
      .where('policy', 'like', named)
      .execute(),
  })
  return demandedAmong(places, demands, upstreams)
}

/** Whether any policy wants a sign-in by the upstreams that an organisation has, or the installation. */
export const isDemanded = async (trx: Kysely<Schema>, organisation_uuid: string | null): Promise<boolean> =>
  (await demandedOf(trx, [organisation_uuid])).length > 0
