import { type Compilable, type Kysely, sql } from 'kysely'
import type { RequestSource } from '../audit/record.ts'
import { finishRequest } from './authorization-requests.ts'
import { finishPushed } from './pushed-requests.ts'
import { exchanges } from './exchange-lock.ts'
import { hashSecret, newId, newSecret } from '../protocol/identifier.ts'
import type { Store } from '../database/store.ts'
import { asPerson, type PersonNow, type PersonRow, withPerson } from './person.ts'
import { prepared, preparedRow, slotColumns, type SlotOf, slotRow, type Steps } from '../database/prepared.ts'
import { lastly } from '../database/steps.ts'
import type { Schema } from '../database/schema.ts'
import type { AuthorizationCodeRow } from '../database/schema-tokens.ts'
import { endFamily, grantColumns, type NewFamilyRow, newFamilyColumns } from './token-families.ts'
import { usableProfiles, withinClient } from './usable.ts'

/** What an authorization code stands for. Without a code_challenge or nonce it has an empty one. */
export type AuthorizationCode = AuthorizationCodeRow

const codePattern = /^([0-9a-f]{32})\.([A-Za-z0-9_-]{43})$/

/**
 * Stores a new code and yields it: `<id>.<256 random bits>`; the table holds the hash of the second part. The id is that
 * of the request that it answers, where one was kept: who goes back to its page is told of the application.
 *
 * Concurrency: the authorization request that it answers, where one was kept, ends in the same transaction, so of any
 * number of parallel answers one is given; so does the one that the client pushed, of all that were begun with it in
 * any browser. Undefined: it was answered before.
 */
export async function issueCode(
  store: Store,
  code: Omit<NewCode, 'id' | 'secret_hash' | 'created_at' | 'expires_at'>,
  { now, lifetime, requestId, pushed }: Answering,
): Promise<string | undefined> {
  const id = requestId ?? newId(now)
  const secret = newSecret()
  const row = {
    id,
    secret_hash: hashSecret(secret),
    ...code,
    created_at: now,
    expires_at: now + lifetime,
  }
  if (requestId === undefined && pushed === undefined) await store.writeOne(() => insertCode(row))
  else if (!(await store.write(() => answering(row, { requestId, pushed })))) return undefined
  return `${id}.${secret}`
}

interface Answering {
  now: number
  lifetime: number
  requestId?: string | undefined
  /** The hash of the request that the client pushed. */
  pushed?: string | undefined
}

/** The code is made of the request while it is there, so the request may go in the same turn. */
function* answering(
  row: NewCode,
  { requestId: id, pushed }: Pick<Answering, 'requestId' | 'pushed'>,
): Steps<boolean> {
  const insertion = pushed === undefined ? insertAnswer(row) : insertPushed({ ...row, pushed })
  const [given] = yield* lastly(
    insertion,
    ...(id === undefined ? [] : [finishRequest({ id })]),
    ...(pushed === undefined ? [] : [finishPushed({ pushed })]),
  )
  return given !== undefined
}

type NewCode = Omit<AuthorizationCodeRow, 'consumed_at' | 'family_id'>

const newCode = [
  ...grantColumns,
  'secret_hash',
  'redirect_uri',
  'code_challenge',
  'nonce',
] as const satisfies readonly (keyof NewCode)[]

const insertCode = prepared<NewCode, never>((db, slot) =>
  db.insertInto('authorization_codes').values(slotRow(newCode, slot)),
)

/** Waits for another answer to the same request, and then finds none to answer. */
const insertAnswer = preparedRow<NewCode, { id: string }>((db, slot) =>
  db
    .insertInto('authorization_codes')
    .columns(newCode)
    .expression(
      db
        .selectFrom('authorization_requests')
        .select(slotColumns(newCode, slot))
        .where('authorization_requests.id', '=', slot('id'))
        .forUpdate(),
    )
    .returning('id'),
)

/** Waits for other answers to what was pushed, whichever browser they are for. */
const insertPushed = preparedRow<NewCode & { pushed: string }, { id: string }>((db, slot) =>
  db
    .insertInto('authorization_codes')
    .columns(newCode)
    .expression(
      db
        .selectFrom('pushed_requests')
        .select(slotColumns(newCode, slot))
        .where('pushed_requests.hash', '=', slot('pushed'))
        .forUpdate(),
    )
    .returning('id'),
)

