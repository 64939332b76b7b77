/** What ends with an upstream, a directory or a link: what it gave, what it said, and what was proved by it. */
import { type Kysely, sql } from 'kysely'
import type { AuditEvent, Origin } from '../audit/record.ts'
import { chunksOf } from '../database/chunks.ts'
import { updateRows } from '../database/many-rows.ts'
import type { Schema } from '../database/schema.ts'
import { end } from '../store/ending.ts'
import { endWithin } from '../store/sessions.ts'
import { settleMapped, type Source } from './mapped.ts'
import { letStand } from './suspended.ts'

interface SourceRow {
  uuid: string
  /** Null: of the whole installation, which gives nothing. */
  organisation_uuid: string | null
}

interface How {
  now: number
  by: Origin
}

/** Removes the links of these people to an upstream, with all that rests on them. Yields what is to be recorded. */
export async function unlink(
  trx: Kysely<Schema>,
  upstream: SourceRow,
  users: readonly string[],
  how: How,
): Promise<AuditEvent[]> {
  const events = await endGiven(trx, 'upstream', upstream, users, how.now)
  for (const some of chunksOf(users)) {
    events.push(...(await endProved(trx, upstream.uuid, some, how)))
    await trx
      .deleteFrom('upstream_links')
      .where('upstream_uuid', '=', upstream.uuid)
      .where('user_uuid', 'in', some)
      .execute()
  }
  return events
}

/** Ends what rests on an upstream that is about to be removed. Yields what is to be recorded. */
export async function endUpstream(trx: Kysely<Schema>, upstream: SourceRow, how: How): Promise<AuditEvent[]> {
  const linked = await trx
    .selectFrom('upstream_links')
    .select('user_uuid')
    .where('upstream_uuid', '=', upstream.uuid)
    .execute()
  const users = new Set([...linked.map((row) => row.user_uuid), ...(await toldBy(trx, upstream.uuid))])
  return await unlink(trx, upstream, [...users], how)
}

/** Ends what rests on a directory that is about to be removed. Yields what is to be recorded. */
export async function endDirectory(
  trx: Kysely<Schema>,
  directory: SourceRow,
  { now }: Pick<How, 'now'>,
): Promise<AuditEvent[]> {
  return await endGiven(trx, 'directory', directory, await toldBy(trx, directory.uuid), now)
}

/** The people whom a source gives profiles, has suspended, or whose fields it keeps. */
async function toldBy(trx: Kysely<Schema>, source_uuid: string): Promise<string[]> {
  const { rows } = await sql<{ user_uuid: string }>`
    select user_uuid from profiles join profile_sources on profile_uuid = uuid where source_uuid = ${source_uuid}
    union select user_uuid from suspensions where source_uuid = ${source_uuid}
    union select uuid from users where kept_by like ${`%${source_uuid}%`}`.execute(trx)
  return rows.map((row) => row.user_uuid)
}

/** Ends what a source gave these people, lets what it ended stand, and lets go of their fields. */
async function endGiven(
  trx: Kysely<Schema>,
  kind: Source['kind'],
  { uuid, organisation_uuid }: SourceRow,
  users: readonly string[],
  now: number,
): Promise<AuditEvent[]> {
  await letGo(trx, uuid, users)
  if (organisation_uuid === null || users.length === 0) return []
  const nobody = users.map((user_uuid) => ({ user_uuid, groups: new Set<string>(), claims: new Map() }))
  const source = { kind, uuid, organisation_uuid, mapping: [], countsUntil: null }
  const ended = await settleMapped(trx, source, nobody, now)
  const stands = await letStand(trx, { kind, source_uuid: uuid, organisation_uuid }, users, now)
  return [...ended, ...stands]
}

/** Fields that a source kept are anybody's again. */
async function letGo(trx: Kysely<Schema>, uuid: string, users: readonly string[]): Promise<void> {
  for (const some of chunksOf(users)) {
    const kept = await trx
      .selectFrom('users')
      .select(['uuid', 'kept_by'])
      .where('uuid', 'in', some)
      .where('kept_by', 'like', `%${uuid}%`)
      .execute()
    const rows = kept.map(({ uuid: user, kept_by: text }) => {
      const left = Object.entries(JSON.parse(text ?? '{}') as object).filter(([, keeper]) => keeper !== uuid)
      return { uuid: user, kept_by: JSON.stringify(Object.fromEntries(left)) }
    })
    await updateRows(trx, 'users', { keys: ['uuid'], columns: ['kept_by'], also: [] }, rows)
  }
}

/** Ends sessions and token families of these people that rest on proofs by this upstream. */
async function endProved(
  trx: Kysely<Schema>,
  uuid: string,
  users: readonly string[],
  { now, by }: How,
): Promise<AuditEvent[]> {
  const resting = `%"credential":${JSON.stringify(uuid)}%`
  const sessions = await trx
    .selectFrom('sessions')
    .select('sid')
    .where('user_uuid', 'in', users)
    .where('ended_at', 'is', null)
    .where('proofs', 'like', resting)
    .orderBy('sid')
    .execute()
  const events: AuditEvent[] = []
  const ending = { now, by, reason: 'upstream_unlinked' }
  for (const { sid } of sessions) events.push(...(await endWithin(trx, sid, ending)))
  const families = await trx
    .selectFrom('token_families')
    .select('id')
    .where('user_uuid', 'in', users)
    .where('revoked_at', 'is', null)
    .where('proofs', 'like', resting)
    .orderBy('id')
    .execute()
  for (const { id } of families) await end(trx, { family: id }, ending)
  return events
}
