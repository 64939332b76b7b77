import type { Kysely } from 'kysely'
import type { Store } from './open.ts'
import type { Schema } from './schema.ts'

/** Something that happened to accounts or tokens. Never holds a secret. */
export interface AuditEvent {
  at: number
  kind: string
  userUuid?: string | undefined
  clientId?: string | undefined
  sid?: string | undefined
  address?: string | undefined
  requestId?: string | undefined
  detail?: Readonly<Record<string, string | number | boolean>>
}

/** Appends an event. `within` is the transaction of the change that it tells of, where there is one. */
export async function record(
  store: Store,
  event: AuditEvent,
  within: Kysely<Schema> = store.db,
): Promise<void> {
  await within
    .insertInto('audit')
    .values({
      at: event.at,
      kind: event.kind,
      user_uuid: event.userUuid ?? null,
      client_id: event.clientId ?? null,
      sid: event.sid ?? null,
      address: event.address ?? null,
      request_id: event.requestId ?? null,
      detail: JSON.stringify(event.detail ?? {}),
    })
    .execute()
}
