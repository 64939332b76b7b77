import { createHmac } from 'node:crypto'
import { type Compilable, type Kysely, sql } from 'kysely'
import type { RequestSource } from '../audit/record.ts'
import { holdUsable } from './authorization-codes.ts'
import { rowOf, rowsOf } from '../database/rows.ts'
import { entering, entryListsOf } from './entry.ts'
import { exchanges } from './exchange-lock.ts'
import { inTransaction } from './in-transaction.ts'
import { hashSecret, newSecret } from '../protocol/identifier.ts'
import type { Store } from '../database/store.ts'
import { asPerson, type PersonNow, type PersonRow, withPerson } from './person.ts'
import { prepared, preparedRow } from '../database/prepared.ts'
import { parseRefreshToken, type RefreshToken, refreshTokenText } from './refresh-token-text.ts'
import type { Schema } from '../database/schema.ts'
import type { TokenFamilyRow } from '../database/schema-tokens.ts'
import { type Predecessor, replacePredecessors, type Rotation, type Unanswered } from './unanswered.ts'
import { endFamily } from './token-families.ts'

/** A replaced refresh token gets the same successor again for this long: a lost response, two tabs (decisions 5). */
export const rotationGrace = 10_000

/**
 * A replaced refresh token whose successor was sent to nobody gets it once more within this time: an outage is no theft.
 * The replaced token is the newest that anybody has: it gives a thief what the current token gives one, as if the
 * refresh had never come (RFC 9700 §4.14). Once the successor is used, and after the second time, it counts as
 * replayed.
 */
const unansweredLife = 600_000

/** The clocks of two machines differ by less: what was replaced later than that was so before the clock was set back. */
const clockSkew = 60_000

/** Predecessors kept within the grace period; an older one counts as replayed. */
const maxPredecessors = 20

/**
 * The successor of a rotating secret. It is made of the token that was replaced and of the salt, 256 random bits each,
 * so the bearer of that token can be given the same successor again, and nobody else can make it.
 */
function successorOf(secret: string, salt: string): string {
  return createHmac('sha256', secret).update(salt).digest('base64url')
}

/**
 * A presented refresh token, before anything is written. `replayed`: it was replaced, and the grace is over;
 * `unused`: the same, but its successor was not used since.
 */
export type Presented = { state: 'unknown' } | OfFamily<'replayed'> | OfFamily<'unused'> | Rotatable

/** One that has a successor, or can be given one. `unanswered`: nobody was sent it, and the grace is over. */
export type Rotatable = OfFamily<'current' | 'replaced' | 'unanswered'>

interface OfFamily<State> {
  state: State
  family: TokenFamilyRow
  /** The person of the family, as they are now. */
  person: PersonNow
  token: RefreshToken
}

type FamilyWithPerson = TokenFamilyRow & PersonRow

const selectFamily = prepared<{ id: string; hash: string }, FamilyWithPerson>(
  (db, slot) =>
    withPerson(
      db
        .selectFrom('token_families')
        .innerJoin('users', 'users.uuid', 'token_families.user_uuid')
        .selectAll('token_families')
        .where('id', '=', slot('id'))
        .where('family_hash', '=', slot('hash')),
    ) as Compilable<FamilyWithPerson>,
)

/** Reads a refresh token; writes nothing. */
export async function presentRefreshToken(store: Store, text: string, now: number): Promise<Presented> {
  const token = parseRefreshToken(text)
  if (token === undefined) return { state: 'unknown' }
  const { familyId: id, familySecret } = token
  const rows = await store.read(selectFamily({ id, hash: hashSecret(familySecret) }))
  const [row] = rows
  if (row === undefined) return { state: 'unknown' }
  const state = stateOf(row, hashSecret(token.secret), now)
  return { state, family: row, person: asPerson(row, rows, now), token }
}

function stateOf(row: TokenFamilyRow, hash: string, now: number) {
  if (row.current_hash === hash) return 'current'
  if (predecessorOf(row, hash, now) !== undefined) return 'replaced'
  const last = predecessorsOf(row).at(-1)
  // The current token follows the last one that was replaced.
  if (last?.hash !== hash) return 'replayed'
  return isWithin(last.unanswered ?? -Infinity, now, unansweredLife) ? 'unanswered' : 'unused'
}

