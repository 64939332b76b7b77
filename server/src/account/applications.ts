import { profilesThrough } from '../identity/access.ts'
import { sendPage } from '../pages/send-page.ts'
import type { Parameters } from '../protocol/parameters.ts'
import { shownOf, shownServices } from '../sign-in/consent.ts'
import { allowedPath } from '../sign-in/consent-page.tsx'
import { findClient } from '../store/clients.ts'
import { type Allowed, consentsOf, endOwnAccess, unaskedAccessOf } from '../store/own-access.ts'
import { applicationsPage as page, type ShownApplication } from './applications-page.tsx'
import type { AccountPage } from './page.ts'
import { type AccountVisit, back, originOf } from './visit.ts'

export const applicationsPath = allowedPath

/** What applications may see and do in somebody's name: because they allowed it, or without having been asked. */
export const applicationsPage: AccountPage = {
  path: applicationsPath,
  show,
  actions: { withdraw },
  kept: ['client_id'],
}

async function show(visit: AccountVisit, done: string | undefined): Promise<unknown> {
  const { service, reply, session } = visit
  const all = await consentsOf(service.store, session.user_uuid)
  const shown = await Promise.all(all.map((one) => applicationOf(visit, one)))
  const applications = shown.filter((one) => one !== undefined)
  const unasked = await unaskedOf(visit)
  const zone = session.user.zoneinfo ?? 'UTC'
  return sendPage(reply, page({ ...visit.page, applications, unasked, zone, done }))
}

async function unaskedOf({ service: { store, now }, session }: AccountVisit) {
  const all = await unaskedAccessOf(store, session.user_uuid, now())
  const shown = await Promise.all(
    all.map(async (one) => ({ ...one, clientName: (await findClient(store, one.client_id))?.client_name })),
  )
  return shown.map(({ clientName, ...one }) => ({ ...one, clientName: clientName ?? one.client_id }))
}

async function applicationOf(
  { service, session: { user, profiles } }: AccountVisit,
  { client_id, grantedAt, allowance }: Allowed,
): Promise<ShownApplication | undefined> {
  const client = await findClient(service.store, client_id)
  if (client === undefined) return undefined
  const given = { user, asked: allowance, before: undefined, reach: undefined }
  const services = await shownServices(service, given)
  const shut = profilesThrough(client, profiles).length === 0
  return { client_id, clientName: client.client_name, grantedAt, shut, ...shownOf(given), ...services }
}

async function withdraw(visit: AccountVisit, form: Parameters): Promise<unknown> {
  const { service, session } = visit
  const client_id = form.optional('client_id', 200) ?? ''
  const ending = { user_uuid: session.user_uuid, client_id, now: service.now(), by: originOf(visit) }
  await endOwnAccess(service.store, ending)
  return back(visit, 'withdrawn')
}
