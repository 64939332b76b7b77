import type { Kysely } from 'kysely'
import { answer, runSteps } from '../database/prepared.ts'
import { Cache } from '../database/cache.ts'
import type { Schema } from '../database/schema.ts'
import type { Store } from '../database/store.ts'

/** What reads need of a store. */
export type Reading = Pick<Store, 'db' | 'dialect' | 'read' | 'cache'>

/** The store as a transaction sees it. Nothing comes from the memory of other requests. */
export const inTransaction = ({ dialect }: Reading, trx: Kysely<Schema>): Reading => ({
  db: trx,
  dialect,
  read: async (steps) => await runSteps(steps, (asked) => answer(trx, dialect, asked)),
  cache: new Cache(async () => 0),
})
