import type { Kysely } from 'kysely'
import { permissionsOf } from '../access/reach.ts'
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

/** The source as a maker of accounts: it could give what its mapping gives, in its organisation. */
export async function setterOf(trx: Kysely<Schema>, source: AccountSource): Promise<Setter> {
  const roles = [...new Set(source.mapping.map((rule) => rule.role))]
  const permissions = new Set<string>()
  for (const role of roles) for (const one of await permissionsOf(trx, role)) permissions.add(one)
  return {
    actor: { kind: source.kind, id: source.uuid },
    limitedReach: 1,
    reach: { organisation_uuid: source.organisation_uuid ?? undefined, unit_uuid: undefined },
    permissions,
  }
}
