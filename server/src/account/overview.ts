import { sendPage } from '../pages/send-page.ts'
import { liveSessionsOf } from '../store/person-sessions.ts'
import { overviewPage } from './overview-page.tsx'
import type { AccountPage } from './page.ts'
import { accountPath, accountSignInPath } from './visit.ts'
import { sessionsPath } from './sessions.ts'

/** Where the account begins. */
export const overview: AccountPage = {
  path: accountPath,
  async show({ service, reply, page, session: { userUuid, user } }) {
    const sessions = await liveSessionsOf(service.store, userUuid, service.now())
    const { name, email } = user
    const counts = { sessions: sessions.length }
    const paths = { signIn: accountSignInPath, sessions: sessionsPath, signOut: '/oauth2/logout' }
    return sendPage(reply, overviewPage({ ...page, name, email, counts, paths }))
  },
}
