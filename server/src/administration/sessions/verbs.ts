import { rowOf, rowsOf } from '../../database/rows.ts'
import { type Kysely, sql } from 'kysely'
import { notFound, wrongField } from '../../protocol/problem.ts'
import { recordAll } from '../../audit/record.ts'
import type { Store } from '../../database/store.ts'
import { end } from '../../store/ending.ts'
import type { Schema } from '../../database/schema.ts'
import type { TokenFamilyRow } from '../../database/schema-tokens.ts'
import { endWithin } from '../../store/sessions.ts'
import type { By, Row } from '../by.ts'
import { administering, change } from '../change.ts'
import { type Reach, permissionsOf, profilesHeldBy, withinReach } from '../../access/reach.ts'
import { type After, emptyPage, type Page, pageBy } from '../../database/page.ts'
import { toChange } from '../resource.ts'
import { users } from '../users/verbs.ts'

const reason = 'administrator'

/** Everything of one person is a short list; everything of everybody belongs to the whole installation. */
export function requireUser(reach: Reach, user_uuid: string | undefined): void {
  if (reach.organisation_uuid === undefined || user_uuid !== undefined) return
  throw wrongField('user_uuid', 'It is needed: an administrator of an organisation asks about one person.')
}

/** The next sessions within the reach that have not ended, by sid, at most `limit`. */
export async function listSessions(
  { db }: Store,
  { reach, user_uuid, now }: { reach: Reach; user_uuid: string | undefined; now: number },
  after: After,
  limit: number,
): Promise<Page<Row<'sessions'>>> {
  requireUser(reach, user_uuid)
  const within = user_uuid === undefined ? undefined : await profilesSeen(db, user_uuid, reach)
  if (within?.length === 0) return emptyPage
  const matching = rowsOf(db, 'sessions', { user_uuid })
    .where('ended_at', 'is', null)
    .where('expires_at', '>', now)
    .$if(within !== undefined, (query) => query.where(gaveTokensUnder(within ?? [])))
  return await pageBy(matching, ['sid'], { after, limit })
}

/** A session of somebody within the reach, ended or not. Throws `not_found`. */
export async function sessionWithin(db: Kysely<Schema>, sid: string, reach: Reach): Promise<Row<'sessions'>> {
  const one = rowsOf(db, 'sessions', { sid })
  const row = await one.executeTakeFirst()
  if (row === undefined) throw notFound('session')
  const within = await profilesSeen(db, row.user_uuid, reach)
  const isSeen =
    within === undefined ||
    (within.length > 0 && (await one.where(gaveTokensUnder(within)).executeTakeFirst()) !== undefined)
  if (!isSeen) throw notFound('session')
  return row
}

/**
 * The profiles by which the sessions of somebody are seen; undefined: all of them are, because everything that they
 * hold is within the reach. Where a person belongs to others too, sign-ins there are not shown.
 */
async function profilesSeen(
  db: Kysely<Schema>,
  user_uuid: string,
  reach: Reach,
): Promise<string[] | undefined> {
  if (reach.organisation_uuid === undefined) return undefined
  const held = await profilesHeldBy(db, user_uuid, reach)
  const within = held.filter((one) => one.within).map((one) => one.uuid)
  return within.length > 0 && within.length === held.length ? undefined : within
}

const gaveTokensUnder = (profileUuids: readonly string[]) => sql<boolean>`exists (
  select 1 from token_families
  where token_families.sid = sessions.sid and token_families.profile_uuid in (${sql.join(profileUuids)})
)`

/** Ends a session with its token families, tells the clients that take part, and records it. */
export async function endOneSession(store: Store, by: By, sid: string): Promise<void> {
  await administering(store, by, async (trx) => {
    const row = await sessionWithin(trx, sid, by.authority.reach)
    by.authority.changes(await profilesHeldBy(trx, row.user_uuid, by.authority.reach))
    const { organisation_uuid } = by.authority.reach
    const events = await endWithin(trx, sid, { now: by.now, reason, by })
    const records = events.map((one) => ({ ...one, organisation_uuid }))
    await recordAll(store, records, trx)
  })
}

/** Ends everything that somebody signed in to. */
export async function endAllSessions(store: Store, by: By, user_uuid: string): Promise<void> {
  await change(store, by, async (trx) => {
    await toChange(trx, users, { id: user_uuid, versions: undefined }, by)
    const { sessions, families } = await end(trx, { users: [user_uuid] }, { now: by.now, reason })
    if (sessions.length + families === 0) return { result: undefined }
    const target = { kind: 'user', id: user_uuid }
    const detail = { sessions: sessions.length, families, reason }
    const { organisation_uuid } = by.authority.reach
    const event = { kind: 'session.ended' as const, target, user_uuid, organisation_uuid, detail }
    return { result: undefined, events: [event] }
  })
}

export interface FamilyFilter {
  reach: Reach
  user_uuid: string | undefined
  client_id: string | undefined
  now: number
}

/** The next token families that count, by id and so by age, at most `limit`. */
export async function listFamilies(
  { db }: Store,
  { reach, user_uuid, client_id, now }: FamilyFilter,
  after: After,
  limit: number,
): Promise<Page<TokenFamilyRow>> {
  requireUser(reach, user_uuid)
  const within = await profilesWithin(db, user_uuid, reach)
  if (within?.length === 0) return emptyPage
  const filter = { user_uuid, client_id, profile_uuid: within }
  const matching = rowsOf(db, 'token_families', filter)
    .where('revoked_at', 'is', null)
    .where('idle_expires_at', '>', now)
  return await pageBy(matching, ['id'], { after, limit })
}

/** The profiles of a user under which tokens are seen; undefined: all. */
async function profilesWithin(
  db: Kysely<Schema>,
  user_uuid: string | undefined,
  reach: Reach,
): Promise<string[] | undefined> {
  if (reach.organisation_uuid === undefined) return undefined
  const held = await profilesHeldBy(db, user_uuid ?? '', reach)
  return held.filter((one) => one.within).map((one) => one.uuid)
}

/** Revokes what one authorization gave, which was issued under a profile within the reach. */
export async function revokeOneFamily(store: Store, by: By, id: string): Promise<void> {
  await change(store, by, async (trx) => {
    const row = await rowOf(trx, 'token_families', { id })
    if (row === undefined) throw notFound('token family')
    const profile = await rowOf(trx, 'profiles', { uuid: row.profile_uuid })
    const isWithin = await withinReach(trx, by.authority.reach)
    if (!isWithin(profile ?? { organisation_uuid: null, unit_uuid: null })) throw notFound('token family')
    const permissions = profile === undefined ? [] : await permissionsOf(trx, profile.role_code)
    by.authority.changes([{ permissions, within: true }])
    const { families } = await end(trx, { family: id }, { now: by.now, reason })
    if (families === 0) return { result: undefined }
    const { organisation_uuid } = by.authority.reach
    const about = { target: { kind: 'token_family', id }, user_uuid: row.user_uuid, organisation_uuid }
    const detail = { client_id: row.client_id, reason }
    return { result: undefined, events: [{ kind: 'token_family.revoked', ...about, detail }] }
  })
}
