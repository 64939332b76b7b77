/** The statements of the path of a token, which PostgreSQL parses and plans once for each connection. */
import { createHash } from 'node:crypto'

/** A statement with its values; its name where PostgreSQL keeps it prepared. */
export interface Statement {
  text: string
  values: unknown[]
  name?: string | undefined
}

/** One without values, which is kept prepared as well. */
export const plain = (text: string): Statement => ({ text, values: [], name: nameOf(text) })

/** A text has one name in every process of every version: a pooler hands connections around. */
export const nameOf = (text: string) => `tessera_${createHash('sha256').update(text).digest('base64url')}`

/** Behind a pooler the connection doesn't know the prepared statement, or knows it already (SQLSTATE). */
const ofPoolers = ['26000', '42P05']

/** A newer version has migrated: a table has other columns than when the statement was prepared (SQLSTATE). */
const ofAnotherTable = '0A000'

/** A kept statement has other columns than when it was prepared. */
export const staleColumns = () =>
  Object.assign(new Error('A prepared statement has other columns by now.'), { code: ofAnotherTable })

/**
 * Whether statements are prepared by name: planning a join of eight tables takes PostgreSQL thirty times as long as
 * answering it. They no longer are once a pooler was seen to get in the way.
 */
export class Naming {
  #inUse = true

  /** Runs `work`, and runs it again from its beginning without names when they are refused. */
  async trying<Result>(work: (named: boolean) => Promise<Result>): Promise<Result> {
    const named = this.#inUse
    try {
      return await work(named)
    } catch (error) {
      if (!named || !isRefusedName(error)) throw error
      if (error.code !== ofAnotherTable) this.#inUse = false
      return await work(false)
    }
  }
}

/** Whether the connection can't run the statement by its name. */
export function isRefusedName(error: unknown): error is Error & { code: string } {
  // Not by the driver's class: the embedded database does without the driver, and loads this file too.
  if (!(error instanceof Error) || !('code' in error)) return false
  return [...ofPoolers, ofAnotherTable].some((code) => code === error.code)
}
