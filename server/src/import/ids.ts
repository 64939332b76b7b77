/** The ids that people bring along: their `sub`, and what was theirs where that is no UUID. */
import type { Kysely } from 'kysely'
import { recorded } from '../audit/recorded.ts'
import { chunksOf } from '../database/chunks.ts'
import type { Schema } from '../database/schema.ts'
import { removedAmong } from '../store/write/removed-users.ts'

interface ImportedIds {
  uuid?: string
  former_sub?: string
}

interface Taken {
  /** Why not, by uuid. */
  uuid: ReadonlyMap<string, string>
  /** The uuid of its person, by former_sub. */
  former_sub: ReadonlyMap<string, string>
}

const reasons = {
  user: 'Somebody has this uuid already: it stays that of one person.',
  removed: 'Somebody had this uuid who was removed, and it is never given again: leave it out for a new one.',
  client: 'A client has it as its client_id: give the client another, or leave the uuid out.',
  former_sub: 'Somebody has this former_sub already.',
}

/** Which ids of these rows are taken. */
export async function takenIds(db: Kysely<Schema>, rows: readonly ImportedIds[]): Promise<Taken> {
  const uuids = rows.flatMap(({ uuid = [] }) => uuid)
  const taken = new Map((await removedAmong(db, uuids)).map((one) => [one, reasons.removed]))
  for (const some of chunksOf(uuids)) {
    // The audit alone knows people whom a version before removed.
    const removed = await recorded(db)
      .select('target_id')
      .where('target_id', 'in', some)
      .where('kind', '=', 'user.removed')
      .execute()
    const clients = await db
      .selectFrom('clients')
      .select('client_id')
      .where('client_id', 'in', some)
      .execute()
    const users = await db.selectFrom('users').select('uuid').where('uuid', 'in', some).execute()
    for (const { target_id: id } of removed) if (id !== null) taken.set(id, reasons.removed)
    for (const { client_id: id } of clients) taken.set(id, reasons.client)
    for (const { uuid } of users) taken.set(uuid, reasons.user)
  }
  return { uuid: taken, former_sub: await takenSubs(db, rows) }
}

async function takenSubs(db: Kysely<Schema>, rows: readonly ImportedIds[]): Promise<Map<string, string>> {
  const taken = new Map<string, string>()
  for (const some of chunksOf(rows.flatMap(({ former_sub = [] }) => former_sub))) {
    const found = await db
      .selectFrom('users')
      .select(['uuid', 'former_sub'])
      .where('former_sub', 'in', some)
      .execute()
    for (const { uuid, former_sub } of found) if (former_sub !== null) taken.set(former_sub, uuid)
  }
  return taken
}

/** What is wrong with the ids of a row; undefined: nothing. `replaced`: who goes for it. */
export function idProblem(
  taken: Taken,
  { uuid = '', former_sub = '' }: ImportedIds,
  replaced: string | undefined,
): { field: string; reason: string } | undefined {
  const [reason, owner] = [taken.uuid.get(uuid), taken.former_sub.get(former_sub)]
  if (reason !== undefined) return { field: 'uuid', reason }
  if (owner === undefined || owner === replaced) return undefined
  return { field: 'former_sub', reason: reasons.former_sub }
}
