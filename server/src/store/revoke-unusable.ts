import { expressionBuilder, type Kysely, sql } from 'kysely'
import { chunksOf } from './chunks.ts'
import { endCodes } from './end-codes.ts'
import { waitForExchanges } from './exchange-lock.ts'
import { noticeLogout } from './logout-notices.ts'
import type { Schema } from './schema.ts'

/** How many sessions and token families ended. */
export interface Ended {
  sessions: number
  families: number
}

/**
 * Ends the sessions of users who are disabled or gone, and revokes the token families whose user, client or
 * profile can't be used any more: disabled, gone, expired, or holding by a role, organisation or unit that is
 * disabled (decisions 5). Also ends the codes that would open such families, and the tokens of machines that are
 * disabled. Part of every verb that changes one of those.
 */
export async function revokeUnusable(trx: Kysely<Schema>, now: number): Promise<Ended> {
  await waitForExchanges(trx)
  const sessions = await trx
    .updateTable('sessions')
    .set({ ended_at: now })
    .where('ended_at', 'is', null)
    .where(noActiveUser('sessions.user_uuid'))
    .returning('sid')
    .execute()
  for (const { sid } of sessions) await noticeLogout(trx, sid, now)
  const byUser = await families(trx, now, 'user_disabled')
    .where(noActiveUser('token_families.user_uuid'))
    .executeTakeFirst()
  const byClient = await families(trx, now, 'client_disabled')
    .where(({ not, exists }) => not(exists(usableClient('token_families'))))
    .executeTakeFirst()
  const byProfile = await families(trx, now, 'profile_disabled')
    .where(({ not, exists }) => not(exists(usableProfile('token_families', now))))
    .executeTakeFirst()
  await endMachineTokens(trx)
    .where(({ eb, or, selectFrom }) =>
      or([
        eb('active', '=', 0),
        eb('organisation_uuid', 'in', selectFrom('organisations').select('uuid').where('active', '=', 0)),
      ]),
    )
    .execute()
  const codes = 'authorization_codes'
  const { not, exists, or } = expressionBuilder<Schema, typeof codes>()
  await endCodes(trx, or([not(exists(usableClient(codes))), not(exists(usableProfile(codes, now)))]), now)
  return {
    sessions: sessions.length,
    families: Number(byUser.numUpdatedRows + byClient.numUpdatedRows + byProfile.numUpdatedRows),
  }
}

/** Ends all sessions of these users and revokes all their token families. */
export async function endSessionsOf(
  trx: Kysely<Schema>,
  userUuids: readonly string[],
  now: number,
  reason: string,
): Promise<Ended> {
  const ended: Ended = { sessions: 0, families: 0 }
  for (const userUuid of userUuids) {
    const sessions = await trx
      .updateTable('sessions')
      .set({ ended_at: now })
      .where('user_uuid', '=', userUuid)
      .where('ended_at', 'is', null)
      .returning('sid')
      .execute()
    for (const { sid } of sessions) await noticeLogout(trx, sid, now)
    const revoked = await families(trx, now, reason).where('user_uuid', '=', userUuid).executeTakeFirst()
    ended.sessions += sessions.length
    ended.families += Number(revoked.numUpdatedRows)
  }
  return ended
}

/** What profiles hold by, or one of them. */
export type ProfilesBy =
  | { uuid: string }
  | { role_code: string }
  | { organisation_uuid: string }
  | { unit_uuid: string }

/**
 * Revokes the token families of profiles that end by one of these, and yields how many; ends the codes that would open
 * others. Before they are removed: it asks the profiles who has such families, and so an index, however many there are
 * of others.
 */
export async function revokeFamiliesOf(
  trx: Kysely<Schema>,
  by: ProfilesBy,
  now: number,
  reason: string,
): Promise<number> {
  await waitForExchanges(trx)
  const [[column, value] = ['uuid', '']] = Object.entries(by)
  const these = sql`from profiles where ${sql.ref(column)} = ${value}`
  const revoked = await families(trx, now, reason)
    .where(sql<boolean>`user_uuid in (select user_uuid ${these}) and profile_uuid in (select uuid ${these})`)
    .executeTakeFirst()
  await endCodes(trx, sql<boolean>`profile_uuid in (select uuid ${these})`, now)
  return Number(revoked.numUpdatedRows)
}

