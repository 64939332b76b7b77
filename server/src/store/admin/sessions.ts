import type { Kysely } from 'kysely'
import { notFound, wrongField } from '../../protocol/problem.ts'
import { record, recordAll } from '../audit.ts'
import type { Store } from '../open.ts'
import { lockAdministration } from '../revision.ts'
import { endSessionsOf } from '../revoke-unusable.ts'
import type { Schema, SessionRow } from '../schema.ts'
import type { TokenFamilyRow } from '../schema-tokens.ts'
import { endWithin } from '../sessions.ts'
import { revokeFamily } from '../token-families.ts'
import { checkActing } from './acting.ts'
import type { By, Transacting } from './change.ts'
import { type Authority, isMember, permissionsOf, profilesHeldBy, type Reach, withinReach } from './reach.ts'

const reason = 'administrator'

/** Everything of one person is a short list; everything of everybody belongs to the whole installation. */
export function requireUser(reach: Reach, userUuid: string | undefined): void {
  if (reach.organisationUuid === undefined || userUuid !== undefined) return
  throw wrongField('user_uuid', 'It is needed: whoever administers an organisation asks about one person.')
}

/** The next sessions that have not ended, by sid, at most `limit`. */
export async function listSessions(
  { db }: Store,
  { reach, userUuid, now }: { reach: Reach; userUuid: string | undefined; now: number },
  after: string | undefined,
  limit: number,
): Promise<{ rows: SessionRow[]; next: string | undefined }> {
  requireUser(reach, userUuid)
  if (userUuid !== undefined && !(await isMember(db, userUuid, reach))) return { rows: [], next: undefined }
  const rows = await db
    .selectFrom('sessions')
    .selectAll()
    .where('ended_at', 'is', null)
    .where('expires_at', '>', now)
    .$if(userUuid !== undefined, (query) => query.where('user_uuid', '=', userUuid ?? ''))
    .$if(after !== undefined, (query) => query.where('sid', '>', after ?? ''))
    .orderBy('sid')
    .limit(limit + 1)
    .execute()
  const page = rows.slice(0, limit)
  return { rows: page, next: rows.length > limit ? page.at(-1)?.sid : undefined }
}

/** A session of somebody within the reach, ended or not. */
export async function readSession(store: Store, sid: string, reach: Reach): Promise<SessionRow | undefined> {
  return await sessionWithin(store.db, sid, reach)
}

async function sessionWithin(db: Kysely<Schema>, sid: string, reach: Reach): Promise<SessionRow | undefined> {
  const row = await db.selectFrom('sessions').selectAll().where('sid', '=', sid).executeTakeFirst()
  return row !== undefined && (await isMember(db, row.user_uuid, reach)) ? row : undefined
}

/**
 * One transaction for what an administrator ends. Concurrency: as `change`: none of it happens beside another change,
 * and who acts is asked again in it.
 */
export async function ending(store: Store, by: By, work: (trx: Transacting) => Promise<void>): Promise<void> {
  await store.db.transaction().execute(async (trx) => {
    await lockAdministration(trx, store.dialect)
    await checkActing(trx, by)
    await work(trx)
  })
}

/** Ends a session with its token families, tells the clients that take part, and records it. */
export async function endOneSession(store: Store, by: By, authority: Authority, sid: string): Promise<void> {
  await ending(store, by, async (trx) => {
    const row = await sessionWithin(trx, sid, authority.reach)
    if (row === undefined) throw notFound('session')
    authority.changes(await profilesHeldBy(trx, row.user_uuid, authority.reach))
    const { organisationUuid } = authority.reach
    const events = await endWithin(trx, sid, { now: by.now, reason, by })
    const records = events.map((one) => ({ ...one, organisationUuid }))
    await recordAll(store, records, trx)
  })
}

