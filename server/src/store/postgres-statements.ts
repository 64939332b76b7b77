/** The statements of the path of a token, which PostgreSQL parses and plans once for each connection. */
import { createHash } from 'node:crypto'

/** One with its values. The name is that of its text, where that never changes. */
export interface Statement {
  text: string
  values: unknown[]
  name?: string | undefined
}

/** The same name for the same text in every process of every version: a pooler may hand its connections around. */
export const nameOf = (text: string) => `tessera_${createHash('sha256').update(text).digest('base64url')}`

/** A pooler put a connection behind it that doesn't know what was prepared, or knows it already (SQLSTATE). */
const ofPoolers = ['26000', '42P05']

/** A table has other columns than when the statement was prepared: a newer version has migrated (SQLSTATE). */
const ofAnotherTable = '0A000'

/**
 * Whether statements are prepared by name: to plan a join of eight tables takes PostgreSQL thirty times as long as
 * to answer it. Where a pooler stands in the way they are not, from the first time that it is noticed.
 */
export class Naming {
  #inUse = true

  /** Does it, and once more without names when they are refused; so `work` is done anew from its beginning. */
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

/** Whether this connection is of no use to whoever puts the same statement by name. */
export function isRefusedName(error: unknown): error is Error & { code: string } {
  // Without the driver, which an embedded database does without: its queries are made here as well.
  if (!(error instanceof Error) || !('code' in error)) return false
  return [...ofPoolers, ofAnotherTable].some((code) => code === error.code)
}
