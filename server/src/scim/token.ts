import { sql } from 'kysely'
import type { Store } from '../database/store.ts'
import { ProtocolError } from '../protocol/errors.ts'
import { hashSecret } from '../protocol/identifier.ts'

/** How exactly it is known when a token was used last, ms. */
const minute = 60_000

/**
 * The directory that a bearer token names. Throws `invalid_token` where there is no such token, or it does not count:
 * it has run out, or its directory or organisation is disabled.
 */
export async function directoryOf(
  { db }: Pick<Store, 'db'>,
  authorization: string | undefined,
  now: number,
): Promise<string> {
  const token = /^Bearer +([\w-]{20,200})$/i.exec(authorization ?? '')?.[1]
  const row =
    token === undefined
      ? undefined
      : await db
          .selectFrom('directory_tokens as t')
          .innerJoin('directories as d', 'd.uuid', 't.directory_uuid')
          .innerJoin('organisations as o', 'o.uuid', 'd.organisation_uuid')
          .select(['t.id', 't.directory_uuid', 't.last_used_at'])
          .where('t.hash', '=', hashSecret(token))
          .where('t.expires_at', '>', now)
          .where('d.active', '=', 1)
          .where('o.active', '=', 1)
          .executeTakeFirst()
  if (row === undefined)
    throw new ProtocolError('invalid_token', 'The bearer token is none that counts here.')
  if ((row.last_used_at ?? 0) <= now - minute) {
    await db
      .updateTable('directory_tokens')
      .set({ last_used_at: now })
      .where('id', '=', row.id)
      .where(sql<boolean>`coalesce(last_used_at, 0) <= ${now - minute}`)
      .execute()
  }
  return row.directory_uuid
}
