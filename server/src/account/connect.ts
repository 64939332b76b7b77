/** How people connect their account with who they are at an upstream, and remove that again. */
import { sendPage } from '../pages/send-page.ts'
import { type Authentication, authenticationOf } from '../protocol/authentication.ts'
import { newSecret } from '../protocol/identifier.ts'
import { Parameters } from '../protocol/parameters.ts'
import { vouchFor } from '../identity/reach.ts'
import { findUpstreamRequest, keepUpstreamRequest, takeUpstreamRequest } from '../store/upstream-requests.ts'
import { credentialsOf } from '../store/credentials.ts'
import { ownershipOf } from '../store/ownership.ts'
import { type UpstreamNow, upstreamsNow } from '../store/upstreams.ts'
import { keptAssertion, type KeptAssertion, restoredAssertion } from '../upstream/assertion.ts'
import { linkedUpstreams, personLinkedTo } from '../upstream/linked.ts'
import { linkProved } from '../upstream/link-proved.ts'
import { UpstreamRefusal } from '../upstream/refusal.ts'
import { unlinkOwn } from '../upstream/unlink-own.ts'
import { connectPage as page, type ConnectPart, type ConnectRefusal } from './connect-page.tsx'
import { freshIn } from './fresh-proof.ts'
import type { AccountPage } from './page.ts'
import { type Came, cameBack, failThere, goThere } from './upstream-there.ts'
import { type AccountVisit, accountSignInPath, originOf } from './visit.ts'

const connectPath = '/account/connect'

/** What the page of the account says of links. */
export async function linksOf(visit: AccountVisit): Promise<ConnectPart> {
  const { service, session } = visit
  const linked = await linkedUpstreams(service.store, session.user_uuid)
  const hasPasskey = async () =>
    (await credentialsOf(service.store, session.user_uuid)).some(({ kind }) => kind === 'passkey')
  const others = linked.length > 1 || session.user.password_hash !== null || (await hasPasskey())
  return {
    linked: linked.map(({ upstream: { uuid, name }, since }) => ({ uuid, name, since })),
    isOnlyWay: !others,
    offered: await connectable(visit, session),
  }
}

/**
 * The upstreams that the person may connect: of organisations where they have a profile, and of the installation. A link
 * reaches no further than the proofs that it is made by.
 */
async function connectable(
  { service: { store }, session }: AccountVisit,
  proofs: Authentication,
): Promise<UpstreamNow[]> {
  const linked = new Set(
    (await linkedUpstreams(store, session.user_uuid)).map(({ upstream: { uuid } }) => uuid),
  )
  const places = new Set(session.profiles.map(({ organisation_uuid }) => organisation_uuid))
  const may: UpstreamNow[] = []
  for (const one of (await upstreamsNow(store)).byUuid.values()) {
    const { uuid, counts, organisation_uuid: of } = one
    if (!counts || linked.has(uuid) || (of !== null && !places.has(of))) continue
    if (await vouchFor(store, proofs, of)) may.push(one)
  }
  return may
}

/** Why the person may not connect an upstream now; undefined: they may. */
async function whyNot(visit: AccountVisit, uuid: string): Promise<'unproved' | 'notOffered' | undefined> {
  const { service, session } = visit
  const offered = await connectable(visit, authenticationOf(freshIn(visit)))
  if (!offered.some((one) => one.uuid === uuid)) return 'notOffered'
  // Whoever made the account may know a way in: a link of theirs would wait there for its person.
  const owned = await ownershipOf(service.store.db, session.user_uuid)
  return owned?.limited_reach === 0 ? undefined : 'unproved'
}

/** Leads to the upstream, where who the person is there is proved. */
export async function connect(
  visit: AccountVisit,
  form: Parameters,
): Promise<{ error: ConnectRefusal } | { answer: unknown }> {
  const uuid = form.optional('upstream', 36) ?? ''
  const error = await whyNot(visit, uuid)
  return error === undefined ? { answer: await goThere(visit, uuid, { purpose: 'connect' }) } : { error }
}

