import type { FastifyInstance } from 'fastify'
import { sendPage } from '../pages/send-page.ts'
import type { Service } from '../service.ts'
import { answerStep } from '../store/authorization-requests.ts'
import { rememberConsent } from '../store/consents.ts'
import { consentPage } from './consent-page.tsx'
import { denied, goOn, openStep, openStepForm, stepPaths } from './step.ts'

/** The step in which a person allows a client that is not first-party what it asks for. */
export function consentStep(app: FastifyInstance, service: Service): void {
  app.get(stepPaths.consent, async (request, reply) => {
    const step = await openStep(service, request, 'consent')
    const { missing, client, pending } = step
    if (missing.step !== 'consent') return goOn(reply, step)
    const html = consentPage({
      ...step.page,
      clientUri: client.clientUri,
      accountName: missing.user.name,
      scopes: pending.parameters.scopes,
      redirectPlace: placeOf(pending.redirectUri),
      hidden: { account: missing.user.uuid },
    })
    return sendPage(reply, html, { leadsAway: true })
  })

  app.post(stepPaths.consent, async (request, reply) => {
    const step = await openStepForm(service, request, 'consent')
    const { missing, client, pending, form } = step
    if (missing.step !== 'consent') return goOn(reply, step)
    // Somebody else signed in in another tab: this form spoke for another person, who is no longer here.
    if (form.optional('account') !== missing.user.uuid) return goOn(reply, step)
    if (form.optional('choice') !== 'allow') throw denied(step, 'The user did not give consent.')
    await rememberConsent(service.store, {
      userUuid: missing.user.uuid,
      clientId: client.clientId,
      scopes: pending.parameters.scopes,
      now: service.now(),
      by: {
        actor: { kind: 'user', id: missing.user.uuid },
        address: request.ip,
        requestId: request.id,
      },
    })
    await answerStep(service.store, pending.id, { consented: true })
    return goOn(reply, step)
  })
}

/** Where an address leads, as people read it: a private-use scheme is the application's reversed domain name. */
function placeOf(redirectUri: string): string {
  const { protocol, host } = new URL(redirectUri)
  return protocol === 'https:' || protocol === 'http:' ? host : protocol.slice(0, -1)
}
