import { type Kysely, sql } from 'kysely'

/**
 * additive: the one way in which a client proves itself, and whose tokens prove it. Clients with keys go on naming the
 * token endpoint. A process of the version before knows no such tokens, and takes secret and keys beside each other.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const column of [
    'token_endpoint_auth_method text',
    'token_endpoint_auth_signing_alg text',
    `assertion_audience text not null default 'issuer'`,
    'federated text',
  ])
    await sql.raw(`alter table clients add column ${column}`).execute(db)
  await sql`update clients set assertion_audience = 'token_endpoint' where jwks is not null or jwks_uri is not null`.execute(
    db,
  )
}
