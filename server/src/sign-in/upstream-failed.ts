import { record } from '../audit/record.ts'
import { sendPage } from '../pages/send-page.ts'
import type { PersonOutcome } from '../upstream/person.ts'
import { mendedByAdministrators, type RefusalCode, type UpstreamRefusal } from '../upstream/refusal.ts'
import type { Service } from '../service.ts'
import { answerStep } from '../store/authorization-requests.ts'
import { upstreamsNow } from '../store/upstreams.ts'
import { noteUpstreamProblem } from '../store/upstream-states.ts'
import { askedBy } from './here.ts'
import type { Visit } from './step.ts'
import { type FailedBecause, upstreamFailedPage } from './upstream-page.tsx'

type RefusedPerson = Extract<PersonOutcome, { outcome: 'refused' }>['reason']

export const shownAs: Readonly<Record<RefusalCode, FailedBecause>> = {
  unreachable: 'unreachable',
  documents: 'setup',
  client_refused: 'setup',
  denied: 'denied',
  response: 'setup',
  signature: 'setup',
  issuer: 'setup',
  audience: 'setup',
  nonce: 'setup',
  expired: 'over',
  replayed: 'over',
  no_subject: 'setup',
  too_old: 'too_old',
  request_over: 'over',
  inactive: 'inactive',
  wrong_credentials: 'denied',
  throttled: 'unreachable',
}

/**
 * Ends a sign-in through an upstream on a page that names it. Nothing is tried again by itself, and the audit has why: its
 * organisation's administrators find it by the number of the request.
 */
export async function failUpstream(
  visit: Visit,
  { uuid }: { uuid: string },
  why: UpstreamRefusal | RefusedPerson,
): Promise<unknown> {
  const { service, reply, pending } = visit
  const { store } = service
  const upstream = (await upstreamsNow(store)).byUuid.get(uuid)
  await recordRefusal(visit, { uuid }, why)
  if (typeof why !== 'string') await noteProblem(service, uuid, why)
  const parameters = { ...pending.parameters, upstreamFailed: true }
  await answerStep(store, pending.id, { parameters })
  const because = typeof why === 'string' ? why : shownAs[why.code]
  const html = upstreamFailedPage({
    ...visit.page,
    name: upstream?.name ?? '',
    because,
    requestId: visit.request.id,
    back: `/sign-in?request=${pending.id}`,
  })
  return sendPage(reply, html, { status: because === 'unreachable' ? 502 : 403 })
}

/** Notes what the upstream's administrators have to mend. */
export async function noteProblem({ store }: Service, uuid: string, why: UpstreamRefusal): Promise<void> {
  const { code, message, byVisitor } = why
  if (!mendedByAdministrators.some((one) => one === code)) return
  const problem = `${code}: ${byVisitor ? `a browser brought back that: ${message}` : message}`
  await noteUpstreamProblem(store, uuid, { problem, byVisitor })
}

/** Records why nobody was signed in, where the upstream's organisation finds it. */
export async function recordRefusal(
  { service: { store, now }, request, client }: Visit,
  { uuid }: { uuid: string },
  why: UpstreamRefusal | RefusedPerson | 'wrong_code',
): Promise<void> {
  const upstream = (await upstreamsNow(store)).byUuid.get(uuid)
  const [reason, text] = typeof why === 'string' ? [why, undefined] : [why.code, why.message]
  await record(store, {
    at: now(),
    kind: 'sign_in.failed',
    actor: { kind: 'anonymous' },
    address: request.ip,
    requestId: request.id,
    target: { kind: 'upstream', id: uuid },
    client_id: askedBy(client.client_id),
    ...(upstream?.organisation_uuid && { organisation_uuid: upstream.organisation_uuid }),
    detail: { reason: `upstream_${reason}`, ...(text !== undefined && { text }) },
  })
}
