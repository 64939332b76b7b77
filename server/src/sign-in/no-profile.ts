import type { FastifyInstance } from 'fastify'
import { noProfilePage } from '../pages/no-profile-page.tsx'
import { sendPage } from '../pages/send-page.ts'
import type { Service } from '../service.ts'
import { useAnotherAccount } from './another-account.ts'
import { denied, goOn, openStep, openStepForm, stepPaths } from './step.ts'

/** Where somebody without a usable profile is told so; from here the client gets `access_denied` (decisions 2). */
export function noProfileStep(app: FastifyInstance, service: Service): void {
  app.get(stepPaths['no-profile'], async (request, reply) => {
    const step = await openStep(service, request, 'no-profile')
    if (step.missing.step !== 'no-profile') return goOn(reply, step)
    const html = noProfilePage({ ...step.page, accountName: step.missing.user.name })
    return sendPage(reply, html, { status: 403, leadsAway: true })
  })

  app.post(stepPaths['no-profile'], async (request, reply) => {
    const step = await openStepForm(service, request, 'no-profile')
    if (step.missing.step !== 'no-profile') return goOn(reply, step)
    if (step.form.optional('choice') === 'switch') return await useAnotherAccount(service, reply, step)
    throw denied(step, 'The user has no profile that may be used.')
  })
}
