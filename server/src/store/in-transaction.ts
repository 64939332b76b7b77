import type { Kysely } from 'kysely'
import { answersOf } from '../database/prepared.ts'
import { Cache } from '../database/cache.ts'
import type { Schema } from '../database/schema.ts'
import { runSteps } from '../database/steps.ts'
import type { Store } from '../database/store.ts'

/** What reads need of a store. */
export type Reading = Pick<Store, 'db' | 'read' | 'cache'>

/** The store as a transaction sees it. Nothing comes from the memory of other requests. */
export const inTransaction = (trx: Kysely<Schema>): Reading => ({
  db: trx,
  read: async (steps) => await runSteps(steps, (turn) => answersOf(trx, turn)),
  cache: new Cache(async () => 0),
})
