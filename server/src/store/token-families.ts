import { createHmac } from 'node:crypto'
import { type Kysely, sql } from 'kysely'
import { type Scope, scopesOf } from '../protocol/scope.ts'
import { hashSecret, newId, newSecret } from './identifier.ts'
import type { Store } from './open.ts'
import { prepared } from './prepared.ts'
import type { Schema, TokenFamilyRow } from './schema.ts'
import type { Authentication } from './sessions.ts'

/** A replaced refresh token gets the same successor again for this long: a lost response, two tabs (decisions 5). */
export const rotationGrace = 10_000

/** Predecessors kept within the grace period; an older one counts as replayed. */
const maxPredecessors = 20

/** What one authorization of one client by one person gave: the refresh tokens that follow one another, and their context. */
export interface TokenFamily extends Authentication {
  id: string
  clientId: string
  userUuid: string
  sid: string
  profileUuid: string
  scopes: readonly Scope[]
  resource: string | undefined
  revoked: boolean
  /** The earlier of the idle and the absolute end, epoch milliseconds. */
  expiresAt: number
}

export interface NewFamily extends Authentication {
  clientId: string
  userUuid: string
  sid: string
  profileUuid: string
  scopes: readonly Scope[]
  resource: string | undefined
}

/**
 * A refresh token is `<family id>.<family secret>.<rotating secret>`. The family secret proves that a token is
 * of this family however old it is; the rotating one tells whether it is the current one. A database holds the
 * hashes of both, so it can't be used to make either.
 */
interface RefreshToken {
  familyId: string
  familySecret: string
  secret: string
}

const tokenPattern = /^([0-9a-f]{32})\.([A-Za-z0-9_-]{43})\.([A-Za-z0-9_-]{43})$/

function parseToken(token: string): RefreshToken | undefined {
  const [, familyId, familySecret, secret] = tokenPattern.exec(token) ?? []
  if (familyId === undefined || familySecret === undefined || secret === undefined) return undefined
  return { familyId, familySecret, secret }
}

interface Predecessor {
  hash: string
  salt: string
  at: number
}

/**
 * The successor of a rotating secret. Whoever holds the token that was replaced can be given the same successor
 * again, and nobody else can make it: it needs that token and the salt, 256 random bits each.
 */
function successorOf(secret: string, salt: string): string {
  return createHmac('sha256', secret).update(salt).digest('base64url')
}

/** A new family and its first refresh token; `row` is inserted by the verb that redeems the code. */
export function newFamily(
  family: NewFamily,
  times: { now: number; idle: number; absolute: number },
): { row: TokenFamilyRow; token: string } {
  const id = newId(times.now)
  const familySecret = newSecret()
  const secret = newSecret()
  const expiresAt = times.now + times.absolute
  return {
    token: `${id}.${familySecret}.${secret}`,
    row: {
      id,
      client_id: family.clientId,
      user_uuid: family.userUuid,
      sid: family.sid,
      profile_uuid: family.profileUuid,
      scope: family.scopes.join(' '),
      resource: family.resource ?? null,
      auth_time: family.authTime,
      acr: family.acr,
      amr: JSON.stringify(family.amr),
      family_hash: hashSecret(familySecret),
      current_hash: hashSecret(secret),
      predecessors: '[]',
      created_at: times.now,
      last_used_at: times.now,
      idle_expires_at: Math.min(times.now + times.idle, expiresAt),
      expires_at: expiresAt,
      revoked_at: null,
      revoked_reason: null,
    },
  }
}

/** Part of the verb that redeems the code. */
export const insertFamily = prepared<TokenFamilyRow, unknown>((db, slot) =>
  db.insertInto('token_families').values({
    id: slot('id'),
    client_id: slot('client_id'),
    user_uuid: slot('user_uuid'),
    sid: slot('sid'),
    profile_uuid: slot('profile_uuid'),
    scope: slot('scope'),
    resource: slot('resource'),
    auth_time: slot('auth_time'),
    acr: slot('acr'),
    amr: slot('amr'),
    family_hash: slot('family_hash'),
    current_hash: slot('current_hash'),
    predecessors: slot('predecessors'),
    created_at: slot('created_at'),
    last_used_at: slot('last_used_at'),
    idle_expires_at: slot('idle_expires_at'),
    expires_at: slot('expires_at'),
    revoked_at: slot('revoked_at'),
    revoked_reason: slot('revoked_reason'),
  }),
)

/** The family with this id, revoked or not. */
export async function findFamily(store: Store, id: string): Promise<TokenFamily | undefined> {
  const row = await store.db.selectFrom('token_families').selectAll().where('id', '=', id).executeTakeFirst()
  return row === undefined ? undefined : asFamily(row)
}

/** What a presented refresh token is, before anything is written. `replayed`: it was replaced, and the grace is over. */
export type Presented =
  | { state: 'unknown' }
  | {
      state: 'current' | 'replaced' | 'replayed'
      family: TokenFamily
      token: RefreshToken
      row: TokenFamilyRow
    }

const selectFamily = prepared<{ id: string; hash: string }, TokenFamilyRow>((db, slot) =>
  db
    .selectFrom('token_families')
    .selectAll()
    .where('id', '=', slot('id'))
    .where('family_hash', '=', slot('hash')),
)

