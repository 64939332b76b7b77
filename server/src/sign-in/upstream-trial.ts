/** A sign-in through an upstream that is tried: somebody goes there and comes back, and is signed in nowhere. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Assertion } from '../upstream/assertion.ts'
import { reachingOf } from '../upstream/fetch.ts'
import { ldapAssertion } from '../upstream/ldap.ts'
import { UpstreamRefusal } from '../upstream/refusal.ts'
import { upstreamToTry } from '../upstream/to-try.ts'
import { settleTrial, shownTrial } from '../upstream/trial.ts'
import type { Upstream } from '../upstream/upstream.ts'
import { tieWaiting } from '../scim/waiting.ts'
import { addressKey } from '../identity/address.ts'
import { pageOf } from '../pages/locale.ts'
import { sendPage } from '../pages/send-page.ts'
import { Parameters } from '../protocol/parameters.ts'
import { noCookie, requestOver } from '../protocol/refusals.ts'
import { isUuid } from '../protocol/values.ts'
import type { Service } from '../service.ts'
import { brandingFor } from '../store/brandings.ts'
import { findTrial, isOpenTo, openTrial, type UpstreamTrialRow } from '../store/upstream-trials.ts'
import { readCookie } from './browser.ts'
import { checkForm, formIn, openPage, type PageVisit } from './page-visit.ts'
import { addressAt, callbackOf, samlAddressesOf } from './upstream.ts'
import type { DirectoryPageProps } from './upstream-page.tsx'
import type { CameBack } from './upstream-routes.ts'
import { trialOverPage, trialPage, triedPage } from './upstream-trial-page.tsx'

type OfTrial = { Params: { uuid: string } }

export function upstreamTrials(app: FastifyInstance, service: Service): void {
  // No HEAD: it would set a cookie.
  app.get<OfTrial>('/upstreams/:uuid/try', { exposeHeadRoute: false }, async (request, reply) => {
    const visit = await open(service, request, reply, request.params.uuid)
    return visit === undefined ? over(request, reply) : shown(visit, {})
  })

  app.post<OfTrial>('/upstreams/:uuid/try', async (request, reply) => {
    service.limits.authorize.check(addressKey(request.ip))
    service.limits.authorize.count(addressKey(request.ip))
    const visit = await open(service, request, reply, request.params.uuid)
    if (visit === undefined) return over(request, reply)
    checkForm(visit, formIn(request), requestOver)
    return await go(visit)
  })

  app.get<OfTrial>('/upstreams/:uuid/tried', async (request, reply) => {
    const id = Parameters.ofUrl(request.url).optional('id') ?? ''
    const trial = await findTrial(service.store, { id }, service.now())
    const browser = readCookie(service, request, 'browser') ?? ''
    const { uuid } = request.params
    const isTheirs = trial?.upstream_uuid === uuid && trial.browser_hash !== null && isOpenTo(trial, browser)
    const upstream = isTheirs ? await upstreamToTry(service, uuid) : undefined
    if (typeof trial?.outcome !== 'string' || upstream === undefined) return over(request, reply)
    const { name, organisation_uuid } = upstream
    const brand = await brandingFor(service.store, organisation_uuid)
    const page = { ...pageOf(request), brand, name, trial: shownTrial(trial), back: trial.return_to }
    return sendPage(reply, triedPage({ ...page, registered: registeredOf(service, upstream) }))
  })
}

const over = (request: FastifyRequest, reply: FastifyReply) =>
  sendPage(reply, trialOverPage(pageOf(request)), { status: 400 })

/** Addresses of ours that stand at the provider. */
const registeredOf = (service: Service, { uuid, kind }: Upstream): readonly string[] => {
  const { ownEntity, acs } = samlAddressesOf(service, uuid)
  return kind === 'ldap' ? [] : kind === 'saml' ? [acs, ownEntity] : [callbackOf(service, uuid)]
}

interface TrialVisit extends PageVisit {
  trial: UpstreamTrialRow
  upstream: Upstream
}

