/** A change by a directory: one transaction with what is changed, what follows for people, and what is recorded. */
import type { Kysely } from 'kysely'
import { type AuditEvent, recordAll } from '../audit/record.ts'
import { lockAdministration } from '../database/revision.ts'
import type { Schema } from '../database/schema.ts'
import type { Store } from '../database/store.ts'
import { ProtocolError } from '../protocol/errors.ts'
import type { Source } from '../upstream/mapped.ts'
import type { MappingRule } from '../upstream/upstream.ts'

export type Transacting = Kysely<Schema>

/** The directory that asks, and when. */
export interface ByDirectory {
  directory_uuid: string
  now: number
  address: string
  requestId: string
}

/** The directory in its transaction. */
export interface ScimDirectory extends Source {
  kind: 'directory'
  now: number
}

export interface Done<T> {
  result: T
  events: readonly AuditEvent[]
}

type Work<T> = (trx: Transacting, directory: ScimDirectory) => Promise<Done<T>>

/**
 * Does a change. Concurrency: those of one directory come one after the other. `people`: what people have changes by it,
 * so it is alone with all that administers; `if mapped`: where the directory's groups give something.
 */
export async function asDirectory<T>(
  store: Store,
  by: ByDirectory,
  people: 'always' | 'if mapped',
  work: Work<T>,
): Promise<T> {
  const attempt = async (locks: boolean): Promise<Done<T> | undefined> =>
    await store.db.transaction().execute(async (trx) => {
      if (locks) await lockAdministration(trx)
      const directory = await heldDirectory(trx, by)
      if (!locks && directory.mapping.length > 0) return undefined
      const done = await work(trx, directory)
      const { address, requestId } = by
      await recordAll(
        store,
        done.events.map((one) => ({ ...one, address, requestId })),
        trx,
      )
      return done
    })
  const done = (await attempt(people === 'always')) ?? (await attempt(true))
  if (done === undefined) throw new Error('A change that has locked everything was not made.')
  return done.result
}

async function heldDirectory(trx: Transacting, { directory_uuid, now }: ByDirectory): Promise<ScimDirectory> {
  const row = await trx
    .selectFrom('directories')
    .select(['uuid', 'organisation_uuid', 'mapping'])
    .where('uuid', '=', directory_uuid)
    .where('active', '=', 1)
    .forUpdate()
    .executeTakeFirst()
  if (row === undefined) throw new ProtocolError('invalid_token', 'The directory was disabled meanwhile.')
  const mapping = JSON.parse(row.mapping) as MappingRule[]
  return { ...row, kind: 'directory', mapping, countsUntil: null, now }
}
