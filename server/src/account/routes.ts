import type { FastifyInstance } from 'fastify'
import type { Service } from '../service.ts'
import { backToConnect, connectCame, connectPage } from './connect.ts'
import { accountDirectory } from './directory.ts'
import { accountKeyOptions } from './key-options.ts'
import { addressPage } from './address.ts'
import { activityPage } from './activity.ts'
import { applicationsPage } from './applications.ts'
import { dataPage } from './data.ts'
import { deletionPage } from './deletion.ts'
import { door } from './home.ts'
import { notMe } from './not-me.ts'
import { overview } from './overview.ts'
import { accountPage } from './page.ts'
import { personPage } from './person.ts'
import { profilesPage } from './profiles.ts'
import { sessionsPage } from './sessions.ts'
import { signInPage } from './sign-in.ts'
import { backWithProof, proofCame } from './upstream-proof.ts'
import { uploads } from '../sign-in/upload.ts'
import { accountSignInPath } from './visit.ts'

const pages = [
  door,
  overview,
  addressPage,
  signInPage,
  connectPage,
  sessionsPage,
  applicationsPage,
  profilesPage,
  activityPage,
  dataPage,
  deletionPage,
]

/** How a page of the account goes on once somebody comes back from an upstream. */
export const accountReturns = { proof: backWithProof, connect: backToConnect }

/** All that people do for themselves. */
export function accountRoutes(app: FastifyInstance, service: Service): void {
  for (const page of pages) accountPage(app, service, page)
  // Only this page takes a file.
  void app.register(async (withFiles) => {
    uploads(withFiles)
    accountPage(withFiles, service, personPage)
  })
  // Password managers look here (W3C, A Well-Known URL for Changing Passwords).
  app.get('/.well-known/change-password', async (_request, reply) => reply.redirect(accountSignInPath, 303))
  accountKeyOptions(app, service)
  accountDirectory(app, service, { proof: proofCame, connect: connectCame })
  notMe(app, service)
}
