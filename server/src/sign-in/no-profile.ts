import { noProfilePage } from '../pages/no-profile-page.tsx'
import { sendPage } from '../pages/send-page.ts'
import { whoGivesAccess } from '../store/administrators.ts'
import { isWithinClient } from '../store/usable.ts'
import type { Profile, User } from '../store/users.ts'
import { forgottenPath } from './reset-paths.ts'
import { denied, goOn, type SignInStep, useAnotherAccount } from './step.ts'

interface NoProfile {
  user: User
  /** There are profiles, and none of the organisation that the client belongs to. */
  elsewhere: boolean
  /** Profiles there, none of which the client lets in. */
  shut: readonly Profile[]
  waits: boolean
}

/** Tells a person without a usable profile so; from here the client gets `access_denied` (decisions 2). */
export const noProfile: SignInStep<NoProfile> = {
  path: '/no-profile',
  withoutPage: ['access_denied', 'The user has no profile that may be used.'],

  missing(_service, { session, profiles, asked: { client } }) {
    if (session === undefined || profiles.length > 0) return undefined
    const shut = session.profiles.filter((one) => isWithinClient(one, { ...client, entry: undefined }))
    return { user: session.user, elsewhere: session.profiles.length > 0, shut, waits: session.waits }
  },

  async show({ service, reply, page }, { user, elsewhere, shut: profiles, waits }) {
    const { store, mail, now } = service
    const shut = profiles.length === 0 ? undefined : await whoGivesAccess(store, profiles, now())
    const forgotten = waits && shut === undefined && mail !== undefined ? forgottenPath : undefined
    const html = noProfilePage({ ...page, accountName: user.name, elsewhere, shut, waits, forgotten })
    return sendPage(reply, html, { status: 403, leadsAway: true })
  },

  async submit(visit, missing) {
    if (missing === undefined) return goOn(visit)
    if (visit.form.optional('choice') === 'switch') return await useAnotherAccount(visit)
    throw await denied(visit, 'The user has no profile that may be used.')
  },
}
