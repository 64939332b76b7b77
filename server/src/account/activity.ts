import { settled } from '../audit/link.ts'
import { type AuditRecord, listAudit } from '../audit/read.ts'
import { sendPage } from '../pages/send-page.ts'
import { Parameters } from '../protocol/parameters.ts'
import type { Service } from '../service.ts'
import { findClient } from '../store/clients.ts'
import { activityPage as page, type ShownRecord } from './activity-page.tsx'
import type { AccountPage } from './page.ts'
import type { AccountVisit } from './visit.ts'

export const activityPath = '/account/activity'

/** What happened: the person's part of the audit. */
export const activityPage: AccountPage = { path: activityPath, show }

const perPage = 30

async function show(visit: AccountVisit): Promise<unknown> {
  const { service, request, reply, session } = visit
  const { user_uuid, user } = session
  const sent = Parameters.ofUrl(request.url).optional('before', 20) ?? ''
  const before = /^\d{1,15}$/.test(sent) ? Number(sent) : undefined
  // What has just happened is there too.
  await settled(service.store)
  const all = await listAudit(service.store, { user: user_uuid }, { before, limit: perPage + 1 })
  const records = all.slice(0, perPage)
  const last = all.length > perPage ? records.at(-1)?.sequence : undefined
  const older = last === undefined ? undefined : `${activityPath}?before=${last}`
  const zone = user.zoneinfo ?? 'UTC'
  const nameOf = await namesOfClients(service.store, records)
  const shown = records.map((one) => shownOf(one, user_uuid, nameOf))
  return sendPage(reply, page({ ...visit.page, records: shown, older, zone }))
}

async function namesOfClients(
  store: Service['store'],
  records: readonly AuditRecord[],
): Promise<Map<string, string>> {
  const ids = [...new Set(records.flatMap(({ client_id: id }) => (id ? [id] : [])))]
  const clients = await Promise.all(ids.map((id) => findClient(store, id)))
  return new Map(clients.flatMap((one) => (one === undefined ? [] : [[one.client_id, one.client_name]])))
}

/** Shows another actor by kind alone: names of administrators are none of this page's business. */
function shownOf(
  { at, kind, actor, address, client_id }: AuditRecord,
  user_uuid: string,
  nameOf: ReadonlyMap<string, string>,
): ShownRecord {
  const isOther = actor.kind !== 'anonymous' && actor.id !== user_uuid
  return {
    at: Date.parse(at),
    kind,
    by: isOther ? (actor.kind === 'service' ? 'service' : 'other') : undefined,
    network: isOther ? undefined : address,
    // A client that was removed is shown by its id.
    client: client_id && (nameOf.get(client_id) ?? client_id),
  }
}
