import { type Kysely, sql } from 'kysely'
import { dialectOf } from './dialect.ts'
import { prepared, preparedRow } from './prepared.ts'
import { contentColumns } from './schema-audit.ts'
import type { Schema } from './schema.ts'

/**
 * Whether records wait before they are linked to the chain. Moving the head of the chain locks its row until the commit:
 * all writers of PostgreSQL would follow one another. SQLite has one writer anyway.
 */
export const recordsWait = (db: Kysely<Schema>): boolean => dialectOf(db) === 'postgres'

/** How every statement begins that adds to the records that wait. */
export const addsWaiting = 'insert into "audit_waiting"'

/** Allows this transaction indexes alone: kept plans were made when a table was empty, and must stay good. */
export const onlyByIndex = preparedRow<object, unknown>((db) => ({
  compile: () => sql`select set_config('enable_seqscan', 'off', true)`.compile(db),
}))

/** The place in the chain that a waiting record gets. */
export interface ChainEntry {
  number: number
  sequence: number
  previous: string
  hash: string
  mac: string | null
}

interface Moved {
  /** `Link`s, as JSON. */
  links: string
  /** The number of the last one. */
  sequence: number
  hash: string
  /** The partition. */
  month: string
}

/** Moves records that wait into the chain, and its head with them. The transaction holds the head. PostgreSQL alone. */
export const moveWaiting = prepared<Moved, never>((db, slot) => {
  const content = sql.join(contentColumns.map((column) => sql.ref(column)))
  const moved = sql<never>`
    with links as (select * from json_to_recordset(${slot('links')})
      as given (number bigint, sequence bigint, previous text, hash text, mac text)),
    gone as (delete from audit_waiting using links where audit_waiting.number = links.number
      returning links.*, ${sql.join(contentColumns.map((column) => sql.ref(`audit_waiting.${column}`)))}),
    added as (insert into audit_records (sequence, previous, hash, mac, waited, month, ${content})
      select sequence, previous, hash, mac, number, ${slot('month')}, ${content} from gone order by sequence)
    update audit_head set sequence = ${slot('sequence')}, hash = ${slot('hash')} where name = 'chain'`
  return { compile: () => moved.compile(db) }
})
