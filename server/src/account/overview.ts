import { sendPage } from '../pages/send-page.ts'
import { refusalOf } from '../store/deletion.ts'
import { consentsOf } from '../store/own-access.ts'
import { liveSessionsOf } from '../store/person-sessions.ts'
import { pictureOfUser } from '../store/pictures.ts'
import { activityPath } from './activity.ts'
import { applicationsPath } from './applications.ts'
import { dataPath } from './data.ts'
import { deletionPath } from './deletion.ts'
import { consoleOf } from './home.ts'
import { overviewPage } from './overview-page.tsx'
import type { AccountPage } from './page.ts'
import { personPath } from './person.ts'
import { profilesPath } from './profiles.ts'
import { sessionsPath } from './sessions.ts'
import { accountPath, accountSignInPath } from './visit.ts'

const paths = {
  person: personPath,
  signIn: accountSignInPath,
  sessions: sessionsPath,
  applications: applicationsPath,
  profiles: profilesPath,
  activity: activityPath,
  data: dataPath,
  signOut: '/oauth2/logout',
}

export const overview: AccountPage = {
  path: accountPath,
  async show(visit) {
    const { service, reply, page, session } = visit
    const { store, now } = service
    const { user_uuid, user, profiles } = session
    const sessions = await liveSessionsOf(store, user_uuid, now())
    const applications = await consentsOf(store, user_uuid)
    const mayLeave = (await refusalOf(store.db, user_uuid)) === undefined
    const counts = {
      sessions: sessions.length,
      applications: applications.length,
      profiles: profiles.length,
    }
    const { name, email } = user
    const picture = await pictureOfUser(store, user, now())
    const console = await consoleOf(visit)
    const own = { ...paths, console, deletion: mayLeave ? deletionPath : undefined }
    return sendPage(reply, overviewPage({ ...page, name, email, picture, counts, paths: own }))
  },
}
