import type { Kysely } from 'kysely'
import type { Schema } from '../database/schema.ts'
import { expandPermissions } from '../protocol/permission.ts'
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
  const roles = [...(await rolesOf(trx, source))]
  const held =
    roles.length === 0
      ? []
      : await trx
          .selectFrom('role_permissions')
          .select('permission')
          .distinct()
          .where('role_code', 'in', roles)
          .execute()
  const permissions = new Set(expandPermissions(held.map(({ permission }) => permission)))
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
  const of = (table: 'upstreams' | 'directories') =>
    trx
      .selectFrom(table)
      .select('mapping')
      .where('organisation_uuid', '=', organisation_uuid)
      .where('active', '=', 1)
  const others = await of('upstreams').unionAll(of('directories')).execute()
  for (const one of others) for (const { role } of JSON.parse(one.mapping) as MappingRule[]) roles.add(role)
  return roles
}
