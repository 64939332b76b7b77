import { sendPage } from '../pages/send-page.ts'
import { noteProfile } from '../store/authorization-requests.ts'
import { pictureOfUser } from '../store/pictures.ts'
import type { Profile, User } from '../store/users.ts'
import { chooseProfilePage } from './choose-profile-page.tsx'
import { goOn, type SignInStep, useAnotherAccount, type Visit } from './step.ts'

interface Choice {
  user: User
  profiles: readonly Profile[]
}

/** A person with several profiles says which one they act under. */
export const chooseProfile: SignInStep<Choice> = {
  path: '/choose-profile',
  withoutPage: ['interaction_required', 'The user has to choose a profile.'],

  missing(_service, { session, profiles, profile }) {
    return session !== undefined && profile === undefined ? { user: session.user, profiles } : undefined
  },

  show: (visit, choice) => show(visit, choice),

  async submit(visit, choice) {
    if (choice === undefined) return goOn(visit)
    const { service, form, pending } = visit
    if (form.optional('choice') === 'switch') return await useAnotherAccount(visit)
    const chosen = form.optional('profile_uuid') ?? ''
    if (!choice.profiles.some((profile) => profile.held_uuid === chosen)) {
      return await show(visit, choice, true)
    }
    await noteProfile(service.store, { id: pending.id, user_uuid: choice.user.uuid, profile_uuid: chosen })
    return goOn(visit)
  },
}

async function show(
  { service, reply, page }: Visit,
  { user, profiles }: Choice,
  error = false,
): Promise<unknown> {
  const html = chooseProfilePage({
    ...page,
    accountName: user.name,
    picture: await pictureOfUser(service.store, user, service.now()),
    profiles,
    selected: user.last_profile_uuid ?? undefined,
    error,
  })
  return sendPage(reply, html, { status: error ? 400 : 200, leadsAway: true })
}
