import type { Kysely } from 'kysely'
import { permissionsOf } from '../access/reach.ts'
import { rowsOf } from '../database/rows.ts'
import type { Schema } from '../database/schema.ts'
import type { Setter } from '../store/ownership.ts'
import type { MappingRule } from './upstream.ts'

/** An upstream or a directory, as what makes or keeps accounts. */
export interface AccountSource {
  kind: 'upstream' | 'directory'
  uuid: string
  /** Null: of the whole installation. */
  organisation_uuid: string | null
  mapping: readonly MappingRule[]
}

/** The source as a maker of accounts: it could give what the mappings of its organisation give there. */
export async function setterOf(trx: Kysely<Schema>, source: AccountSource): Promise<Setter> {
  const permissions = new Set<string>()
  for (const role of await rolesOf(trx, source))
    for (const one of await permissionsOf(trx, role)) permissions.add(one)
  return {
    actor: { kind: source.kind, id: source.uuid },
    limitedReach: 1,
    reach: { organisation_uuid: source.organisation_uuid ?? undefined, unit_uuid: undefined },
    permissions,
  }
}

/** The roles of its own mapping, and of those of other sources of the organisation: they know the same people. */
async function rolesOf(
  trx: Kysely<Schema>,
  { organisation_uuid, mapping }: AccountSource,
): Promise<Set<string>> {
  const roles = new Set(mapping.map((rule) => rule.role))
  if (organisation_uuid === null) return roles
  const others = [
    ...(await rowsOf(trx, 'upstreams', { organisation_uuid, active: 1 }).execute()),
    ...(await rowsOf(trx, 'directories', { organisation_uuid, active: 1 }).execute()),
  ]
  for (const one of others) for (const { role } of JSON.parse(one.mapping) as MappingRule[]) roles.add(role)
  return roles
}