/** Ends everything that somebody signed in to. */
export async function endAllSessions(
  store: Store,
  by: By,
  authority: Authority,
  userUuid: string,
): Promise<void> {
  await ending(store, by, async (trx) => {
    if (!(await isMember(trx, userUuid, authority.reach))) throw notFound('user')
    const user = await trx.selectFrom('users').select('uuid').where('uuid', '=', userUuid).executeTakeFirst()
    if (user === undefined) throw notFound('user')
    authority.changes(await profilesHeldBy(trx, userUuid, authority.reach))
    // Codes first: an exchange holds its code when it asks for the session.
    await trx
      .deleteFrom('authorization_codes')
      .where('user_uuid', '=', userUuid)
      .where('consumed_at', 'is', null)
      .execute()
    const ended = await endSessionsOf(trx, [userUuid], by.now, reason)
    if (ended.sessions + ended.families === 0) return
    const target = { kind: 'user', id: userUuid }
    const detail = { sessions: ended.sessions, families: ended.families }
    await tell(store, trx, by, { kind: 'session.ended', target, userUuid, authority, detail })
  })
}

export interface FamilyFilter {
  reach: Reach
  userUuid: string | undefined
  clientId: string | undefined
  now: number
}

/** The next token families that count, by id and so by age, at most `limit`. */
export async function listFamilies(
  { db }: Store,
  { reach, userUuid, clientId, now }: FamilyFilter,
  after: string | undefined,
  limit: number,
): Promise<{ rows: TokenFamilyRow[]; next: string | undefined }> {
  requireUser(reach, userUuid)
  const within = await profilesWithin(db, userUuid, reach)
  if (within?.length === 0) return { rows: [], next: undefined }
  const rows = await db
    .selectFrom('token_families')
    .selectAll()
    .$if(within !== undefined, (query) => query.where('profile_uuid', 'in', within ?? []))
    .where('revoked_at', 'is', null)
    .where('idle_expires_at', '>', now)
    .$if(userUuid !== undefined, (query) => query.where('user_uuid', '=', userUuid ?? ''))
    .$if(clientId !== undefined, (query) => query.where('client_id', '=', clientId ?? ''))
    .$if(after !== undefined, (query) => query.where('id', '>', after ?? ''))
    .orderBy('id')
    .limit(limit + 1)
    .execute()
  const page = rows.slice(0, limit)
  return { rows: page, next: rows.length > limit ? page.at(-1)?.id : undefined }
}

/** The profiles of a user under which tokens are seen; undefined: all. */
async function profilesWithin(
  db: Kysely<Schema>,
  userUuid: string | undefined,
  reach: Reach,
): Promise<string[] | undefined> {
  if (reach.organisationUuid === undefined) return undefined
  const held = await profilesHeldBy(db, userUuid ?? '', reach)
  return held.filter((one) => one.within).map((one) => one.uuid)
}

/** Revokes what one authorization gave, which was issued under a profile within the reach. */
export async function revokeOneFamily(store: Store, by: By, authority: Authority, id: string): Promise<void> {
  await ending(store, by, async (trx) => {
    const row = await trx.selectFrom('token_families').selectAll().where('id', '=', id).executeTakeFirst()
    if (row === undefined) throw notFound('token family')
    const { profile_uuid: uuid } = row
    const profile = await trx.selectFrom('profiles').selectAll().where('uuid', '=', uuid).executeTakeFirst()
    const isWithin = await withinReach(trx, authority.reach)
    if (!isWithin(profile ?? { organisation_uuid: null, unit_uuid: null })) throw notFound('token family')
    const permissions = profile === undefined ? [] : await permissionsOf(trx, profile.role_code)
    authority.changes([{ uuid, permissions, within: true }])
    if (!(await revokeFamily(trx, id, by.now, reason))) return
    const target = { kind: 'token_family', id }
    const detail = { client_id: row.client_id }
    await tell(store, trx, by, {
      kind: 'token_family.revoked',
      target,
      userUuid: row.user_uuid,
      authority,
      detail,
    })
  })
}

interface Ended {
  kind: 'session.ended' | 'token_family.revoked'
  target: { kind: string; id: string }
  userUuid: string
  authority: Authority
  detail?: Record<string, string | number>
}

/** The last thing of its transaction: see `record`. */
async function tell(store: Store, trx: Transacting, by: By, ended: Ended): Promise<void> {
  const { now: at, ...origin } = by
  const { kind, target, userUuid, authority, detail } = ended
  const { organisationUuid } = authority.reach
  const event = { at, kind, ...origin, target, userUuid, organisationUuid }
  await record(store, { ...event, detail: { ...detail, reason } }, trx)
}