/** Ends what a profile gave if it can't be used as it is now, as when it was moved to a role that is disabled. */
export async function revokeUnusableProfile(
  trx: Kysely<Schema>,
  { uuid, user_uuid: userUuid }: { uuid: string; user_uuid: string },
  now: number,
): Promise<void> {
  await waitForExchanges(trx)
  await families(trx, now, 'profile_disabled')
    .where('user_uuid', '=', userUuid)
    .where('profile_uuid', '=', uuid)
    .where(({ not, exists }) => not(exists(usableProfile('token_families', now))))
    .execute()
  const { and, eb, not, exists } = expressionBuilder<Schema, 'authorization_codes'>()
  const unusable = not(exists(usableProfile('authorization_codes', now)))
  await endCodes(trx, and([eb('profile_uuid', '=', uuid), unusable]), now)
}

/** Revokes the token families of the clients of an organisation, and ends their codes and the tokens of its machines. */
export async function revokeFamiliesOfClientsOf(
  trx: Kysely<Schema>,
  organisationUuid: string,
  now: number,
  reason: string,
): Promise<void> {
  await endMachineTokens(trx).where('organisation_uuid', '=', organisationUuid).execute()
  const clients = await trx
    .selectFrom('clients')
    .select('client_id')
    .where('organisation_uuid', '=', organisationUuid)
    .where('type', '=', 'public')
    .execute()
  if (clients.length === 0) return
  await waitForExchanges(trx)
  for (const ids of chunksOf(clients.map((client) => client.client_id))) {
    await families(trx, now, reason).where('client_id', 'in', ids).execute()
    await endCodes(trx, expressionBuilder<Schema, 'authorization_codes'>()('client_id', 'in', ids), now)
  }
}

/** Revokes the token families of one client, or ends its tokens, where it is a machine. */
export async function revokeFamiliesOfClient(
  trx: Kysely<Schema>,
  clientId: string,
  now: number,
  reason: string,
): Promise<void> {
  await waitForExchanges(trx)
  await families(trx, now, reason).where('client_id', '=', clientId).execute()
  await endMachineTokens(trx).where('client_id', '=', clientId).execute()
}

/** Which are kept nowhere: those of the generation before count no more, also when the machine can be used again. */
const endMachineTokens = (trx: Kysely<Schema>) =>
  trx
    .updateTable('clients')
    .set({ token_generation: sql<number>`token_generation + 1` })
    .where('type', '=', 'machine')

function families(trx: Kysely<Schema>, now: number, reason: string) {
  return trx
    .updateTable('token_families')
    .set({ revoked_at: now, revoked_reason: reason })
    .where('revoked_at', 'is', null)
}

/** What is asked of families and of the codes that would open them. */
type Issued = 'token_families' | 'authorization_codes'

function noActiveUser(reference: string) {
  const user = sql.ref(reference)
  return sql<boolean>`not exists (select 1 from users as u where u.uuid = ${user} and u.active = 1)`
}

/** A client that acts for people; a machine has no token families. */
function usableClient(issued: Issued) {
  return expressionBuilder<Schema>()
    .selectFrom('clients as c')
    .leftJoin('organisations as o', 'o.uuid', 'c.organisation_uuid')
    .select(sql`1`.as('one'))
    .where('c.client_id', '=', sql.ref<string>(`${issued}.client_id`))
    .where('c.active', '=', 1)
    .where('c.type', '=', 'public')
    .where((w) => w.or([w('c.organisation_uuid', 'is', null), w('o.active', '=', 1)]))
}

function usableProfile(issued: Issued, now: number) {
  return expressionBuilder<Schema>()
    .selectFrom('profiles as p')
    .innerJoin('roles as r', 'r.code', 'p.role_code')
    .leftJoin('organisations as o', 'o.uuid', 'p.organisation_uuid')
    .leftJoin('units as n', 'n.uuid', 'p.unit_uuid')
    .select(sql`1`.as('one'))
    .where('p.uuid', '=', sql.ref<string>(`${issued}.profile_uuid`))
    .where('p.user_uuid', '=', sql.ref<string>(`${issued}.user_uuid`))
    .where('p.active', '=', 1)
    .where('r.active', '=', 1)
    .where((w) => w.or([w('p.expires_at', 'is', null), w('p.expires_at', '>', now)]))
    .where((w) => w.or([w('p.organisation_uuid', 'is', null), w('o.active', '=', 1)]))
    .where((w) => w.or([w('p.unit_uuid', 'is', null), w('n.active', '=', 1)]))
}
