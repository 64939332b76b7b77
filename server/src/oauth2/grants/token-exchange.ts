import { type Audience, audienceOf, permissionsOfPerson } from '../../identity/access.ts'
import type { AllowedClient } from '../../identity/consent.ts'
import { exchangedBy } from '../../identity/exchanged.ts'
import { levelLacking } from '../../identity/factors/level.ts'
import { upstreamLacking } from '../../identity/forced.ts'
import { isOfPerson, type LivePerson, livePerson, type PersonSubject } from '../../identity/live-token.ts'
import { reachOf } from '../../identity/reach.ts'
import { ProtocolError } from '../../protocol/errors.ts'
import { accessTokenType, longestChain } from '../../protocol/exchange.ts'
import type { Parameters } from '../../protocol/parameters.ts'
import { invalidRequest } from '../../protocol/refusals.ts'
import type { Service } from '../../service.ts'
import type { Client } from '../../store/clients.ts'
import type { Exchanging } from '../../store/exchanging.ts'
import { findHolding, type Holding } from '../../store/holding.ts'
import { isWithinClient } from '../../store/usable.ts'
import { type AccessToken, longestToken, readAccessToken } from '../access-token.ts'
import { audiencesIn, type ClaimsNow, claimsNow, permissionsIn } from '../claims-now.ts'
import type { ExchangeGrant, Presented, TokenRequest } from '../issue.ts'
import { recordExchange } from './exchange-records.ts'

/**
 * The token exchange grant (RFC 8693, decisions 31): a service that a person called gets a token to call one other
 * service for them, with no more than they may do there and the administrator allowed, and no longer than the call's
 * own.
 */
export async function tokenExchange(service: Service, parameters: Parameters): Promise<Presented> {
  const token = readAccessToken(service, parameters.optional('subject_token', longestToken) ?? '')
  const isPersons = token !== undefined && isOfPerson(token)
  const holding = isPersons ? await findHolding(service.store, token.jti, service.now()) : undefined
  return {
    revision: holding?.person.revision,
    grant: async (asking) => await exchangeGrant(asking, parameters, { token, holding }),
  }
}

/** The presented token, before it is known by whom; undefined: none that could count. */
interface PresentedSubject {
  token: AccessToken | undefined
  holding: Holding | undefined
}

async function exchangeGrant(
  { service, client, from }: TokenRequest,
  parameters: Parameters,
  presented: PresentedSubject,
): Promise<ExchangeGrant> {
  checkForm(parameters)
  const { exchanging } = client
  if (exchanging === undefined)
    throw new ProtocolError('unauthorized_client', 'The service that this client was is not there any more.')
  const subject = checkSubject(presented.token)
  const isForUs = (audiences: readonly string[]) => audiences.includes(exchanging.as.audience)
  const notForUs = () =>
    unacceptable(`it is not for ${exchanging.as.audience}, the service that this client is`)
  // The audience comes first: whether a token for others still counts is told to nobody.
  if (!isForUs(audiencesIn(subject.claims))) throw notForUs()
  const { live, now } = await liveSubject(service, subject, presented.holding)
  if (!isForUs(now.audiences)) throw notForUs()
  if (!isWithinClient(live.profile, client))
    throw unacceptable('this client does not act for the profile that the person uses')
  const target = targetOf(exchanging, parameters)
  const { through, audience } = allowedTarget(service, client, live.client, target)
  await checkPolicies(service, live, client)
  const today = await permissionsOfPerson(service, live.profile.role_code, through, audience.services)
  const isBound = now.audiences.includes(target.audience)
  const permissions = isBound ? today.filter((one) => permissionsIn(now.claims).includes(one)) : today
  const earlier = subject.actors ?? []
  await recordExchange(service, { client, live, target: target.code, earlier, from })
  return {
    kind: 'exchange',
    client,
    person: live.user,
    context: live.profile,
    familyId: live.family.id,
    sid: live.family.sid,
    scopes: through.scopes,
    audience,
    permissions,
    own: undefined,
    nonce: undefined,
    ...saidBy(subject),
    subject,
  }
}

/** How the person proved who they are stays as the subject's token says it: an exchange is no sign-in. */
function saidBy({ claims: { auth_time, acr, amr } }: AccessToken) {
  return {
    auth_time: typeof auth_time === 'number' ? auth_time * 1000 : 0,
    acr: typeof acr === 'string' ? acr : '',
    amr: [amr].flat().filter((one) => typeof one === 'string'),
  }
}

/**
 * The value, or undefined when it was not sent. What is there and empty is refused: dropped, it would widen the answer.
 */
