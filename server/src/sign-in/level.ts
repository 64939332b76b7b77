import type { LevelMissing } from '../identity/factors/level.ts'
import { sendPage } from '../pages/send-page.ts'
import { RedirectableError } from '../protocol/errors.ts'
import { targetOf } from '../protocol/redirect-target.ts'
import { answerStep } from '../store/authorization-requests.ts'
import type { User } from '../store/users.ts'
import { beginGrace } from '../store/users.ts'
import { levelPage } from './level-page.tsx'
import { denied, goOn, type SignInStep, useAnotherAccount, type Visit } from './step.ts'

/** Who has to set up something for the level that policy or the request demands. */
export interface Enrolling extends LevelMissing {
  user: User
}

const day = 24 * 3_600_000

/**
 * Policy or the request demands more than this person can prove, so they set it up here, may put it off within grace, or
 * decline. What they have set up already is asked for by the second factor, which comes before.
 */
export const level: SignInStep<Enrolling> = {
  path: '/sign-in/enrol',
  withoutPage: ['interaction_required', 'The user has to set up a second factor.'],

  missing(_service, { session, lacking }) {
    return session !== undefined && lacking?.by === 'enrolment'
      ? { ...lacking, user: session.user }
      : undefined
  },

  async show({ service, reply, page }, { user, until }) {
    // Grace runs from the first sign-in that demands it.
    if (until !== undefined) await beginGrace(service.store, user.uuid, service.now())
    const graceDays = until === undefined ? undefined : Math.ceil((until - service.now()) / day)
    return sendPage(reply, levelPage({ ...page, graceDays }), { leadsAway: true })
  },

  async submit(visit, missing) {
    if (missing === undefined) return goOn(visit)
    const choice = visit.form.optional('choice')
    if (choice === 'switch') return await useAnotherAccount(visit)
    if (choice === 'later') return await putOff(visit, missing)
    throw await declined(visit)
  },
}

/** Until the next sign-in, while grace runs. */
async function putOff(visit: Visit, { user, until }: Enrolling): Promise<unknown> {
  const { service, pending } = visit
  if (until !== undefined) {
    await beginGrace(service.store, user.uuid, service.now())
    await answerStep(service.store, pending.id, {
      parameters: { ...pending.parameters, putOffBy: user.uuid },
    })
  }
  return goOn(visit)
}

/** OpenID Connect Core Error Code unmet_authentication_requirements §2, RFC 9470 §5. A device is told that it was refused. */
async function declined(visit: Visit): Promise<RedirectableError> {
  const description = 'The user did not set up the second factor that is demanded.'
  if (visit.pending.parameters.device !== undefined) return await denied(visit, description)
  return new RedirectableError('unmet_authentication_requirements', description, targetOf(visit.pending))
}
