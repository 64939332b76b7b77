import { type Kysely, sql } from 'kysely'

/**
 * additive: what a client must send with an authorization request; everything, where nothing is written. A code without
 * nonce or code_challenge has the empty text there, which matches nothing.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const name of ['require_nonce', 'require_state', 'require_pkce'])
    await sql`alter table clients add column ${sql.ref(name)} bigint not null default 1`.execute(db)
}
