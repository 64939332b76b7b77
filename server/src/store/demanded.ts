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

/** Whether that is an organisation, or the installation. */
export const demandsAt = (all: readonly DemandedAt[], organisation_uuid: string | null): boolean =>
  all.some((one) => one === null || one === organisation_uuid)

/** Where any policy wants a sign-in by upstreams, as far as it concerns these organisations or the installation. */
export async function demandsOn(
  trx: Kysely<Schema>,
  places: readonly (string | null)[],
): Promise<DemandedAt[]> {
  const named = '%"sign_in":"upstream"%'
  const uuids = ['', ...places.flatMap((one) => one ?? [])]
  const [installation, roles, organisations, clients] = [
    await trx.selectFrom('installation').select(['name', 'kept']).where('name', '=', 'policy').execute(),
    await trx.selectFrom('roles').select('policy').where('policy', 'like', named).execute(),
    await trx.selectFrom('organisations').select(['uuid', 'policy']).where('uuid', 'in', uuids).execute(),
    await trx
      .selectFrom('clients')
      .select(['organisation_uuid', 'policy'])
      .where('policy', 'like', named)
      .execute(),
  ]
  return demandedBy({ installation, roles, organisations, clients })
}

/** Whether any policy wants a sign-in by the upstreams of an organisation, or of the installation. */
export const isDemanded = async (trx: Kysely<Schema>, organisation_uuid: string | null): Promise<boolean> =>
  demandsAt(await demandsOn(trx, [organisation_uuid]), organisation_uuid)
