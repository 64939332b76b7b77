import { randomUUID } from 'node:crypto'
import type { Kysely } from 'kysely'
import type { Origin } from '../audit/record.ts'
import type { ImportRow } from '../database/schema-admin.ts'
import type { Schema } from '../database/schema.ts'

interface NewImport {
  name: string
  by: Origin
  now: number
  organisation_uuid?: string | undefined
  unit_uuid?: string | undefined
}

/** An import that begins. It is kept with the first person who comes by it. */
export function newImport({ name, by, now, ...place }: NewImport): ImportRow {
  const { kind = 'service', id } = by.actor ?? {}
  return {
    uuid: randomUUID(),
    name,
    created_at: now,
    created_by: JSON.stringify({ kind, id }),
    request_id: by.requestId ?? null,
    organisation_uuid: place.organisation_uuid ?? null,
    unit_uuid: place.unit_uuid ?? null,
  }
}

export async function keepImport(trx: Kysely<Schema>, row: ImportRow): Promise<void> {
  await trx
    .insertInto('imports')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}
