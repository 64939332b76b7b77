/** Transactions that PostgreSQL ended in favour of others: a deadlock had to be undone, or no order was left. */
import { setTimeout as wait } from 'node:timers/promises'
import { Kysely, type TransactionBuilder } from 'kysely'
import type { Schema } from './schema.ts'

/** SQLSTATE: nothing of the transaction is there, whichever of its statements says so. */
const ended = ['40P01', '40001']

const most = 3

/**
 * Does it, and anew from its beginning when PostgreSQL ended it in favour of others; so `work` is a whole transaction
 * and does nothing but ask the database. Who is ended again and again is told so.
 */
export async function again<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let tried = 1; ; tried++) {
    try {
      return await work()
    } catch (error) {
      if (tried === most || !wasEnded(error)) throw error
      // Those who met must not meet again.
      await wait(Math.random() * 20 * tried)
    }
  }
}

function wasEnded(error: unknown): boolean {
  return error instanceof Error && 'code' in error && ended.some((code) => code === error.code)
}

/** Whose transactions are done so, which is why a verb keeps nothing outside of one that a second try would add to. */
export class KyselyAgain extends Kysely<Schema> {
  override transaction(): TransactionBuilder<Schema> {
    const transaction = super.transaction()
    const execute: typeof transaction.execute = transaction.execute.bind(transaction)
    return Object.assign(transaction, {
      execute: ((work) => again(() => execute(work))) satisfies typeof execute,
    })
  }
}