type CodeWithPerson = AuthorizationCodeRow & PersonRow

const selectCode = prepared<{ id: string; hash: string }, CodeWithPerson>(
  (db, slot) =>
    withPerson(
      db
        .selectFrom('authorization_codes')
        .innerJoin('users', 'users.uuid', 'authorization_codes.user_uuid')
        .selectAll('authorization_codes')
        .where('id', '=', slot('id'))
        .where('secret_hash', '=', slot('hash')),
    ) as Compilable<CodeWithPerson>,
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
  return { code: row, person: asPerson(row, rows, now) }
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

export interface Parties {
  sid: string
  client_id: string
  profile_uuid: string
  now: number
}

/**
 * The session, if it has not ended, the client and the profile count, and the person still allows the client something.
 * A client's organisation is the profile's, so it is asked once.
 */
const usableParties = (db: Kysely<Schema>, slot: SlotOf<Parties>) =>
  usableProfiles(db, slot('now'))
    .innerJoin('sessions', 'sessions.user_uuid', 'profiles.user_uuid')
    .innerJoin('clients', (on) => on.on('clients.client_id', '=', slot('client_id')))
    .where('profiles.uuid', '=', slot('profile_uuid'))
    .where('sessions.sid', '=', slot('sid'))
    .where('sessions.ended_at', 'is', null)
    .where('clients.active', '=', 1)
    .where('clients.type', '<>', 'machine')
    .where(withinClient('profiles', 'clients'))
    .where(
      sql<boolean>`(clients.first_party = 1 or exists (select 1 from consents
        where consents.user_uuid = profiles.user_uuid and consents.client_id = clients.client_id))`,
    )
    .forShare('sessions')

export const holdUsable = preparedRow<Parties, { sid: string }>((db, slot) =>
  usableParties(db, slot).select('sessions.sid'),
)

/**
 * Asks again where nothing can come between, because the family must not outlive its session, client or profile. The
 * code must have been consumed for this very family.
 */
const openFamily = preparedRow<NewFamilyRow & Parties & { code: string }, { id: string }>((db, slot) =>
  db
    .insertInto('token_families')
    .columns(newFamilyColumns)
    .expression(
      usableParties(db, slot)
        .select(slotColumns(newFamilyColumns, slot))
        .where((at) =>
          at.exists(
            db
              .selectFrom('authorization_codes')
              .select('authorization_codes.id')
              .where('authorization_codes.id', '=', slot('code'))
              .where('authorization_codes.family_id', '=', slot('id')),
          ),
        ),
    )
    .returning('id'),
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
  family: NewFamilyRow,
  { now, from }: { now: number; from: RequestSource },
): Promise<Redemption> {
  const redemption = await store.write(() => redeeming(id, family, now))
  return redemption === 'consumed' ? await refuseConsumed(store, id, family, { now, from }) : redemption
}

/** The family is opened by the code that it consumed, and by nothing else. */
function* redeeming(id: string, family: NewFamilyRow, now: number): Steps<'redeemed' | 'over' | 'consumed'> {
  const [consumed, opened] = yield* lastly(
    consume({ id, familyId: family.id, now }),
    openFamily({ ...family, code: id, now }),
  )
  if (consumed === undefined) return 'consumed'
  return opened === undefined ? 'over' : 'redeemed'
}

/** Why a code could not be consumed, which it never can be again. One that was used ends what it gave. */
async function refuseConsumed(
  store: Store,
  id: string,
  { user_uuid, client_id, sid }: NewFamilyRow,
  { now, from }: { now: number; from: RequestSource },
): Promise<'expired' | 'already_used'> {
  const used = await store.db
    .selectFrom('authorization_codes')
    .select('family_id')
    .where('id', '=', id)
    .executeTakeFirst()
  if (used === undefined || used.family_id === null) return 'expired'
  const actor = { kind: 'client', id: client_id } as const
  const source = { address: from.address, requestId: from.requestId }
  const event = { at: now, kind: 'code.replayed', actor, ...source, reason: 'code_replayed' } as const
  await endFamily(store, { id: used.family_id, user_uuid, client_id, sid }, event)
  return 'already_used'
}
