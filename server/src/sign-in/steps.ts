/**
 * `sign-in/` owns the steps between an authorization request and its answer: one file per step with its rule, page and
 * form, listed here in their order. Steps never lead to one another: each returns to the authorization request, which
 * asks here what is still missing. It never issues a code or a token.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { profilesThrough } from '../identity/access.ts'
import { type LevelMissing, missingLevel, provenAs } from '../identity/factors/level.ts'
import { upstreamLacking } from '../identity/forced.ts'
import { reachOf } from '../identity/reach.ts'
import { pageOf } from '../pages/locale.ts'
import { ProtocolError } from '../protocol/errors.ts'
import { noCookie, requestDone, refusedAddress, requestOver, unknownClient } from '../protocol/refusals.ts'
import { Parameters } from '../protocol/parameters.ts'
import { isRegisteredRedirectUri } from '../protocol/redirect-uri.ts'
import type { Service } from '../service.ts'
import { atRevision } from '../store/at-revision.ts'
import { clientOfRequest, type PendingRequest } from '../store/authorization-requests.ts'
import { type Client, findClient } from '../store/clients.ts'
import type { LiveSession } from '../store/sessions.ts'
import { isLeaving, type Profile } from '../store/users.ts'
import { readCookie, requestAndSession } from './browser.ts'
import { checkForm, formIn, openPage } from './page-visit.ts'
import { chooseProfile } from './choose-profile.ts'
import { confirmDevice } from './confirm-device.ts'
import { consent } from './consent.ts'
import { ourselves } from './here.ts'
import { leaving } from './leaving.ts'
import { level } from './level.ts'
import { noProfile } from './no-profile.ts'
import { organisation } from './organisation.ts'
import { password } from './password.ts'
import { secondFactor } from './second-factor.ts'
import {
  type AskedFor,
  denied,
  goOn,
  type Progress,
  type SignInState,
  type SignInStep,
  type Visit,
} from './step.ts'
import { linkUpstream } from './upstream-link.ts'
import { temporaryPassword } from './temporary-password.ts'

/** The steps in the order in which they are asked for. */
const steps: readonly SignInStep[] = [
  password,
  secondFactor,
  leaving,
  linkUpstream,
  temporaryPassword,
  noProfile,
  chooseProfile,
  organisation,
  level,
  consent,
  confirmDevice,
]

/** The steps of a sign-in to one of the service's own pages. */
const stepsHere = [password, secondFactor, leaving, linkUpstream, temporaryPassword]

export type StepAnswer =
  | { kind: 'missing'; step: SignInStep; missing: unknown; session: LiveSession | undefined }
  /** A page of ours asked, and nothing is missing: see `here.ts`. */
  | { kind: 'here'; path: string }
  /** Another person signed in than the id_token_hint names. */
  | { kind: 'other-person' }
  | { kind: 'done'; session: LiveSession; profile: Profile }

/** The first step that is missing, or `done`. */
export async function whatIsMissing(
  service: Service,
  asked: AskedFor,
  progress: Progress,
  current: LiveSession | undefined,
): Promise<StepAnswer> {
  // A person whose account waits for its removal comes as far as the step that offers to undo it.
  const counts = current?.user.active === 1 || (current && isLeaving(current.user, service.now()))
  const active = counts === true ? current : undefined
  const isOther = asked.hintedSub !== undefined && active?.user_uuid !== asked.hintedSub
  if (isOther && active !== undefined && progress.signed_in_sid === active.sid)
    return { kind: 'other-person' }
  const session = isOther ? undefined : active
  // A page of ours is for who is signed in, under whichever profile.
  const all = asked.here === undefined ? profilesThrough(asked.client, session?.profiles ?? []) : []
  const reach = session && (await reachOf(service.store, session))
  const profiles = reach === undefined ? [] : all.filter((one) => reach.opens(one))
  const wanted = progress.profile_uuid ?? asked.profileUuid
  const isBeyond = isOutOfReach(all, profiles, wanted)
  const profile = chosen(profiles, wanted)
  const demanded = session && profile && (await demandedOf(service, asked, { session, profile }))
  const lacking = demanded ? undefined : await lackingIn(service, asked, progress, { session, profile })
  const seen =
    session && reach && !reach.isFull
      ? { ...session, profiles: session.profiles.filter((one) => reach.opens(one)) }
      : session
  const state = { asked, progress, session: seen, profiles, profile, isBeyond, demanded, lacking }
  for (const step of asked.here === undefined ? steps : stepsHere) {
    const missing = await step.missing(service, state)
    if (missing !== undefined) return { kind: 'missing', step, missing, session }
  }
  if (asked.here !== undefined) return { kind: 'here', path: asked.here }
  if (session === undefined || profile === undefined)
    throw new Error('No step asked for a person or a profile.')
  return { kind: 'done', session, profile }
}

/** Whether the profile that is wanted, or any where none is, takes another proof than this session has. */
function isOutOfReach(
  all: readonly Profile[],
  reached: readonly Profile[],
  wanted: string | undefined | null,
): boolean {
  const isWanted = (one: Profile) => one.held_uuid === wanted
  if (all.some(isWanted)) return !reached.some(isWanted)
  return all.length > 0 && reached.length === 0
}

/** The upstreams that the profile's organisation wants a proof of. */
const demandedOf = async (
  { store, now }: Service,
  { client }: AskedFor,
  { session, profile }: { session: LiveSession; profile: Profile },
) => await upstreamLacking(store, { user: session.user, proven: session, client, profile }, now())