function filled(parameters: Parameters, name: string): string | undefined {
  const value = parameters.optional(name)
  if (value === undefined && parameters.has(name)) throw invalidRequest(`The parameter ${name} is empty.`)
  return value
}

function checkForm(parameters: Parameters): void {
  for (const name of ['actor_token', 'actor_token_type'])
    if (parameters.has(name)) throw invalidRequest(`There is no ${name}: the actor is the client itself.`)
  parameters.required('subject_token', longestToken)
  if (parameters.required('subject_token_type') !== accessTokenType)
    throw invalidRequest(`The subject_token_type is not ${accessTokenType}.`)
  if ((filled(parameters, 'requested_token_type') ?? accessTokenType) !== accessTokenType)
    throw invalidRequest(`The requested_token_type is not ${accessTokenType}.`)
  if ((filled(parameters, 'scope') ?? 'service.api') !== 'service.api')
    throw new ProtocolError('invalid_scope', 'An exchanged token has the scope service.api alone.')
}

/** Every refusal of a subject token is `invalid_request` (RFC 8693 §2.2.2). */
const unacceptable = (why: string) => invalidRequest(`The subject_token is not accepted: ${why}.`)

function checkSubject(token: AccessToken | undefined): AccessToken & PersonSubject {
  if (token === undefined) throw unacceptable('it is no access token of this issuer, or has expired')
  if (!isOfPerson(token)) throw unacceptable('it is of a machine, which acts for nobody')
  if (token.jkt !== undefined) throw unacceptable('it is bound to a key of its receiver')
  if ((token.actors?.length ?? 0) >= longestChain)
    throw unacceptable(`${longestChain} services have exchanged it one after another already`)
  return token
}

async function liveSubject(
  service: Service,
  token: AccessToken & PersonSubject,
  holding: Holding | undefined,
): Promise<{ live: LivePerson; now: ClaimsNow }> {
  const live = holding && (await livePerson(service, token, holding))
  const now = live && (await claimsNow(service, token, live))
  if (live === undefined || now === undefined)
    throw unacceptable('it was revoked, or what it is for has ended')
  return { live, now }
}

type Target = Exchanging['declaredServices'][number]

/**
 * The one service that the token is to be for: `resource` is its audience (RFC 8707 §2), `audience` that or its code, as
 * the logical name of RFC 8693 §2.1.
 */
function targetOf({ declaredServices }: Exchanging, parameters: Parameters): Target {
  const [resource, name] = [filled(parameters, 'resource'), filled(parameters, 'audience')]
  if (resource === undefined && name === undefined)
    throw noTarget('Name the service that the token is for, in resource or audience')
  const found = declaredServices.find(
    ({ code, audience }) =>
      (resource === undefined || resource === audience) &&
      (name === undefined || name === audience || name === code),
  )
  if (found !== undefined) return found
  const audiences = declaredServices.map(({ audience }) => audience).join(' ') || 'none'
  throw noTarget(
    'The resource or audience is, to the last slash, no service that this client may exchange tokens for',
    `the audiences that it may exchange for are ${audiences}`,
  )
}

const noTarget = (description: string, detail = '') =>
  new ProtocolError('invalid_target', `${description}.`, detail === '' ? {} : { detail })

function allowedTarget(
  { issuer }: Service,
  client: Client,
  called: AllowedClient,
  { audience: resource }: Target,
): { through: AllowedClient; audience: Audience } {
  const through = exchangedBy(called, client)
  const audience = through && audienceOf(issuer, through, resource)
  if (through !== undefined && audience !== undefined) return { through, audience }
  throw unacceptable(
    'its person has not allowed the application that they use to have this done there; a new authorization request asks them',
  )
}

/** The client whose token it is, and those that called that, back to the one that the person uses. */
const callersOf = (called: AllowedClient | undefined): AllowedClient[] =>
  called === undefined ? [] : [called, ...callersOf(called.caller)]

/** The policy of the client that the person uses, and of each that acts for them. */
async function checkPolicies(service: Service, live: LivePerson, exchanger: Client): Promise<void> {
  const { store } = service
  const { user, profile, family, client: called } = live
  const reach = await reachOf(store, family)
  const person = { user, proven: reach.proven(profile), assured: reach.assured(profile) }
  for (const client of [...callersOf(called), exchanger]) {
    const lacking = await levelLacking(service, person, { client, profile })
    if (lacking !== undefined)
      throw unacceptable(`its person has to prove more, by a sign-in with acr_values=${lacking}`)
    const acting = { user, proven: family, client, profile }
    if ((await upstreamLacking(store, acting, service.now())) !== undefined)
      throw unacceptable('the organisation of its profile asks for a sign-in through its own provider')
  }
}
