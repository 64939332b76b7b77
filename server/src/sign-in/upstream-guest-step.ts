/** The page that asks a guest for the code from a mail. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { restoredAssertion } from '../upstream/assertion.ts'
import { UpstreamRefusal } from '../upstream/refusal.ts'
import { type Guest, giveGuestCode, guestCodeWaits } from '../identity/guest-code.ts'
import { codeStatus, type EnrolmentCodeError } from '../pages/enrolment-code-page.tsx'
import { sendPage } from '../pages/send-page.ts'
import type { Parameters } from '../protocol/parameters.ts'
import type { Service } from '../service.ts'
import { answerStep } from '../store/authorization-requests.ts'
import { findUpstreamRequest, takeUpstreamRequest } from '../store/upstream-requests.ts'
import { goOn, type Visit } from './step.ts'
import { formOf, openStep } from './steps.ts'
import { activeUpstream } from './upstream.ts'
import { answerByUpstream } from './upstream-answer.ts'
import { failUpstream, recordRefusal } from './upstream-failed.ts'
import { mailCode, type WaitingGuest } from './upstream-guest.ts'
import { guestPage } from './upstream-guest-page.tsx'
import { guestPath } from './upstream-paths.ts'

export function guestRoutes(app: FastifyInstance, service: Service): void {
  app.get(guestPath, async (request, reply) => {
    const { visit, waiting } = await open(service, request, reply)
    return waiting === undefined ? goOn(visit) : await show(visit, waiting)
  })

  app.post(guestPath, async (request, reply) => {
    const { visit, waiting } = await open(service, request, reply)
    const form = await formOf(visit)
    if (waiting === undefined) return goOn(visit)
    try {
      return await submit(visit, waiting, form)
    } catch (error) {
      if (error instanceof UpstreamRefusal)
        return await failUpstream(visit, { uuid: waiting.upstream_uuid }, error)
      throw error
    }
  })
}

type Waiting = WaitingGuest & Guest

/** What waits in a sign-in of this browser; undefined: nothing does any more. */
async function open(
  service: Service,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<{ visit: Visit; waiting: Waiting | undefined }> {
  const { visit } = await openStep(service, request, reply, { path: guestPath })
  const { guest: state } = visit.pending.parameters
  if (state === undefined) return { visit, waiting: undefined }
  const asked = { state, purpose: 'guest', now: service.now() } as const
  const found = await findUpstreamRequest(service.store, asked)
  return { visit, waiting: found && { ...(JSON.parse(found.data) as WaitingGuest), state } }
}

async function submit(visit: Visit, waiting: Waiting, form: Parameters): Promise<unknown> {
  const { service } = visit
  const choice = form.optional('choice')
  if (choice === 'back') {
    await stopWaiting(visit)
    return goOn(visit)
  }
  const upstream = await activeUpstream(service, waiting.upstream_uuid)
  if (choice === 'send')
    return await show(visit, waiting, (await mailCode(visit, upstream, waiting)) ? undefined : 'tooMany')
  const typed = form.optional('mail_code', 200)
  if (typed === undefined) return await show(visit, waiting, 'missing')
  if (await giveGuestCode(service, waiting, typed)) return await finish(visit, waiting)
  await recordRefusal(visit, { uuid: upstream.uuid }, 'wrong_code')
  return await show(visit, waiting, 'wrong')
}

/** Goes on by what the upstream proved, of which nothing counts a second time. */
async function finish(visit: Visit, { state, upstream_uuid }: Waiting): Promise<unknown> {
  const { service, browser } = visit
  const taking = { state, browser, purposes: ['guest'], now: service.now() } as const
  const taken = await takeUpstreamRequest(service.store.db, taking)
  const after = await stopWaiting(visit)
  if (taken === undefined) return goOn(visit)
  const { email, stepUp, came, ...kept } = JSON.parse(taken.data) as WaitingGuest
  const upstream = await activeUpstream(service, upstream_uuid)
  const proved = { assertion: restoredAssertion(kept), stepUp, came, mailbox: email }
  return await answerByUpstream(after, upstream, proved)
}

async function stopWaiting(visit: Visit): Promise<Visit> {
  const { guest: _, ...parameters } = visit.pending.parameters
  await answerStep(visit.service.store, visit.pending.id, { parameters })
  return { ...visit, pending: { ...visit.pending, parameters } }
}

async function show(visit: Visit, waiting: Waiting, error?: EnrolmentCodeError): Promise<unknown> {
  const { service, reply, page } = visit
  try {
    const { name } = await activeUpstream(service, waiting.upstream_uuid)
    const sent = await guestCodeWaits(service, waiting)
    const html = guestPage({ ...page, name, email: waiting.email, sent, error })
    return sendPage(reply, html, { status: codeStatus(error), leadsAway: true })
  } catch (error) {
    if (error instanceof UpstreamRefusal)
      return await failUpstream(visit, { uuid: waiting.upstream_uuid }, error)
    throw error
  }
}
