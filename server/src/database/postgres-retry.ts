/** Repeats transactions that PostgreSQL ended in favour of others: after a deadlock or a serialization failure. */
import { setTimeout as wait } from 'node:timers/promises'
import { Kysely, type TransactionBuilder } from 'kysely'
import type { Schema } from './schema.ts'

/** SQLSTATE of a deadlock and of a serialization failure: nothing of the transaction is there. */
const ended = ['40P01', '40001']

const most = 3

/**
 * Runs a whole transaction, three times at the most while PostgreSQL ends it in favour of others. `work` may run
 * again, so it must do nothing but ask the database.
 */
export async function retried<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let tried = 1; ; tried++) {
    try {
      return await work()
    } catch (error) {
      if (tried === most || !wasEnded(error)) throw error
      // A random pause keeps the same transactions from meeting again.
      await wait(Math.random() * 20 * tried)
    }
  }
}

function wasEnded(error: unknown): boolean {
  return error instanceof Error && 'code' in error && ended.some((code) => code === error.code)
}

/** Repeats its transactions so: a verb must keep nothing outside of one that a second run would add to. */
export class RetryingKysely extends Kysely<Schema> {
  override transaction(): TransactionBuilder<Schema> {
    const transaction = super.transaction()
    const execute: typeof transaction.execute = transaction.execute.bind(transaction)
    return Object.assign(transaction, {
      execute: ((work) => retried(() => execute(work))) satisfies typeof execute,
    })
  }
}
