import { sendPage } from '../pages/send-page.ts'
import type { Parameters } from '../protocol/parameters.ts'
import { shownOf, shownServices } from '../sign-in/consent.ts'
import { findClient } from '../store/clients.ts'
import { type Allowed, consentsOf, withdrawOwnConsent } from '../store/own-access.ts'
import { applicationsPage as page, type ShownApplication } from './applications-page.tsx'
import type { AccountPage } from './page.ts'
import { type AccountVisit, back, originOf } from './visit.ts'

export const applicationsPath = '/account/applications'

/** What applications may see and do in somebody's name, because they allowed it. */
export const applicationsPage: AccountPage = {
  path: applicationsPath,
  show,
  actions: { withdraw },
  kept: ['client_id'],
}

async function show(visit: AccountVisit, done: string | undefined): Promise<unknown> {
  const { service, reply, session } = visit
  const all = await consentsOf(service.store, session.userUuid)
  const shown = await Promise.all(all.map((one) => applicationOf(visit, one)))
  const applications = shown.filter((one) => one !== undefined)
  const zone = session.user.zoneinfo ?? 'UTC'
  return sendPage(reply, page({ ...visit.page, applications, zone, done }))
}

async function applicationOf(
  { service, session: { user } }: AccountVisit,
  { clientId, grantedAt, allowance }: Allowed,
): Promise<ShownApplication | undefined> {
  const client = await findClient(service.store, clientId)
  if (client === undefined) return undefined
  const given = { user, asked: allowance, before: undefined }
  const services = await shownServices(service, client, given)
  return { clientId, clientName: client.name, grantedAt, ...shownOf(given), services }
}

async function withdraw(visit: AccountVisit, form: Parameters): Promise<unknown> {
  const { service, session } = visit
  const clientId = form.optional('client_id', 200) ?? ''
  const withdrawal = { userUuid: session.userUuid, clientId, now: service.now(), by: originOf(visit) }
  await withdrawOwnConsent(service.store, withdrawal)
  return back(visit, 'withdrawn')
}
