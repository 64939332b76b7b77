/** A fresh proof by an upstream, where the person has nothing else that reaches as far. */
import { sendPage } from '../pages/send-page.ts'
import { noteSession, provedByUpstream } from '../sign-in/upstream-answer.ts'
import { upstreamProof } from '../store/upstream-proof.ts'
import { personLinkedTo } from '../upstream/linked.ts'
import { add, waysToProve } from './fresh-proof.ts'
import { provedPage } from './prove-page.tsx'
import { type Came, cameBack, failThere, goThere, type KeptForm } from './upstream-there.ts'
import type { AccountVisit } from './visit.ts'

/** Leads to the upstream that the form chose. Undefined: it chose none by which this person can prove themself. */
export async function leaveToProve(
  visit: AccountVisit,
  choice: string | undefined,
  { form, without }: { form: KeptForm; without: string | undefined },
): Promise<{ answer: unknown } | undefined> {
  if (choice?.startsWith('upstream:') !== true) return undefined
  const { upstreams } = await waysToProve(visit, without)
  const chosen = upstreams.find(({ uuid }) => choice === `upstream:${uuid}`)
  return chosen && { answer: await goThere(visit, chosen.uuid, { purpose: 'proof', form }) }
}

/** Adds the proof to the session, where it is of the same person, and goes on with the form that wanted it. */
export const proofCame: Came = async (visit, { upstream, assertion, form }) => {
  const { service, session, reply } = visit
  const { uuid } = upstream
  const failed = (why: 'other_person' | 'untimed' | 'disabled') =>
    failThere(visit, { uuid, purpose: 'proof' }, why)
  if ((await personLinkedTo(service.store, assertion)) !== session.user_uuid)
    return await failed('other_person')
  // Nobody knows how old it is.
  if (assertion.auth_time === undefined) return await failed('untimed')
  const proof = upstreamProof(assertion, provedByUpstream(assertion, service.now()))
  const added = await add(visit, { proof })
  if (added === undefined) return await failed('disabled')
  await noteSession(service, upstream, { assertion, sid: session.sid })
  const { path, fields } = form ?? { path: visit.page.action, fields: {} }
  if (fields.do === undefined || fields.do === 'open') return reply.redirect(path, 303)
  return sendPage(reply, provedPage({ ...added.page, action: path, hidden: fields }))
}

export const backWithProof = cameBack('proof', proofCame)