interface Replacement extends Rotation {
  hash: string
  /** Null: the profile stays. */
  profile_uuid: string | null
  now: number
  idleEnd: number
}

const replaceCurrent = preparedRow<Replacement, { id: string }>((db, slot) =>
  db
    .updateTable('token_families')
    .set({
      current_hash: slot('successor'),
      predecessors: slot('predecessors'),
      profile_uuid: sql<string>`coalesce(${slot('profile_uuid')}, profile_uuid)`,
      last_used_at: slot('now'),
      idle_expires_at: slot('idleEnd'),
    })
    .where('id', '=', slot('id'))
    .where('current_hash', '=', slot('hash'))
    .where('revoked_at', 'is', null)
    .where('idle_expires_at', '>', slot('now'))
    .returning('id'),
)

export interface RotationChange {
  profile_uuid: string | undefined
  now: number
  idle: number
  /** Whether the token stays as it is, and only lives on. */
  stays?: boolean
  /** Hears of a refresh that may be written, and can't be answered. */
  unanswered: Unanswered
}

/** The successor; and how it was written, where this very request did so. */
export interface Rotated {
  text: string
  rotation: Rotation | undefined
}

/**
 * Replaces a refresh token by its successor, unless it stays, and switches the family's profile where one is given.
 *
 * Concurrency: the update names the hash it replaces, so of any number of parallel rotations of one token just
 * one takes effect; the others find their token replaced and yield the very same successor. There is never a
 * fork. A rotation that asks for no profile writes none, so it can't undo a switch beside it. One that asks for one
 * asks again, where nothing can come between, whether it can be used. Undefined: the token was revoked, expired or
 * replayed meanwhile, or the profile disabled, and nothing changed. A token that is given again because nobody was sent
 * it is given by one conditional statement; after that the grace counts.
 */
export async function rotate(
  store: Store,
  presented: Rotatable,
  change: RotationChange,
): Promise<Rotated | undefined> {
  const { token, family: row } = presented
  const { now } = change
  if (presented.state === 'current' && change.stays) {
    // Whoever has it needs no earlier one any more.
    const same = { id: row.id, successor: row.current_hash, predecessors: '[]' }
    if ((await replace(store, row, same, change)) !== undefined)
      return { text: refreshTokenText(token), rotation: undefined }
  } else if (presented.state === 'current') {
    const hash = row.current_hash
    const salt = newSecret()
    const successor = successorOf(token.secret, salt)
    const kept = recentPredecessors(row, now).slice(1 - maxPredecessors)
    const predecessors = JSON.stringify([...kept, { hash, salt, at: now }])
    const rotation = { id: row.id, successor: hashSecret(successor), predecessors }
    const replaced = await change.unanswered.watch(rotation, () => replace(store, row, rotation, change))
    if (replaced !== undefined) return { text: refreshTokenText({ ...token, secret: successor }), rotation }
  }
  return await sameSuccessor(store, token, change)
}

/** Undefined: the token is not the current one any more, or the profile can't be used. */
async function replace(
  store: Store,
  row: TokenFamilyRow,
  rotation: Rotation,
  { now, idle, profile_uuid }: RotationChange,
): Promise<{ id: string } | undefined> {
  const idleEnd = Math.min(now + idle, row.expires_at)
  const by = { ...rotation, hash: row.current_hash, now, idleEnd }
  const values = { ...by, profile_uuid: profile_uuid ?? null }
  if (profile_uuid === undefined) return await store.writeOne(() => replaceCurrent(values))
  return await whereUsable(store, row, { profile_uuid, now }, (trx) =>
    inTransaction(trx).read(replaceCurrent(values)),
  )
}

