/** What PostgreSQL acknowledged to this process, so that a server that takes over can be asked for it. */
import { plain } from './postgres-statements.ts'

/** A transaction, as the server told it just before the commit. */
export interface Committed {
  xid: string
  /** A position in the write-ahead log: what the transaction wrote comes before it, its commit after it. */
  lsn: string
  /** When the server that has committed it was started, s: no other server was at the same microsecond. */
  server: number
}

const server = "date_part('epoch', pg_postmaster_start_time())"

/** Goes along with a commit. No row: the transaction has written nothing. */
export const committing = plain(`select pg_current_xact_id_if_assigned() as xid,
  pg_current_wal_insert_lsn() as lsn, ${server} as server
  where pg_current_xact_id_if_assigned() is not null`)

/**
 * Whether the server that is asked has all of $1. One that replayed what a transaction wrote before its commit gives the
 * xid to no other, so its status is that of this transaction. A status that is null is too old to be kept.
 */
export const hasAll = `${server} as server, (
  select coalesce(bool_and(case
    when xid >= pg_snapshot_xmax(pg_current_snapshot()) then false
    when server <> ${server} and lsn > pg_last_wal_replay_lsn() then false
    else coalesce(pg_xact_status(xid) = 'committed', true) end), true)
  from json_to_recordset($1) as asked (xid xid8, lsn pg_lsn, server float8)) as "hasAll"`

/**
 * The last transactions that were acknowledged. PostgreSQL keeps commits in their order: a server that has one has every
 * other that was acknowledged before it was sent. So these are few, as many as were under way at once.
 */
export class Acknowledged {
  #last: readonly (Committed & { at: number })[] = []
  #count = 0

  get last(): readonly Committed[] {
    return this.#last
  }

  /** Called when a commit is sent; what it yields is called when that is acknowledged. */
  sending(): (own: Committed) => void {
    const since = this.#count
    return (own) => {
      const others = this.#last.filter(({ at, server }) => at > since || server !== own.server)
      this.#last = [...others, { ...own, at: ++this.#count }]
    }
  }

  /** A primary has those that were asked for, so they count as its own. */
  found(asked: readonly Committed[], server: number): void {
    this.#last = this.#last.map((one) => (asked.includes(one) ? { ...one, server } : one))
  }

  /** The loss of these was answered. */
  forget(asked: readonly Committed[]): void {
    this.#last = this.#last.filter((one) => !asked.includes(one))
  }
}