/** Reads a refresh token; writes nothing. */
export async function presentRefreshToken(store: Store, text: string, now: number): Promise<Presented> {
  const token = parseToken(text)
  if (token === undefined) return { state: 'unknown' }
  const [row] = await selectFamily(store.db, { id: token.familyId, hash: hashSecret(token.familySecret) })
  if (row === undefined) return { state: 'unknown' }
  const hash = hashSecret(token.secret)
  const state =
    row.current_hash === hash
      ? 'current'
      : predecessorOf(row, hash, now) === undefined
        ? 'replayed'
        : 'replaced'
  return { state, family: asFamily(row), token, row }
}

interface Replacement {
  id: string
  hash: string
  successor: string
  predecessors: string
  /** Null: the profile stays. */
  profileUuid: string | null
  now: number
  idleEnd: number
}

const replaceCurrent = prepared<Replacement, { id: string }>((db, slot) =>
  db
    .updateTable('token_families')
    .set({
      current_hash: slot('successor'),
      predecessors: slot('predecessors'),
      profile_uuid: sql<string>`coalesce(${slot('profileUuid')}, profile_uuid)`,
      last_used_at: slot('now'),
      idle_expires_at: slot('idleEnd'),
    })
    .where('id', '=', slot('id'))
    .where('current_hash', '=', slot('hash'))
    .where('revoked_at', 'is', null)
    .where('idle_expires_at', '>', slot('now'))
    .returning('id'),
)

/**
 * Replaces a refresh token by its successor, and switches the family's profile where one is given.
 *
 * Concurrency: the update names the hash it replaces, so of any number of parallel rotations of one token just
 * one takes effect; the others find their token replaced and yield the very same successor. There is never a
 * fork. A rotation that asks for no profile writes none, so it can't undo a switch beside it. Undefined: the token was revoked, expired or replayed meanwhile, and nothing changed.
 */
export async function rotate(
  store: Store,
  presented: Presented & { state: 'current' | 'replaced' },
  change: { profileUuid: string | undefined; now: number; idle: number },
): Promise<string | undefined> {
  const { token, row } = presented
  const { now } = change
  const hash = hashSecret(token.secret)
  if (presented.state === 'current') {
    const salt = newSecret()
    const successor = successorOf(token.secret, salt)
    const [replaced] = await replaceCurrent(store.db, {
      id: row.id,
      hash,
      successor: hashSecret(successor),
      predecessors: JSON.stringify([...recentPredecessors(row, now), { hash, salt, at: now }]),
      profileUuid: change.profileUuid ?? null,
      now,
      idleEnd: Math.min(now + change.idle, row.expires_at),
    })
    if (replaced !== undefined) return `${token.familyId}.${token.familySecret}.${successor}`
  }
  return await sameSuccessor(store, token, change)
}

/** What a retry gets: the successor that the first rotation made. */
async function sameSuccessor(
  store: Store,
  token: RefreshToken,
  change: { profileUuid: string | undefined; now: number },
): Promise<string | undefined> {
  const row = await store.db
    .updateTable('token_families')
    .set({ ...switchedProfile(change), last_used_at: change.now })
    .where('id', '=', token.familyId)
    .where('revoked_at', 'is', null)
    .where('idle_expires_at', '>', change.now)
    .returningAll()
    .executeTakeFirst()
  const predecessor = row && predecessorOf(row, hashSecret(token.secret), change.now)
  if (predecessor === undefined) return undefined
  return `${token.familyId}.${token.familySecret}.${successorOf(token.secret, predecessor.salt)}`
}

function switchedProfile({ profileUuid }: { profileUuid: string | undefined }) {
  return profileUuid === undefined ? {} : { profile_uuid: profileUuid }
}

/** Ends a family; true when this call did it. */
export async function revokeFamily(store: Store, id: string, now: number, reason: string): Promise<boolean> {
  const row = await store.db
    .updateTable('token_families')
    .set({ revoked_at: now, revoked_reason: reason })
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

/** Ends the families of a browser session; part of the verb that ends the session. */
export async function revokeFamiliesOfSession(
  trx: Kysely<Schema>,
  sid: string,
  now: number,
  reason: string,
): Promise<void> {
  await trx
    .updateTable('token_families')
    .set({ revoked_at: now, revoked_reason: reason })
    .where('sid', '=', sid)
    .where('revoked_at', 'is', null)
    .execute()
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

function recentPredecessors(row: TokenFamilyRow, now: number): Predecessor[] {
  const all = JSON.parse(row.predecessors) as Predecessor[]
  return all.filter((one) => now - one.at < rotationGrace).slice(1 - maxPredecessors)
}

function predecessorOf(row: TokenFamilyRow, hash: string, now: number): Predecessor | undefined {
  return recentPredecessors(row, now).find((one) => one.hash === hash)
}

function asFamily(row: TokenFamilyRow): TokenFamily {
  return {
    id: row.id,
    clientId: row.client_id,
    userUuid: row.user_uuid,
    sid: row.sid,
    profileUuid: row.profile_uuid,
    scopes: scopesOf(row.scope),
    resource: row.resource ?? undefined,
    authTime: row.auth_time,
    acr: row.acr,
    amr: JSON.parse(row.amr) as string[],
    revoked: row.revoked_at !== null,
    expiresAt: row.idle_expires_at,
  }
}
