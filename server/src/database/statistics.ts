import { sql } from 'kysely'
import { dialectOf } from './dialect.ts'
import type { Store } from './store.ts'

/** Fewer rows than these change no plan for the worse. */
const many = 1000

/**
 * Lets PostgreSQL look at the tables of people anew after so many `rows` came in: it goes on planning for the few that
 * it knew until its autovacuum comes by, which takes a minute or more.
 */
export async function renewStatistics({ db }: Store, rows: number): Promise<void> {
  if (dialectOf(db) === 'sqlite' || rows < many) return
  await sql`analyze users, profiles, members, organisations, units, clients, words`.execute(db)
}