/** The successor of the first rotation, which a retry gets again. */
async function sameSuccessor(
  store: Store,
  token: RefreshToken,
  change: RotationChange,
): Promise<Rotated | undefined> {
  const { familyId: id, familySecret } = token
  const hash = hashSecret(token.secret)
  const { profile_uuid, now } = change
  for (;;) {
    const [row] = await store.read(selectFamily({ id, hash: hashSecret(familySecret) }))
    if (row === undefined || row.revoked_at !== null || row.idle_expires_at <= now) return undefined
    const state = stateOf(row, hash, now)
    if (state !== 'replaced' && state !== 'unanswered') return undefined
    const rotation = answeredNow(row, hash, { now, state })
    const by = rotation?.predecessors
    // Another retry was first, or the note that nobody was answered.
    if (rotation && by && !(await change.unanswered.watch(rotation, () => answer(store, row, by)))) continue
    const switched =
      profile_uuid === undefined ||
      (await whereUsable(store, row, { profile_uuid, now }, (trx) =>
        switchProfile(trx, row.id, profile_uuid),
      ))
    const salt = predecessorsOf(row).find((one) => one.hash === hash)?.salt
    if (switched !== true || salt === undefined) return undefined
    return { text: refreshTokenText({ ...token, secret: successorOf(token.secret, salt) }), rotation }
  }
}

const answer = async (store: Store, row: TokenFamilyRow, by: string): Promise<boolean> =>
  (await store.writeOne(() =>
    replacePredecessors({ id: row.id, successor: row.current_hash, predecessors: row.predecessors, by }),
  )) !== undefined

/**
 * The family when the successor is given again, which it says once: what is given is not to be noted as unanswered by
 * another process. Undefined: it says so already, or the successor was used.
 */
function answeredNow(
  row: TokenFamilyRow,
  hash: string,
  { now, state }: { now: number; state: 'replaced' | 'unanswered' },
): Rotation | undefined {
  const all = predecessorsOf(row)
  const last = all.at(-1)
  if (last?.hash !== hash || last.again === true) return undefined
  const at = state === 'unanswered' ? now : last.at
  const predecessors = JSON.stringify([...all.slice(0, -1), { hash, salt: last.salt, at, again: true }])
  return { id: row.id, successor: row.current_hash, predecessors }
}

/**
 * Gives a family another profile; undefined when that can't be used any more: a change that disables it meanwhile
 * finds the family with it, or comes first.
 */
async function whereUsable<T>(
  store: Store,
  { sid, client_id }: TokenFamilyRow,
  { profile_uuid, now }: { profile_uuid: string; now: number },
  work: (trx: Kysely<Schema>) => Promise<T>,
): Promise<T | undefined> {
  return await store.db.transaction().execute(async (trx) => {
    await exchanges.together(trx)
    const usable = await inTransaction(trx).read(holdUsable({ sid, client_id, profile_uuid, now }))
    if (usable === undefined || !(await letsIn(trx, client_id, profile_uuid))) return undefined
    return await work(trx)
  })
}

/** Whether the client lets the profile in, as both are in this transaction. */
async function letsIn(trx: Kysely<Schema>, client_id: string, profile_uuid: string): Promise<boolean> {
  const client = await rowOf(trx, 'clients', { client_id })
  const named = client && entryListsOf(client)
  if (named === undefined) return client !== undefined
  const profile = rowsOf(trx, 'profiles', { uuid: profile_uuid }).where(entering('profiles', named))
  return (await profile.executeTakeFirst()) !== undefined
}

async function switchProfile(trx: Kysely<Schema>, familyId: string, profile_uuid: string): Promise<boolean> {
  const row = await trx
    .updateTable('token_families')
    .set({ profile_uuid })
    .where('id', '=', familyId)
    .where('revoked_at', 'is', null)
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

/** Ends the family of a token that was presented after it had been replaced, and says so in the audit, once. */
export async function revokeReplayed(
  store: Store,
  family: TokenFamilyRow,
  { now, from }: { now: number; from: RequestSource },
): Promise<void> {
  const reason = 'refresh_token_replayed'
  const actor = { kind: 'client', id: family.client_id } as const
  const source = { address: from.address, requestId: from.requestId }
  await endFamily(store, family, { at: now, kind: 'refresh_token.replayed', actor, ...source, reason })
}

const predecessorsOf = (row: TokenFamilyRow) => JSON.parse(row.predecessors) as Predecessor[]

/** Whether it is less than `life` ago. What is far in the future was so before the clock was set back. */
const isWithin = (at: number, now: number, life: number) => now - at < life && at - now < clockSkew

const recentPredecessors = (row: TokenFamilyRow, now: number) =>
  predecessorsOf(row).filter(({ at }) => isWithin(at, now, rotationGrace))

const predecessorOf = (row: TokenFamilyRow, hash: string, now: number) =>
  recentPredecessors(row, now).find((one) => one.hash === hash)