/** A trial that nobody has opened yet, or this browser has. Undefined: it is another's, or over. */
async function open(
  service: Service,
  request: FastifyRequest,
  reply: FastifyReply,
  uuid: string,
): Promise<TrialVisit | undefined> {
  const secret = Parameters.ofUrl(request.url).optional('trial') ?? ''
  const trial = await findTrial(service.store, { secret }, service.now())
  if (trial?.upstream_uuid !== uuid || trial.outcome !== null) return undefined
  const upstream = await upstreamToTry(service, uuid)
  if (upstream === undefined || !isOpenTo(trial, readCookie(service, request, 'browser') ?? ''))
    return undefined
  const { organisation_uuid } = upstream
  const form = { about: `trial ${trial.id}`, action: `/upstreams/${uuid}/try?trial=${secret}` }
  const visit = await openPage(service, request, reply, { ...form, organisation_uuid })
  return { ...visit, trial, upstream }
}

const shown = (
  { reply, page, upstream: { name, kind } }: TrialVisit,
  view: Pick<DirectoryPageProps, 'typed' | 'error'>,
) =>
  sendPage(reply, trialPage({ ...page, name, typesPassword: kind === 'ldap', ...view }), {
    status: view.error === undefined ? 200 : 400,
    leadsAway: true,
  })

/** Binds the trial to this browser, and leads it to the provider. */
async function go(visit: TrialVisit): Promise<unknown> {
  const { service, request, reply, browser, page, trial, upstream } = visit
  const { id } = trial
  const form = formIn(request)
  const [name, password] = [form.optional('name', 320), form.optional('password', 500)]
  if (upstream.kind === 'ldap' && (name === undefined || password === undefined))
    return shown(visit, { typed: name, error: 'missing' })
  if (!(await openTrial(service.store, { id, browser, now: service.now() }))) return over(request, reply)
  try {
    if (upstream.kind !== 'ldap') {
      const going = { about: id, purpose: 'trial', browser, uiLocales: page.locale } as const
      return await reply.redirect(await addressAt(service, upstream, going), 303)
    }
    const device = readCookie(service, request, 'device')
    const asking = { ...reachingOf(service), store: service.store }
    const typed = { name: name ?? '', password: password ?? '', device }
    const assertion = await ldapAssertion(asking, upstream, typed, service.now())
    return await settled(visit, async () => assertion)
  } catch (error) {
    if (!(error instanceof UpstreamRefusal)) throw error
    if (error.code === 'wrong_credentials') return shown(visit, { typed: name, error: 'wrongCredentials' })
    return await settled(visit, async () => {
      throw error
    })
  }
}

/** The way back from the provider. */
export async function backInTrial({ service, request, reply, taken, proved }: CameBack): Promise<unknown> {
  const browser = readCookie(service, request, 'browser')
  if (browser === undefined) throw noCookie()
  const trial = await findTrial(service.store, { id: taken.about }, service.now())
  const upstream = isUuid(taken.upstream_uuid) ? await upstreamToTry(service, taken.upstream_uuid) : undefined
  if (trial === undefined || upstream === undefined || !isOpenTo(trial, browser)) return over(request, reply)
  return await settled({ service, request, reply, trial, upstream }, () => proved(upstream))
}

/** Keeps what came of it, and leads to the page that says so: the address of the answer counts once. */
async function settled(
  {
    service,
    request,
    reply,
    trial,
    upstream,
  }: Pick<TrialVisit, 'service' | 'request' | 'reply' | 'trial' | 'upstream'>,
  proved: () => Promise<Assertion>,
): Promise<unknown> {
  const from = { address: request.ip, requestId: request.id }
  const coming = { now: service.now(), from, mails: service.mail !== undefined, arrived: tieWaiting }
  await settleTrial(service.store, trial, upstream, { proved, coming })
  return reply.redirect(`/upstreams/${upstream.uuid}/tried?id=${trial.id}`, 303)
}
