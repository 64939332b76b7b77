import { opensAll, reachOf } from '../identity/reach.ts'
import { sendPage } from '../pages/send-page.ts'
import { undoDeletion } from '../store/deletion.ts'
import type { User } from '../store/users.ts'
import { leavingPage } from './leaving-page.tsx'
import { goOn, signInAgain, type SignInStep, useAnotherAccount } from './step.ts'

/** A person who asked to be removed may undo that for a while. Nothing after this step is open to them. */
export const leaving: SignInStep<{ user: User; at: number }> = {
  path: '/sign-in/leaving',
  withoutPage: ['interaction_required', 'The user has to answer a question first.'],

  missing(_service, { session }) {
    const { user } = session ?? {}
    return user === undefined || user.deletion_at === null ? undefined : { user, at: user.deletion_at }
  },

  show({ reply, page }, { user, at }) {
    const html = leavingPage({ ...page, accountName: user.name, zone: user.zoneinfo ?? 'UTC', at })
    return sendPage(reply, html, { leadsAway: true })
  },

  async submit(visit, missing) {
    const choice = visit.form.optional('choice')
    if (missing === undefined) return goOn(visit)
    if (choice === 'switch') return await useAnotherAccount(visit)
    if (choice === 'keep') {
      const { service, request } = visit
      // The whole account stays or goes: a proof that opens all of it says so.
      const reach = visit.session && (await reachOf(service.store, visit.session))
      if (!reach || !(await opensAll(service.store, missing.user.uuid, reach)))
        return await signInAgain(visit)
      const { uuid: user_uuid } = missing.user
      const actor = { kind: 'user', id: user_uuid } as const
      const by = { actor, address: request.ip, requestId: request.id }
      await undoDeletion(service.store, { user_uuid, now: service.now(), by })
    }
    return goOn(visit)
  },
}
