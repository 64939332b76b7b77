import type { FastifyRequest } from 'fastify'
import { record } from '../audit/record.ts'
import { usesBreakGlass } from '../identity/forced.ts'
import type { Service } from '../service.ts'
import type { Client } from '../store/clients.ts'
import type { LiveSession } from '../store/sessions.ts'
import type { Profile } from '../store/users.ts'

/** Records that somebody acts who gets in when the organisation's upstream does not: all administrators are told. */
export async function tellBreakGlass(
  { store, now }: Service,
  request: FastifyRequest,
  { client, session, profile }: { client: Client; session: LiveSession; profile: Profile },
): Promise<void> {
  const { user, user_uuid, sid } = session
  const acting = { user, proven: session, client, profile }
  if (!(await usesBreakGlass(store, acting, now()))) return
  const { organisation_uuid } = profile
  await record(store, {
    at: now(),
    kind: 'break_glass.used',
    actor: { kind: 'user', id: user_uuid },
    address: request.ip,
    requestId: request.id,
    target: { kind: 'user', id: user_uuid },
    user_uuid,
    client_id: client.client_id,
    sid,
    ...(organisation_uuid !== null && { organisation_uuid }),
  })
}
