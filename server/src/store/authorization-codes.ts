import { type Compilable, sql } from 'kysely'
import { type Scope, scopesOf } from '../protocol/scope.ts'
import type { Source } from '../audit/record.ts'
import { finishRequest } from './authorization-requests.ts'
import { exchanges } from './exchange-lock.ts'
import { hashSecret, newId, newSecret } from '../protocol/identifier.ts'
import type { Store } from '../database/store.ts'
import { asPerson, type PersonNow, type PersonRow, withPerson } from './person.ts'
import { prepared, preparedRow, type Steps } from '../database/prepared.ts'
import type { AuthorizationCodeRow, TokenFamilyRow } from '../database/schema-tokens.ts'
import type { Authentication } from './authentication.ts'
import { endFamily, insertFamily } from './token-families.ts'
import { usableProfiles, withinClient } from './usable.ts'

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

/**
 * Stores a new code and yields it: `<id>.<256 random bits>`; the table holds the hash of the second part.
 *
 * Concurrency: the authorization request that it answers, where one was kept, ends in the same transaction, so of any
 * number of parallel answers one is given. Undefined: it was answered before.
 */
export async function issueCode(
  store: Store,
  code: Omit<AuthorizationCode, 'id' | 'expiresAt'>,
  { now, lifetime, requestId }: { now: number; lifetime: number; requestId?: string | undefined },
): Promise<string | undefined> {
  const id = newId(now)
  const secret = newSecret()
  const row = {
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
    created_at: now,
    expires_at: now + lifetime,
  }
  if (requestId === undefined) await store.writeOne(() => insertCode(row))
  else if (!(await store.write(() => answering(requestId, row)))) return undefined
  return `${id}.${secret}`
}

function* answering(requestId: string, row: NewCode): Steps<boolean> {
  if ((yield* finishRequest({ id: requestId })) === undefined) return false
  yield* insertCode(row)
  return true
}

type NewCode = Omit<AuthorizationCodeRow, 'consumed_at' | 'family_id'>

const insertCode = prepared<NewCode, never>((db, slot) =>
  db.insertInto('authorization_codes').values({
    id: slot('id'),
    secret_hash: slot('secret_hash'),
    client_id: slot('client_id'),
    user_uuid: slot('user_uuid'),
    sid: slot('sid'),
    profile_uuid: slot('profile_uuid'),
    redirect_uri: slot('redirect_uri'),
    code_challenge: slot('code_challenge'),
    nonce: slot('nonce'),
    scope: slot('scope'),
    resource: slot('resource'),
    auth_time: slot('auth_time'),
    acr: slot('acr'),
    amr: slot('amr'),
    created_at: slot('created_at'),
    expires_at: slot('expires_at'),
    consumed_at: null,
    family_id: null,
  }),
)

type Found = AuthorizationCodeRow & PersonRow

const selectCode = prepared<{ id: string; hash: string }, Found>(
  (db, slot) =>
    withPerson(
      db
        .selectFrom('authorization_codes')
        .innerJoin('users', 'users.uuid', 'authorization_codes.user_uuid')
        .selectAll('authorization_codes')
        .where('id', '=', slot('id'))
        .where('secret_hash', '=', slot('hash')),
    ) as Compilable<Found>,
)

/** Reads a code, consumed or not, with whose it is; writes nothing. */
export async function findCode(
  store: Store,
  text: string,
  now: number,
): Promise<{ code: AuthorizationCode; person: PersonNow } | undefined> {
  const [, id, secret] = codePattern.exec(text) ?? []
  if (id === undefined || secret === undefined) return undefined
  const rows = await store.read(selectCode({ id, hash: hashSecret(secret) }))
  const [row] = rows
  if (row === undefined) return undefined
  return { code: asCode(row), person: asPerson(row, rows, now) }
}