/** The level depends on the profile, so it is asked for once that is known. */
async function lackingIn(
  service: Service,
  { client, acrValues = [], offeredTo, putOffBy }: AskedFor,
  { signed_in_sid }: Progress,
  { session, profile }: Pick<SignInState, 'session' | 'profile'>,
): Promise<LevelMissing | undefined> {
  if (session === undefined || profile === undefined) return undefined
  const { user, sid } = session
  const mayAsk = (signed_in_sid === sid || offeredTo === user.uuid) && putOffBy !== user.uuid
  const person = await provenAs(service.store, { user, proven: session }, profile)
  return await missingLevel(service, person, { client, profile }, { acrValues, mayAsk })
}

function chosen(profiles: readonly Profile[], uuid: string | undefined): Profile | undefined {
  return profiles.find((one) => one.held_uuid === uuid) ?? (profiles.length === 1 ? profiles[0] : undefined)
}

/** GET and POST of each step. */
export function signInSteps(app: FastifyInstance, service: Service): void {
  for (const step of steps) {
    app.get(step.path, async (request, reply) => {
      const { visit, answer } = await openStep(service, request, reply, step)
      if (answer.kind !== 'missing' || answer.step !== step) return goOn(visit)
      return await step.show(visit, answer.missing)
    })
    app.post(step.path, async (request, reply) => {
      const { visit, answer } = await openStep(service, request, reply, step)
      const form = await formOf(visit)
      const isNext = answer.kind === 'missing' && answer.step === step
      return await step.submit({ ...visit, form }, isNext ? answer.missing : undefined)
    })
  }
}

/** A visit of a page of a sign-in. Throws `request_expired` when the request is over, or another browser's. */
export async function openStep(
  running: Service,
  request: FastifyRequest,
  reply: FastifyReply,
  { path, id }: { path: string; id?: string },
): Promise<{ visit: Visit; answer: StepAnswer }> {
  const { service, pending, client, session } = await findPending(running, request, id)
  const answer = await whatIsMissing(service, { client, ...pending.parameters }, pending, session)
  const visit = await openPage(service, request, reply, {
    about: pending.id,
    action: `${path}?request=${pending.id}`,
    organisation_uuid: brandedBy(answer, pending, client),
    uiLocales: pending.parameters.uiLocales,
    client,
  })
  const { brand } = visit.page
  const clientName = client === ourselves ? (brand?.name ?? client.client_name) : client.client_name
  return { visit: { ...visit, pending, client, session, page: { ...visit.page, clientName } }, answer }
}

/** The organisation with the branding of a page: the client's, after the sign-in the profile's. No address chooses it. */
function brandedBy(
  answer: StepAnswer,
  { profile_uuid, parameters }: PendingRequest,
  client: Client,
): string | null {
  const mayBeAnybody = answer.kind !== 'missing' || answer.step === password
  const profiles = mayBeAnybody ? [] : profilesThrough(client, answer.session?.profiles ?? [])
  const profile = chosen(profiles, profile_uuid ?? parameters.profileUuid)
  return profile?.organisation_uuid ?? client.organisation_uuid
}

/** The form, which must have come from this browser. Throws `form_expired` otherwise, `access_denied` on "cancel". */
export async function formOf(visit: Visit): Promise<Parameters> {
  const form = formIn(visit.request)
  checkForm(visit, form, otherForm)
  if (form.optional('choice') === 'cancel') throw await denied(visit, 'The user cancelled the sign-in.')
  return form
}

export const otherForm = () =>
  new ProtocolError('form_expired', 'The form does not belong to this browser. Go back and try again.')

/** The error page names the application whose request ran out, or which this session was signed in to by it. */
async function overOf(
  service: Service,
  request: FastifyRequest,
  { id, session }: { id: string | undefined; session: LiveSession | undefined },
): Promise<ProtocolError> {
  const browser = readCookie(service, request, 'browser')
  if (browser === undefined) return noCookie()
  const found = id && (await clientOfRequest(service.store, { id, browser, sid: session?.sid }))
  const client = found ? await findClient(service.store, found.client_id) : undefined
  if (!found || !client?.usable) return requestOver()
  pageOf(request, { client })
  return found.answered ? requestDone() : requestOver()
}

/** The sign-in that a browser goes on with, as it is now; `service` is that of this request. */
export interface Pending {
  service: Service
  pending: PendingRequest
  client: Client
  session: LiveSession | undefined
}

/**
 * The authorization request of this id, or that is named in the address. Both the client and its addresses may have changed since:
 * nothing is sent to one that is no longer registered.
 */
export async function findPending(
  running: Service,
  request: FastifyRequest,
  id: string | undefined = Parameters.ofUrl(request.url).optional('request'),
): Promise<Pending> {
  const { pending, session } = await requestAndSession(running, request, id)
  if (pending === undefined) {
    throw await overOf(running, request, { id, session })
  }
  const service = atRevision(running, pending.revision)
  const { redirect_uri, parameters } = pending
  if (parameters.here !== undefined) return { service, pending, client: ourselves, session }
  const client = await findClient(service.store, pending.client_id)
  if (client === undefined || !client.usable) throw unknownClient()
  const isOurs = parameters.device !== undefined || parameters.trial !== undefined
  if (!isOurs && !isRegisteredRedirectUri(redirect_uri, client.redirect_uris, client.application_type)) {
    throw refusedAddress(client, 'redirect_uris', redirect_uri)
  }
  return { service, pending, client, session }
}
