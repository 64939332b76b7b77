import { type AuditEvent, record } from '../audit/record.ts'
import { hashSecret, newId, newSecret } from '../protocol/identifier.ts'
import type { Store } from '../database/store.ts'
import { refreshTokenText } from './refresh-token-text.ts'
import type { TokenFamilyRow } from '../database/schema-tokens.ts'
import type { Authentication } from '../protocol/authentication.ts'
import { end } from './ending.ts'

/** What one authorization of one client by one person gave: the refresh tokens that follow one another, and their context. */
export type TokenFamily = TokenFamilyRow

/** What a family is opened for. */
export type NewFamily = Pick<
  TokenFamilyRow,
  'client_id' | 'user_uuid' | 'sid' | 'profile_uuid' | 'scope' | 'resource' | keyof Authentication
>

interface Bound {
  origin?: string | undefined
  /** The key that each refresh has to prove. */
  jkt?: string | undefined | null
}

/**
 * A new family and its first refresh token; `row` is inserted by the verb that redeems the code. `origin`: it is a
 * session at that origin alone, and its token opens nothing.
 */
export function newFamily(
  family: NewFamily,
  { origin, jkt = null, ...times }: { now: number; idle: number; absolute: number } & Bound,
): { row: NewFamilyRow; token: string } {
  const id = newId(times.now)
  const familySecret = newSecret()
  const secret = newSecret()
  const expiresAt = times.now + times.absolute
  const idleEnd = Math.min(times.now + times.idle, expiresAt)
  return {
    token: refreshTokenText({ familyId: id, familySecret, secret }),
    row: {
      id,
      client_id: family.client_id,
      user_uuid: family.user_uuid,
      sid: family.sid,
      profile_uuid: family.profile_uuid,
      scope: family.scope,
      resource: family.resource,
      auth_time: family.auth_time,
      acr: family.acr,
      amr: family.amr,
      proofs: family.proofs,
      jkt,
      family_hash: hashSecret(origin === undefined ? familySecret : secretAt(origin, familySecret)),
      current_hash: hashSecret(secret),
      predecessors: '[]',
      created_at: times.now,
      last_used_at: times.now,
      idle_expires_at: idleEnd,
      expires_at: expiresAt,
      known_end: idleEnd,
    },
  }
}

/** The secret of a family as it counts at one origin. */
export const secretAt = (origin: string, familySecret: string): string => `${origin} ${familySecret}`

/** What a code and the family that it opens are both written with. */
export const grantColumns = [
  'id',
  'client_id',
  'user_uuid',
  'sid',
  'profile_uuid',
  'scope',
  'resource',
  'auth_time',
  'acr',
  'amr',
  'proofs',
  'jkt',
  'created_at',
  'expires_at',
] as const

/** What a new family is written with: no more of it is known, as that it was revoked. */
export const newFamilyColumns = [
  ...grantColumns,
  'family_hash',
  'current_hash',
  'predecessors',
  'last_used_at',
  'idle_expires_at',
  'known_end',
] as const satisfies readonly (keyof NewFamilyRow)[]

export type NewFamilyRow = Omit<TokenFamilyRow, 'revoked_at' | 'revoked_reason'> & { known_end: number }

/** Ends a family, with the record of it. False: it had ended before, and nothing is recorded a second time. */
export async function endFamily(
  store: Store,
  { id, user_uuid, client_id, sid }: Pick<TokenFamily, 'id' | 'user_uuid' | 'client_id' | 'sid'>,
  { reason, ...event }: Omit<AuditEvent, 'target'> & { reason: string },
): Promise<boolean> {
  return await store.db.transaction().execute(async (trx) => {
    if ((await end(trx, { family: id }, { now: event.at, reason })).families === 0) return false
    await record(store, { ...event, target: { kind: 'token_family', id }, user_uuid, client_id, sid }, trx)
    return true
  })
}

/** Whether the client got tokens in this session. */
export async function tookPart(store: Store, sid: string, client_id: string): Promise<boolean> {
  const row = await store.db
    .selectFrom('token_families')
    .select('id')
    .where('sid', '=', sid)
    .where('client_id', '=', client_id)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}