function asCode(row: AuthorizationCodeRow): AuthorizationCode {
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

/** Waits for the lock before it locks the code, which may be removed meanwhile. */
const consume = preparedRow<{ id: string; familyId: string; now: number }, { id: string }>((db, slot) =>
  db
    .updateTable('authorization_codes')
    .set({ consumed_at: slot('now'), family_id: slot('familyId') })
    .where('id', '=', slot('id'))
    .where('consumed_at', 'is', null)
    .where('expires_at', '>', slot('now'))
    .where(exchanges.isHeldTogether(db))
    .returning('id'),
)

interface Parties {
  sid: string
  clientId: string
  profileUuid: string
  now: number
}

/**
 * The session, if it has not ended, the client and the profile count, and the person still allows the client something.
 * A client's organisation is the profile's, so it is asked once.
 */
export const holdUsable = preparedRow<Parties, { sid: string }>((db, slot) =>
  usableProfiles(db, slot('now'))
    .innerJoin('sessions', 'sessions.user_uuid', 'profiles.user_uuid')
    .innerJoin('clients', (on) => on.on('clients.client_id', '=', slot('clientId')))
    .select('sid')
    .where('profiles.uuid', '=', slot('profileUuid'))
    .where('sid', '=', slot('sid'))
    .where('ended_at', 'is', null)
    .where('clients.active', '=', 1)
    .where('clients.type', '=', 'public')
    .where(withinClient('profiles', 'clients'))
    .where(
      sql<boolean>`(clients.first_party = 1 or exists (select 1 from consents
        where consents.user_uuid = profiles.user_uuid and consents.client_id = clients.client_id))`,
    )
    .forShare('sessions'),
)

export type Redemption = 'redeemed' | 'expired' | 'already_used' | 'over'

/**
 * Consumes a code and opens its token family, in one durable commit.
 *
 * Concurrency: one conditional statement consumes the code, so of any number of parallel redemptions one
 * succeeds (RFC 6749 §4.1.2). A later one revokes, in its own transaction, the family that the first opened. What
 * ends a session, or disables whom or what the tokens are for, at the same time ends this family too, or keeps it from
 * being opened.
 */
export async function redeem(
  store: Store,
  id: string,
  family: TokenFamilyRow,
  { now, from }: { now: number; from: Source },
): Promise<Redemption> {
  const redemption = await store.write(() => redeeming(id, family, now))
  return redemption === 'consumed' ? await refuseConsumed(store, id, family, { now, from }) : redemption
}

function* redeeming(
  id: string,
  family: TokenFamilyRow,
  now: number,
): Steps<'redeemed' | 'over' | 'consumed'> {
  const consumed = yield* consume({ id, familyId: family.id, now })
  if (consumed === undefined) return 'consumed'
  // Asked again where nothing can come between: the family must not outlive its session, client or profile.
  const { sid, client_id: clientId, profile_uuid: profileUuid } = family
  const usable = yield* holdUsable({ sid, clientId, profileUuid, now })
  if (usable === undefined) return 'over'
  yield* insertFamily(family)
  return 'redeemed'
}

/** Why a code could not be consumed, which it never can be again. One that was used ends what it gave. */
async function refuseConsumed(
  store: Store,
  id: string,
  { user_uuid: userUuid, client_id: clientId, sid }: TokenFamilyRow,
  { now, from }: { now: number; from: Source },
): Promise<'expired' | 'already_used'> {
  const used = await store.db
    .selectFrom('authorization_codes')
    .select('family_id')
    .where('id', '=', id)
    .executeTakeFirst()
  if (used === undefined || used.family_id === null) return 'expired'
  const actor = { kind: 'client', id: clientId } as const
  const source = { address: from.address, requestId: from.requestId }
  const event = { at: now, kind: 'code.replayed', actor, ...source, reason: 'code_replayed' } as const
  await endFamily(store, { id: used.family_id, userUuid, clientId, sid }, event)
  return 'already_used'
}
