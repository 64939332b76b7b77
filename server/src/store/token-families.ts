import { type AuditEvent, record } from '../audit/record.ts'
import { type Scope, scopesOf } from '../protocol/scope.ts'
import { hashSecret, newId, newSecret } from '../protocol/identifier.ts'
import type { Store } from '../database/store.ts'
import { refreshTokenText } from './refresh-token-text.ts'
import type { TokenFamilyRow } from '../database/schema-tokens.ts'
import type { Authentication } from '../protocol/authentication.ts'
import { end } from './ending.ts'
import type { Reading } from './in-transaction.ts'

/** What one authorization of one client by one person gave: the refresh tokens that follow one another, and their context. */
export interface TokenFamily extends NewFamily {
  id: string
  resource: string | undefined
  revoked: boolean
  /** The earlier of the idle and the absolute end, epoch milliseconds. */
  expiresAt: number
}

/** What it is opened for. */
export interface NewFamily extends Authentication {
  clientId: string
  user_uuid: string
  sid: string
  profile_uuid: string
  scopes: readonly Scope[]
}

/** A new family and its first refresh token; `row` is inserted by the verb that redeems the code. */
export function newFamily(
  family: NewFamily,
  resource: string | undefined,
  times: { now: number; idle: number; absolute: number },
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
      client_id: family.clientId,
      user_uuid: family.user_uuid,
      sid: family.sid,
      profile_uuid: family.profile_uuid,
      scope: family.scopes.join(' '),
      resource: resource ?? null,
      auth_time: family.authTime,
      acr: family.acr,
      amr: JSON.stringify(family.amr),
      proofs: family.proofs,
      family_hash: hashSecret(familySecret),
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

/** The family with this id, revoked or not. */
export async function findFamily(store: Reading, id: string): Promise<TokenFamily | undefined> {
  const row = await store.db.selectFrom('token_families').selectAll().where('id', '=', id).executeTakeFirst()
  return row === undefined ? undefined : asFamily(row)
}

/** Ends a family, with the record of it. False: it had ended before, and nothing is recorded a second time. */
export async function endFamily(
  store: Store,
  { id, user_uuid, clientId, sid }: Pick<TokenFamily, 'id' | 'user_uuid' | 'clientId' | 'sid'>,
  { reason, ...event }: Omit<AuditEvent, 'target'> & { reason: string },
): Promise<boolean> {
  return await store.db.transaction().execute(async (trx) => {
    if ((await end(trx, { family: id }, { now: event.at, reason })).families === 0) return false
    await record(store, { ...event, target: { kind: 'token_family', id }, user_uuid, clientId, sid }, trx)
    return true
  })
}

/** Whether the client got tokens in this session. */
export async function tookPart(store: Store, sid: string, clientId: string): Promise<boolean> {
  const row = await store.db
    .selectFrom('token_families')
    .select('id')
    .where('sid', '=', sid)
    .where('client_id', '=', clientId)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/** The family as the other rooms know it. */
export function asFamily(row: TokenFamilyRow): TokenFamily {
  return {
    id: row.id,
    clientId: row.client_id,
    user_uuid: row.user_uuid,
    sid: row.sid,
    profile_uuid: row.profile_uuid,
    scopes: scopesOf(row.scope),
    resource: row.resource ?? undefined,
    authTime: row.auth_time,
    acr: row.acr,
    amr: JSON.parse(row.amr) as string[],
    proofs: row.proofs,
    revoked: row.revoked_at !== null,
    expiresAt: row.idle_expires_at,
  }
}
