import { type Kysely, sql } from 'kysely'

/**
 * additive: which key codes and families of tokens are bound to (RFC 9449), which clients need one, and what signs a client's
 * ID tokens. A process of the version before reads no proof: it refuses bound tokens in the administration alone, gives
 * unbound ones, and signs ID tokens with RS256.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table clients add column dpop_bound_access_tokens bigint not null default 0`.execute(db)
  await sql`alter table clients add column id_token_signed_response_alg text not null default 'RS256'`.execute(
    db,
  )
  for (const table of ['authorization_codes', 'token_families'])
    await sql`alter table ${sql.table(table)} add column jkt text`.execute(db)
}
