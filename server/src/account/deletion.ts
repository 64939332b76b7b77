import { sendPage } from '../pages/send-page.ts'
import { clearCookie } from '../sign-in/browser.ts'
import { type DeletionRefusal, refusalOf, requestDeletion } from '../store/deletion.ts'
import { deletedPage, deletionPage as page } from './deletion-page.tsx'
import type { AccountPage } from './page.ts'
import { type AccountVisit, originOf } from './visit.ts'

export const deletionPath = '/account/deletion'

/** People have their own account removed, where that is allowed. */
export const deletionPage: AccountPage = {
  path: deletionPath,
  show: async (visit) => show(visit, await refusalOf(visit.service.store.db, visit.session.user_uuid)),
  actions: { request },
}

const show = (visit: AccountVisit, refusal: DeletionRefusal | undefined, status = 200): unknown =>
  sendPage(visit.reply, page({ ...visit.page, refusal }), { status })

async function request(visit: AccountVisit): Promise<unknown> {
  const { service, reply, session } = visit
  const { user_uuid, user } = session
  const asked = { user_uuid, now: service.now(), by: originOf(visit) }
  const done = await requestDeletion(service.store, asked)
  if (typeof done === 'string') return show(visit, done, 400)
  clearCookie(service, reply, 'session')
  return sendPage(reply, deletedPage({ ...visit.page, at: done, zone: user.zoneinfo ?? 'UTC' }))
}
