import { noProfilePage } from '../pages/no-profile-page.tsx'
import { sendPage } from '../pages/send-page.ts'
import type { User } from '../store/users.ts'
import { forgottenPath } from './reset-paths.ts'
import { denied, goOn, type SignInStep, useAnotherAccount } from './step.ts'

/** Tells a person without a usable profile so; from here the client gets `access_denied` (decisions 2). */
export const noProfile: SignInStep<{ user: User; elsewhere: boolean; waits: boolean }> = {
  path: '/no-profile',
  withoutPage: ['access_denied', 'The user has no profile that may be used.'],

  missing(_service, { session, profiles }) {
    if (session === undefined || profiles.length > 0) return undefined
    // `elsewhere`: there are profiles, and none of the organisation that the client belongs to.
    return { user: session.user, elsewhere: session.profiles.length > 0, waits: session.waits }
  },

  show({ service, reply, page }, { user, ...why }) {
    const forgotten = why.waits && service.mail !== undefined ? forgottenPath : undefined
    const html = noProfilePage({ ...page, accountName: user.name, ...why, forgotten })
    return sendPage(reply, html, { status: 403, leadsAway: true })
  },

  async submit(visit, missing) {
    if (missing === undefined) return goOn(visit)
    if (visit.form.optional('choice') === 'switch') return await useAnotherAccount(visit)
    throw await denied(visit, 'The user has no profile that may be used.')
  },
}
