import { randomUUID } from 'node:crypto'
import type { Kysely } from 'kysely'
import { permissionsOf } from '../access/reach.ts'
import { user } from '../catalogue/user.ts'
import { newColumns } from '../catalogue/columns.ts'
import type { Schema } from '../database/schema.ts'
import { ownedBy, type Setter } from '../store/ownership.ts'
import { newUser } from '../store/write/users.ts'
import { writeNew } from '../store/write/write.ts'
import { settable, type ToldFields } from './fields.ts'
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

/**
 * Makes an account, unproved, whose maker is the source; yields its uuid. The address has to be free. Part of the verb that
 * was told of the person.
 */
export async function makePerson(
  trx: Kysely<Schema>,
  { email, fields, source }: { email: string; fields: ToldFields; source: AccountSource },
  now: number,
): Promise<string> {
  const uuid = randomUUID()
  const { email: _, name = email.slice(0, email.lastIndexOf('@')), ...others } = settable(fields)
  const columns = newColumns(user, { email, name, ...others })
  const owned = await ownedBy(trx, await setterOf(trx, source), { now })
  const kept = Object.fromEntries(Object.keys(settable(fields)).map((field) => [field, source.uuid]))
  const row = newUser({ uuid, ...columns, password_hash: null, ...owned, kept_by: JSON.stringify(kept) }, now)
  await writeNew(trx, 'users', row, { now, versions: 'overwritten', by: 'others', ends: 'each' })
  return uuid
}
