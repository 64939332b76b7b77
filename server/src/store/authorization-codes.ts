import { type Scope, scopesOf } from '../protocol/scope.ts'
import { hashSecret, newId, newSecret } from './identifier.ts'
import type { Store } from './open.ts'
import type { TokenFamilyRow } from './schema.ts'
import type { Authentication } from './sessions.ts'

/** What an authorization code stands for. */
export interface AuthorizationCode extends Authentication {
  id: string
  clientId: string
  userUuid: string
  sid: string
  profileUuid: string
  redirectUri: string
  codeChallenge: string
  nonce: string
  scopes: readonly Scope[]
  resource: string | undefined
  expiresAt: number
}

const codePattern = /^([0-9a-f]{32})\.([A-Za-z0-9_-]{43})$/

/** Stores a new code and yields it: `<id>.<256 random bits>`; the table holds the hash of the second part. */
export async function issueCode(
  store: Store,
  code: Omit<AuthorizationCode, 'id' | 'expiresAt'>,
  times: { now: number; lifetime: number },
): Promise<string> {
  const id = newId(times.now)
  const secret = newSecret()
  await store.db
    .insertInto('authorization_codes')
    .values({
      id,
      secret_hash: hashSecret(secret),
      client_id: code.clientId,
      user_uuid: code.userUuid,
      sid: code.sid,
      profile_uuid: code.profileUuid,
      redirect_uri: code.redirectUri,
      code_challenge: code.codeChallenge,
      nonce: code.nonce,
      scope: code.scopes.join(' '),
      resource: code.resource ?? null,
      auth_time: code.authTime,
      acr: code.acr,
      amr: JSON.stringify(code.amr),
      created_at: times.now,
      expires_at: times.now + times.lifetime,
      consumed_at: null,
      family_id: null,
    })
    .execute()
  return `${id}.${secret}`
}

/** Reads a code, consumed or not; writes nothing. */
export async function findCode(store: Store, text: string): Promise<AuthorizationCode | undefined> {
  const [, id, secret] = codePattern.exec(text) ?? []
  if (id === undefined || secret === undefined) return undefined
  const row = await store.db
    .selectFrom('authorization_codes')
    .selectAll()
    .where('id', '=', id)
    .where('secret_hash', '=', hashSecret(secret))
    .executeTakeFirst()
  if (row === undefined) return undefined
  return {
    id: row.id,
    clientId: row.client_id,
    userUuid: row.user_uuid,
    sid: row.sid,
    profileUuid: row.profile_uuid,
    redirectUri: row.redirect_uri,
    codeChallenge: row.code_challenge,
    nonce: row.nonce,
    scopes: scopesOf(row.scope),
    resource: row.resource ?? undefined,
    authTime: row.auth_time,
    acr: row.acr,
    amr: JSON.parse(row.amr) as string[],
    expiresAt: row.expires_at,
  }
}

export type Redemption = 'redeemed' | 'expired' | 'already_used' | 'session_over'

/**
 * Consumes a code and opens its token family, in one durable commit.
 *
 * Concurrency: one conditional statement consumes the code, so of any number of parallel redemptions one
 * succeeds (RFC 6749 §4.1.2). A later one revokes, in its own transaction, the family that the first opened.
 */
export async function redeem(
  store: Store,
  id: string,
  family: TokenFamilyRow,
  now: number,
): Promise<Redemption> {
  return await store.db.transaction().execute(async (trx) => {
    const consumed = await trx
      .updateTable('authorization_codes')
      .set({ consumed_at: now, family_id: family.id })
      .where('id', '=', id)
      .where('consumed_at', 'is', null)
      .where('expires_at', '>', now)
      .returning('id')
      .executeTakeFirst()
    if (consumed === undefined) {
      const used = await trx
        .selectFrom('authorization_codes')
        .select('family_id')
        .where('id', '=', id)
        .executeTakeFirst()
      if (used === undefined || used.family_id === null) return 'expired'
      await trx
        .updateTable('token_families')
        .set({ revoked_at: now, revoked_reason: 'code_replayed' })
        .where('id', '=', used.family_id)
        .where('revoked_at', 'is', null)
        .execute()
      return 'already_used'
    }
    // A logout between the authorization and the exchange: the family must not outlive its session.
    const session = await trx
      .selectFrom('sessions')
      .select('sid')
      .where('sid', '=', family.sid)
      .where('ended_at', 'is', null)
      .$if(store.dialect === 'postgres', (query) => query.forShare())
      .executeTakeFirst()
    if (session === undefined) return 'session_over'
    await trx.insertInto('token_families').values(family).execute()
    return 'redeemed'
  })
}
