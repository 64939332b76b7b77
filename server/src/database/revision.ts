import { randomInt } from 'node:crypto'
import { type Kysely, sql } from 'kysely'
import type { UnmigratedStore } from './store.ts'
import { preparedRow } from './prepared.ts'
import type { Schema } from './schema.ts'

/**
 * Says that something changed which processes keep in memory: clients and their secrets, services, roles'
 * permissions, organisations. Part of every transaction that changes one of them.
 */
export async function moveRevision(trx: Kysely<Schema>): Promise<void> {
  await trx.updateTable('revisions').set({ value: otherRevision() }).where('name', '=', 'catalogue').execute()
}

/**
 * One that no state has ever had. A database that is put back to an earlier state, as by a failover to a copy that
 * lagged behind, would by counting on from there come to numbers that processes have seen with another content.
 */
export const otherRevision = () => randomInt(2 ** 48 - 1)

/** When everything from before was ended last. */
export async function readGeneration({ db }: Pick<UnmigratedStore, 'db'>): Promise<number> {
  const row = await db
    .selectFrom('revisions')
    .select('value')
    .where('name', '=', 'generation')
    .executeTakeFirst()
  return row?.value ?? 0
}

/**
 * Says that everything from before was ended. False: another process has said so since the generation was `from`.
 * Concurrency: one of several that answer the same loss raises it; the others wait for that and do nothing.
 */
export async function raiseGeneration(trx: Kysely<Schema>, now: number, from?: number): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('revisions')
    // A time is later than any generation of a copy that went its own way before.
    .set({ value: sql<number>`case when value < ${now} then ${now} else value + 1 end` })
    .where('name', '=', 'generation')
    .$if(from !== undefined, (query) => query.where('value', '=', from ?? 0))
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/**
 * Waits for every other transaction that changes what is administered, and lets the next ones wait: they come one
 * after the other, and each sees what the one before it left. First in each of them, so that none waits for two.
 * False, and nothing is locked, when one was committed since what was `seen`.
 */
export async function lockAdministration(trx: Kysely<Schema>, seen?: number): Promise<boolean> {
  const row = await trx
    .updateTable('revisions')
    .set({ value: otherRevision() })
    .where('name', '=', 'administration')
    .$if(seen !== undefined, (query) => query.where('value', '=', seen ?? 0))
    .returning('name')
    .executeTakeFirst()
  return row !== undefined
}

/** What the last transaction that changed what is administered left: see `lockAdministration`. */
export async function seenAdministration(trx: Kysely<Schema>): Promise<number> {
  const row = await trx
    .selectFrom('revisions')
    .select('value')
    .where('name', '=', 'administration')
    .executeTakeFirstOrThrow()
  return row.value
}

const selectRevision = preparedRow<object, { value: number }>((db) =>
  db.selectFrom('revisions').select('value').where('name', '=', 'catalogue'),
)

/** The revision for a query of the token path: of the very moment that its rows are of. */
export const revisionThen = sql<number>`(select value from revisions where name = 'catalogue')`.as('revision')

/** The revision as the database has it. */
export async function readRevision(store: Pick<UnmigratedStore, 'read'>): Promise<number> {
  const row = await store.read(selectRevision({}))
  if (row === undefined) throw new Error('The table revisions has lost its row: restore the database.')
  return row.value
}

/**
 * One question for all who ask at the same time: it is put after each of them came, so its answer is no older than
 * their request. One is under way at a time; who comes meanwhile shares the next.
 */
export function shared<T>(ask: () => Promise<T>): () => Promise<T> {
  let underWay: Promise<unknown> = Promise.resolve()
  let next: Promise<T> | undefined
  return () => {
    next ??= underWay.then(() => {
      next = undefined
      const asked = ask()
      underWay = asked.catch(() => undefined)
      return asked
    })
    return next
  }
}
