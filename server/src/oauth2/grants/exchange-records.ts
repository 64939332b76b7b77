import { record, type RequestSource } from '../../audit/record.ts'
import type { LivePerson } from '../../identity/live-token.ts'
import type { Service } from '../../service.ts'
import type { Client } from '../../store/clients.ts'

/** So many are remembered; of one that was forgotten a second record is written. */
const most = 10_000

interface Exchange {
  client: Client
  live: LivePerson
  /** The code of the service. */
  target: string
  /** The client_ids of those who exchanged it before, the last one first. */
  earlier: readonly string[]
  from: RequestSource
}

/**
 * Records the first exchange of a session, client and target in an organisation, and the next one after the client
 * changed hands. Each process remembers what it recorded.
 */
export async function recordExchange(
  { store, now, exchanged }: Service,
  { client, live, target, earlier, from }: Exchange,
): Promise<void> {
  const { user, family } = live
  const { client_id, token_generation } = client
  // A client for everybody has no organisation: that in which the person acts is told instead.
  const organisation_uuid = client.organisation_uuid ?? live.profile.organisation_uuid ?? undefined
  const key = [family.sid, target, client_id, token_generation, organisation_uuid].join(' ')
  if (exchanged.has(key)) return
  exchanged.add(key)
  const [oldest] = exchanged
  if (exchanged.size > most && oldest !== undefined) exchanged.delete(oldest)
  try {
    await record(store, {
      at: now(),
      kind: 'token.exchanged',
      actor: { kind: 'client', id: client_id },
      ...from,
      target: { kind: 'service', id: target },
      user_uuid: user.uuid,
      client_id,
      sid: family.sid,
      organisation_uuid,
      detail: { called_by: [...earlier, family.client_id] },
    })
  } catch (error) {
    exchanged.delete(key)
    throw error
  }
}
