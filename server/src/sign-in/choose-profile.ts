import type { FastifyInstance, FastifyReply } from 'fastify'
import { sendPage } from '../pages/send-page.ts'
import type { Service } from '../service.ts'
import { answerStep } from '../store/authorization-requests.ts'
import { rememberProfile } from '../store/users.ts'
import { chooseProfilePage } from './choose-profile-page.tsx'
import { useAnotherAccount } from './another-account.ts'
import type { Missing } from './missing.ts'
import { goOn, openStep, openStepForm, type Step, stepPaths } from './step.ts'

type Choosing = Missing & { step: 'choose-profile' }

/** The step in which a person with several profiles says which one they act under. */
export function chooseProfileStep(app: FastifyInstance, service: Service): void {
  app.get(stepPaths['choose-profile'], async (request, reply) => {
    const step = await openStep(service, request, 'choose-profile')
    if (step.missing.step !== 'choose-profile') return goOn(reply, step)
    return show(reply, step, step.missing)
  })

  app.post(stepPaths['choose-profile'], async (request, reply) => {
    const step = await openStepForm(service, request, 'choose-profile')
    const { missing, form } = step
    if (missing.step !== 'choose-profile') return goOn(reply, step)
    if (form.optional('choice') === 'switch') return await useAnotherAccount(service, reply, step)
    const chosen = form.optional('profile_uuid')
    if (chosen === undefined) return show(reply, step, missing, 'missing_choice')
    // Only the person's own usable profiles were offered, and only those can be chosen.
    if (!missing.profiles.some((profile) => profile.profileUuid === chosen)) {
      return show(reply, step, missing, 'not_available')
    }
    await rememberProfile(service.store, missing.user.uuid, chosen)
    await answerStep(service.store, step.pending.id, { profileUuid: chosen })
    return goOn(reply, step)
  })
}

function show(
  reply: FastifyReply,
  step: Step,
  missing: Choosing,
  error?: 'missing_choice' | 'not_available',
): unknown {
  const html = chooseProfilePage({
    ...step.page,
    accountName: missing.user.name,
    profiles: missing.profiles.map((profile) => ({ ...profile, uuid: profile.profileUuid })),
    selected: missing.user.lastProfileUuid,
    error,
  })
  return sendPage(reply, html, { status: error ? 400 : 200, leadsAway: true })
}
