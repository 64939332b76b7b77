import { type Kysely, PostgresAdapter } from 'kysely'

export type DialectName = 'sqlite' | 'postgres'

/** Which database a connection or transaction is of. */
export const dialectOf = (db: Pick<Kysely<never>, 'getExecutor'>): DialectName =>
  db.getExecutor().adapter instanceof PostgresAdapter ? 'postgres' : 'sqlite'