/** Keeps what was proved until the person has seen both and says so. */
export const connectCame: Came = async (visit, { upstream, assertion }) => {
  const { service, session, browser, reply } = visit
  const linked = await linkedUpstreams(service.store, session.user_uuid)
  const isTaken =
    linked.some((one) => one.upstream.uuid === upstream.uuid) ||
    (await personLinkedTo(service.store, assertion)) !== undefined
  if (isTaken) return await failThere(visit, { uuid: upstream.uuid, purpose: 'connect' }, 'taken')
  const state = newSecret()
  const about = { upstream_uuid: upstream.uuid, about: session.sid, purpose: 'connected' } as const
  const kept = { ...about, state, browser, data: keptAssertion(assertion), now: service.now() }
  await keepUpstreamRequest(service.store, kept)
  return reply.redirect(`${connectPath}?waiting=${state}`, 303)
}

export const backToConnect = cameBack('connect', connectCame)

/** Shows both, and connects them by a button. */
export const connectPage: AccountPage = { path: connectPath, show, actions: { link }, kept: ['waiting'] }

async function show(visit: AccountVisit): Promise<unknown> {
  const { service, request, reply, session } = visit
  const state = Parameters.ofUrl(request.url).optional('waiting', 100) ?? ''
  const asked = { state, purpose: 'connected', now: service.now() } as const
  const found = await findUpstreamRequest(service.store, asked)
  const { byUuid, breakGlass } = await upstreamsNow(service.store)
  const upstream = found && byUuid.get(found.upstream_uuid)
  if (found?.about !== session.sid || upstream === undefined) return reply.redirect(accountSignInPath, 303)
  const { subject, fields } = JSON.parse(found.data) as KeptAssertion
  const html = page({
    ...visit.page,
    hidden: { do: 'link', waiting: state },
    own: { name: session.user.name, email: session.user.email },
    there: { upstream: upstream.name, subject, name: fields.name, email: fields.email },
    endsBreakGlass: breakGlass.get(upstream.organisation_uuid ?? '')?.has(session.user_uuid) === true,
    back: accountSignInPath,
  })
  return sendPage(reply, html)
}

async function link(visit: AccountVisit, form: Parameters): Promise<unknown> {
  const { service, reply, session, browser } = visit
  const now = service.now()
  const taking = {
    state: form.optional('waiting', 100) ?? '',
    browser,
    purposes: ['connected'],
    now,
  } as const
  const taken = await takeUpstreamRequest(service.store.db, taking)
  if (taken === undefined || taken.about !== session.sid)
    return reply.redirect(`${accountSignInPath}?done=over`, 303)
  const { upstream_uuid: uuid } = taken
  const failed = (why: UpstreamRefusal | 'taken' | 'needed') =>
    failThere(visit, { uuid, purpose: 'connect' }, why)
  if ((await whyNot(visit, uuid)) !== undefined) return await failed('taken')
  const assertion = restoredAssertion(JSON.parse(taken.data) as KeptAssertion)
  const proved = { ...assertion, user_uuid: session.user_uuid }
  try {
    const outcome = await linkProved(service.store, proved, { now, by: originOf(visit) })
    if (outcome === 'taken' || outcome === 'needed') return await failed(outcome)
    return reply.redirect(`${accountSignInPath}?done=connected`, 303)
  } catch (error) {
    if (error instanceof UpstreamRefusal) return await failed(error)
    throw error
  }
}

/** Removes a link, once another way in was proved just now. False: there is none. */
export async function disconnect(visit: AccountVisit, form: Parameters): Promise<boolean> {
  const { service, session } = visit
  const { user_uuid, sid } = session
  const upstream_uuid = form.optional('upstream', 36) ?? ''
  const how = { now: service.now(), by: originOf(visit) }
  return await unlinkOwn(service.store, { user_uuid, sid, upstream_uuid }, how)
}
