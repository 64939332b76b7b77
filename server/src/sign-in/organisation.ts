import { sendPage } from '../pages/send-page.ts'
import type { UpstreamNow } from '../store/upstreams.ts'
import type { Profile } from '../store/users.ts'
import { goOn, type SignInStep, useAnotherAccount } from './step.ts'
import { goToUpstream } from './upstream.ts'
import { upstreamChoicePage } from './upstream-page.tsx'
import { organisationPath } from './upstream-paths.ts'

/** What a profile's organisation wants: a proof by one of its own upstreams. */
interface OrganisationAsks {
  profile: Profile
  upstreams: readonly UpstreamNow[]
}

/**
 * The organisation of the profile wants a sign-in through its own upstream: a password, a passkey or a reset is no way
 * round. Asked once somebody is known, so that nobody learns who is exempt.
 */
export const organisation: SignInStep<OrganisationAsks> = {
  path: organisationPath,
  withoutPage: ['login_required', 'The user has to sign in through their organisation.'],

  missing(_service, { profile, demanded: upstreams }) {
    return profile === undefined || upstreams === undefined ? undefined : { profile, upstreams }
  },

  async show(visit, { profile, upstreams }) {
    const [only, ...others] = upstreams
    const isFirst = visit.pending.parameters.upstreamFailed !== true
    if (only !== undefined && others.length === 0 && isFirst)
      return await goToUpstream(visit, { uuid: only.uuid, stepUp: true })
    const name = profile.organisation_name ?? undefined
    const html = upstreamChoicePage({ ...visit.page, upstreams, organisation: name })
    return sendPage(visit.reply, html, { leadsAway: true })
  },

  async submit(visit, missing) {
    const choice = visit.form.optional('choice')
    if (choice === 'switch') return await useAnotherAccount(visit)
    const chosen = missing?.upstreams.find(({ uuid }) => choice === `upstream:${uuid}`)
    if (chosen === undefined) return goOn(visit)
    return await goToUpstream(visit, { uuid: chosen.uuid, stepUp: true })
  },
}
