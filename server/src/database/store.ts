import type { Kysely } from 'kysely'
import type { AuditKeeper, AuditKey } from './audit-key.ts'
import type { CacheReader } from './cache.ts'
import type { Schema } from './schema.ts'
import type { Steps } from './prepared.ts'

export type Database = Kysely<Schema>

/**
 * Whether a verb waits until what it wrote is on the disk. PostgreSQL may lose the last moments of what is `losable`
 * when it crashes or a standby takes over, each verb whole. What is `upkeep` is on the disk, and a process does it
 * again by itself where a failover loses it, which then counts as no loss. SQLite waits for all.
 */
type Durability = 'durable' | 'losable' | 'upkeep'

export interface Store {
  /** A transaction may run again after a deadlock, so its function must do nothing but ask. */
  readonly db: Database
  /** The database for what a process does again by itself where a failover loses it: that counts as no loss. */
  readonly upkeep: Database
  /** What changes seldom, kept in memory as long as nothing of it changed. */
  readonly cache: CacheReader
  /** Makes and opens the key of the audit. */
  readonly keeper: AuditKeeper
  /** What records are marked with. Throws `OtherSecret` when this process can't open it. */
  auditKey(): AuditKey
  /** The names of the migrations that opening it made. */
  readonly migrated: readonly string[]
  /** The connections of this process, for the metrics. */
  connections(): { open: number; idle: number; waiting: number }
  /** Runs a verb that only reads, of what is committed. */
  read<Result>(steps: Steps<Result>): Promise<Result>
  /**
   * Runs a verb in one transaction and yields when it is durable; it may share a commit with others. `steps` may be
   * called again, so it does nothing but ask.
   */
  write<Result>(steps: () => Steps<Result>, durability?: Durability): Promise<Result>
  /** Runs a verb of one statement, which is a transaction by itself. */
  writeOne<Result>(steps: () => Steps<Result>, durability?: Durability): Promise<Result>
  /** Whether it can be written, as a standby can't. */
  isWritable(): Promise<boolean>
  /** Looks whether the database has what this process saw acknowledged. A service calls it every half second. */
  look(): Promise<Noticed | undefined>
  /** Works on a database that has lost something, which answers nothing else meanwhile. */
  afterLoss(work: (trx: Kysely<Schema>) => Promise<void>): Promise<void>
  /** Calls back when a transaction has ended that added to the records that wait. */
  onRecorded(listener: () => void): void
  close(): Promise<void>
}

/** The database lacks what was acknowledged. `generation` is the one that it had before this is answered. */
export interface Noticed {
  what: 'lost'
  generation: number
  /** The number of a record of the audit that is missing, where that is how it was noticed. */
  record?: number
}

/** A store before its tables are known to be up to date. */
export type UnmigratedStore = Omit<Store, 'migrated' | 'cache' | 'keeper' | 'auditKey'>

/** What one process asks of the database at the most; times in ms. */
export interface DatabaseLimits {
  /** PostgreSQL alone. */
  pool: number
  /** The most time for a connection to PostgreSQL, or for another process's write to SQLite. */
  connectTimeout: number
  /** PostgreSQL alone. */
  statementTimeout: number
}
