import type { Kysely } from 'kysely'
import type { ActorKind } from '../protocol/audit-kinds.ts'
import { recorded } from '../audit/recorded.ts'
import { chunksOf } from '../database/chunks.ts'
import type { Schema } from '../database/schema.ts'
import { emailsOf } from '../store/users.ts'

/** The thing that a record of the audit is about: its kind, and the key that it is known by there. */
export interface AuditTarget {
  kind: string
  key: string
}

/** The maker of a thing and the time, as the audit has them. */
export interface Maker {
  at: number
  kind: ActorKind
  /** An e-mail address, a client_id, or who ran a command. */
  name: string | null
  organisation_uuid: string | null
  /** The file that it was imported from. */
  importedFrom: string | null
}

export const targetKey = ({ kind, key }: AuditTarget): string => `${kind} ${key}`

/** The makers of these things, by `targetKey`. The last maker counts of a thing that was removed and made again. */
export async function makersOf(
  trx: Kysely<Schema>,
  targets: readonly AuditTarget[],
): Promise<Map<string, Maker>> {
  const wanted = new Set(targets.map(targetKey))
  const kinds = [...new Set(targets.map(({ kind }) => `${kind}.created`))]
  const found = new Map<string, Maker>()
  for (const keys of chunksOf([...new Set(targets.map(({ key }) => key))])) {
    const rows = await recorded(trx)
      .select(['target_kind', 'target_id', 'at', 'actor_kind', 'actor_id', 'detail'])
      .select('actor_organisation_uuid as organisation_uuid')
      .where('target_id', 'in', keys)
      .where('kind', 'in', kinds)
      .orderBy('linked', (order) => order.asc().nullsLast())
      .orderBy('waited')
      .execute()
    for (const { target_kind, target_id, at, actor_id: name, organisation_uuid, ...row } of rows) {
      const key = targetKey({ kind: target_kind ?? '', key: target_id ?? '' })
      const kind = row.actor_kind as ActorKind
      const importedFrom = sourceIn(row.detail)
      if (wanted.has(key)) found.set(key, { at, kind, name, organisation_uuid, importedFrom })
    }
  }
  const people = [...found.values()].filter(({ kind }) => kind === 'user')
  const emails = await emailsOf({ db: trx }, [...new Set(people.flatMap(({ name }) => name ?? []))])
  for (const maker of people) maker.name = emails.get(maker.name ?? '') ?? maker.name
  return found
}

function sourceIn(detail: string | null): string | null {
  const { imported_from: source } = JSON.parse(detail ?? '{}') as { imported_from?: unknown }
  return typeof source === 'string' ? source : null
}
