/** The statements of the path of a token, which PostgreSQL parses and plans once for each connection. */
import { createHash } from 'node:crypto'
import pg from 'pg'

/** One with its values. The name is that of its text, where that never changes. */
export interface Statement {
  text: string
  values: unknown[]
  name?: string | undefined
}

/** The same name for the same text in every process of every version: a pooler may hand its connections around. */
export const nameOf = (text: string) => `tessera_${createHash('sha256').update(text).digest('base64url')}`

/**
 * SQLSTATE of a connection that doesn't know what was prepared on it, or knows it already, for a pooler put another
 * one behind it; and of a table that has other columns than when the statement was prepared.
 */
const refusals = ['26000', '42P05', '0A000']

/**
 * Whether statements are prepared by name: to plan a join of eight tables takes PostgreSQL thirty times as long as
 * to answer it. Until a database, or what stands before it, refuses that.
 */
export class Naming {
  #inUse = true

  /** As it is to be put to a connection. */
  of({ text, values, name }: Statement): Statement {
    return this.#inUse ? { text, values, name } : { text, values }
  }

  /** Does it, and once more without names when they are refused; so `work` is done anew from its beginning. */
  async trying<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      return await work()
    } catch (error) {
      if (!this.#inUse || !isRefusal(error)) throw error
      this.#inUse = false
      return await work()
    }
  }
}

const isRefusal = (error: unknown) => error instanceof pg.DatabaseError && refusals.includes(error.code ?? '')
