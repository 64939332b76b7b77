import type { Kysely } from 'kysely'
import { dialectOf } from './dialect.ts'
import type { Schema } from './schema.ts'

/**
 * Whether records wait before they are linked to the chain. Moving the head of the chain locks its row until the commit:
 * all writers of PostgreSQL would follow one another. SQLite has one writer anyway.
 */
export const recordsWait = (db: Kysely<Schema>): boolean => dialectOf(db) === 'postgres'

/** How every statement begins that adds to the records that wait. */
export const addsWaiting = 'insert into "audit_waiting"'
