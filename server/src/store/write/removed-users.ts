/** The uuids of people who were removed, as hashes: nobody else ever gets one. */
import { hash } from 'node:crypto'
import type { Kysely } from 'kysely'
import { chunksOf } from '../../database/chunks.ts'
import type { Schema } from '../../database/schema.ts'

const hashOf = (uuid: string): string => hash('sha256', uuid.toLowerCase(), 'base64url')

/** Part of the one writer: notes people who go. */
export async function keepRemoved(trx: Kysely<Schema>, users: readonly { uuid: string }[]): Promise<void> {
  for (const some of chunksOf(users)) {
    await trx
      .insertInto('removed_users')
      .values(some.map(({ uuid }) => ({ hash: hashOf(uuid) })))
      .onConflict((conflict) => conflict.doNothing())
      .execute()
  }
}

/** Which of these uuids somebody had who was removed. */
export async function removedAmong(db: Kysely<Schema>, uuids: readonly string[]): Promise<string[]> {
  const byHash = new Map(uuids.map((uuid) => [hashOf(uuid), uuid]))
  const found: string[] = []
  for (const some of chunksOf([...byHash.keys()])) {
    const rows = await db.selectFrom('removed_users').select('hash').where('hash', 'in', some).execute()
    found.push(...rows.flatMap((row) => byHash.get(row.hash) ?? []))
  }
  return found
}
