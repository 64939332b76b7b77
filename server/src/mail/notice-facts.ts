/** What notices tell of records of the audit. */
import type { Kysely } from 'kysely'
import type { AuditRecordRow } from '../database/schema-audit.ts'
import type { Schema } from '../database/schema.ts'
import type { NoticeEvent, NoticeFact } from './kinds.ts'

/** A record that somebody is told of. */
export type Recorded = Pick<
  AuditRecordRow,
  | 'sequence'
  | 'at'
  | 'kind'
  | 'actor_kind'
  | 'actor_id'
  | 'address'
  | 'request_id'
  | 'target_id'
  | 'user_uuid'
  | 'organisation_uuid'
  | 'client_id'
  | 'sid'
  | 'before'
  | 'after'
  | 'detail'
>

/** Actors that are no administrator: what an upstream or a directory says of somebody, they can say was not them. */
const byThemselves = new Set(['anonymous', 'upstream', 'directory'])

/** What a notice tells of a record. */
export async function toldOf(
  trx: Kysely<Schema>,
  event: NoticeEvent,
  {
    at,
    actor_kind: actor,
    actor_id: actorId,
    target_id: target,
    user_uuid: user,
    address,
    client_id: client,
    sid,
    detail,
  }: Recorded,
  zone: string,
): Promise<NoticeFact> {
  const session =
    sid === null
      ? undefined
      : await trx.selectFrom('sessions').select('browser').where('sid', '=', sid).executeTakeFirst()
  const application =
    client === null
      ? undefined
      : await trx
          .selectFrom('clients')
          .select('client_name')
          .where('client_id', '=', client)
          .executeTakeFirst()
  const upstream =
    event === 'link_created' || event === 'link_removed' || event === 'sync_stopped'
      ? await trx.selectFrom('upstreams').select('name').where('uuid', '=', target).executeTakeFirst()
      : undefined
  const name = upstream?.name ?? textIn(detail, 'name')
  const byAdministrator = !byThemselves.has(actor) && actorId !== user
  // The place of an administrator is none of their business.
  const where = byAdministrator
    ? {}
    : { address: address ?? undefined, browser: session?.browser ?? undefined }
  return { event, at, zone, name, byAdministrator, ...where, application: application?.client_name }
}

/** A text of what a record keeps. An altered record may hold what is no JSON: nobody's notice waits for it. */
export function textIn(kept: string | null, field: 'name' | 'email' | 'password'): string | undefined {
  try {
    const value = (JSON.parse(kept ?? '{}') as Partial<Record<typeof field, unknown>>)[field]
    return typeof value === 'string' ? value : undefined
  } catch {
    return undefined
  }
}
