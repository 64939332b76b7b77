import type { MetadataSource } from './client-document.ts'
import type { GroupsRule } from './client-claims.ts'
import { type ClientType, keyFields, keyMethod, provingMethods } from './client-type.ts'
import type { Federated } from './federated.ts'
import { type ExchangeFields, exchangeProblems } from './exchange.ts'
import { deviceCodeGrant, tokenExchangeGrant } from './grant-types.ts'
import { signInOfProxied } from './proxied.ts'
import { iamService, serviceOf } from './permission.ts'
import type { ProxiedRoutes } from './proxied-routes.ts'
import { type Requirements, weakeningsOf } from './weakenings.ts'
import { scopesOf } from './scope.ts'
import { machineIdProblem } from './values.ts'

/** The fields of a client that must fit together. Lifetimes in seconds. */
export interface ClientShape extends Requirements {
  client_id?: string | undefined
  metadata?: MetadataSource | undefined
  type?: ClientType | undefined
  scope?: string | undefined
  grant_types?: readonly string[] | undefined
  services?: readonly string[] | undefined
  groups?: GroupsRule | null | undefined
  permissions?: readonly string[] | null | undefined
  acts_as?: ExchangeFields['acts_as']
  exchange?: ExchangeFields['exchange']
  jwks?: object | null | undefined
  jwks_uri?: string | null | undefined
  federated?: Federated | null | undefined
  token_endpoint_auth_method?: string | null | undefined
  origins?: readonly string[] | undefined
  routes?: ProxiedRoutes | null | undefined
  headers?: readonly string[] | undefined
  remote_user?: string | undefined
  redirect_uris?: readonly string[] | undefined
  require_pushed_authorization_requests?: boolean | undefined
  dpop_bound_access_tokens?: boolean | undefined
  id_token_signed_response_alg?: string | undefined
  refresh_idle_lifetime?: number | null | undefined
  refresh_absolute_lifetime?: number | null | undefined
}

/** The fields that the request or the file says something of. */
export interface WrittenFields {
  has(field: string): boolean
  isEmptyList(field: string): boolean
}

export interface ClientProblem {
  field: string
  reason: string
  /** The one of `permissions` that is wrong. */
  permission?: string
}

/** What is wrong with a client, by the rules of its type (decisions 4 and 9). */
export function clientProblems(client: ClientShape, written: WrittenFields): ClientProblem[] {
  const problems = rulesOf[client.type ?? 'public'](client, written)
  if (client.metadata !== 'document') problems.push(...ofKeys(client))
  problems.push(...exchangeProblems(client))
  if (client.type !== 'proxied') problems.push(...withoutProxy(client, written))
  const { refresh_idle_lifetime: idle, refresh_absolute_lifetime: absolute } = client
  if (idle && absolute && idle > absolute) {
    const reason =
      'refresh_idle_lifetime is longer than refresh_absolute_lifetime, and would never be reached'
    problems.push({ field: 'refresh_idle_lifetime', reason })
  }
  return problems
}

type Rules = (client: ClientShape, written: WrittenFields) => ClientProblem[]

const rulesOf: Readonly<Record<ClientType, Rules>> = {
  public: ofPeople,
  web: ofPeople,
  machine: ofMachine,
  proxied: ofProxied,
}

/** The problems of a client that acts for people. */
function ofPeople(
  {
    type = 'public',
    metadata,
    scope = '',
    grant_types: grantTypes,
    groups,
    services,
    ...requirements
  }: ClientShape,
  { has, isEmptyList }: WrittenFields,
): ClientProblem[] {
  const problems: ClientProblem[] = []
  const report = (field: string, reason: string) => problems.push({ field, reason })
  const scopes = scopesOf(scope)
  if (scopes.includes('offline_access') && grantTypes?.includes('refresh_token') === false)
    report('scope', 'offline_access needs the grant type refresh_token')
  problems.push(...ofGroups(groups, services))
  if (type === 'public')
    problems.push(...ofSecretless(has, 'a public client has no', 'it proves itself by PKCE'))
  problems.push(...ofRequirements(requirements, type, scopes))
  const byBrowser = grantTypes === undefined || grantTypes.includes('authorization_code')
  const byDevice = grantTypes?.includes(deviceCodeGrant) === true
  // A device has nothing that a browser could come back to.
  const needsAddress = (byBrowser || !byDevice) && metadata !== 'document'
  if (needsAddress && !has('redirect_uris'))
    report('redirect_uris', `a ${type} client has no "redirect_uris"`)
  else if (needsAddress && isEmptyList('redirect_uris')) {
    report('redirect_uris', `redirect_uris is empty; a ${type} client needs at least one`)
  }
  if (!has('scope'))
    report('scope', `a ${type} client has no "scope"; write openid and what else it may ask for`)
  else if (scopes.length > 0 && !scopes.includes('openid') && !isPlain(type, scopes)) {
    report('scope', `the scope of a ${type} client includes openid; without it no sign-in is possible`)
  }
  if (grantTypes?.includes('client_credentials')) {
    report('grant_types', `a ${type} client can not use client_credentials; that is for type machine`)
  } else if (has('grant_types') && !byBrowser && !byDevice) {
    report('grant_types', `a ${type} client needs the grant type authorization_code, or ${deviceCodeGrant}`)
  }
  const method = requirements.token_endpoint_auth_method ?? undefined
  const fits = type === 'public' ? method === 'none' : method !== 'none'
  if (method !== undefined && !fits) {
    const reason =
      type === 'public'
        ? `a public client has token_endpoint_auth_method none, not ${method}`
        : authenticates(type)
    report('token_endpoint_auth_method', reason)
  }
  return problems
}

/** Groups of permissions tell who holds them, so they are of the client's own services. */
const ofGroups = (groups: ClientShape['groups'], services: ClientShape['services']): ClientProblem[] =>
  groups?.service === undefined || services?.includes(groups.service) === true
    ? []
    : [
        {
          field: 'groups',
          reason: `groups are made of permissions of ${groups.service}, which is not among services`,
        },
      ]

/** What keeps a code from another sign-in: PKCE or the nonce is always left (RFC 9700 §2.1.1). */
function ofRequirements(
  { require_nonce: nonce, require_state: state, require_pkce: pkce }: Requirements,
  type: ClientType,
  scopes: readonly string[],
): ClientProblem[] {
  if (pkce !== false) return []
  const field = 'require_pkce'
  if (type === 'public') return [{ field, reason: 'a public client has nothing but PKCE to prove itself by' }]
  if (scopes.length > 0 && !scopes.includes('openid'))
    return [{ field, reason: 'without openid no ID token tells the nonce, so PKCE is needed' }]
  const left = [nonce === false && 'nonce', state === false && 'state'].filter((one) => one !== false)
  return left.map((one) => ({
    field: `require_${one}`,
    reason: `require_${one} and require_pkce are not both false: without PKCE the ${one} is needed`,
  }))
}

function ofSecretless(has: WrittenFields['has'], lacks: string, instead: string): ClientProblem[] {
  const written = ['client_secret', 'client_secret_hash', 'client_secret_hashes'].filter(has)
  return written.map((field) => ({ field, reason: `${lacks} ${field}; ${instead}` }))
}

/** The service signs people in by itself, at the origins, with what the headers need. */
function ofProxied(client: ClientShape, { has, isEmptyList }: WrittenFields): ClientProblem[] {
  const method = client.token_endpoint_auth_method ?? 'none'
  const problems = ofSecretless(has, 'a proxied client has no', 'the service signs people in to it')
  const report = (field: string, reason: string) => problems.push({ field, reason })
  if (!has('origins') || isEmptyList('origins'))
    report(
      'origins',
      'a proxied client has no "origins"; write where it is, such as https://wiki.example.com',
    )
  if (!has('routes'))
    report(
      'routes',
      'a proxied client has no "routes"; write {"* /*": "signed-in"} to let in whoever may enter',
    )
  const given = signInOfProxied(client)
  for (const field of ['redirect_uris', 'scope', 'grant_types'] as const)
    if (has(field) && !isEmptyList(field) && JSON.stringify(client[field]) !== JSON.stringify(given[field]))
      report(field, `a proxied client has no ${field} of its own; they follow from origins and headers`)
  for (const field of ofRelyingParty)
    if (has(field) && !isEmptyList(field))
      report(field, `a proxied client has no ${field}; it gets no tokens`)
  for (const { field } of weakeningsOf(client))
    report(field, `a proxied client has no ${field}; the service signs people in to it`)
  for (const field of [...ofSignIns(client), ...ofTokens(client)])
    report(field, `a proxied client has no ${field}; the service signs people in to it`)
  const { services = [], headers, groups } = client
  problems.push(...ofGroups(groups, services))
  if (headers?.includes('X-Access-Token') && (services.length !== 1 || services.includes(iamService)))
    report('services', 'the token of X-Access-Token is for exactly one service, and never for iam')
  if (method !== 'none')
    report(
      'token_endpoint_auth_method',
      `a proxied client has token_endpoint_auth_method none, not ${method}`,
    )
  return problems
}

/** What is set of its authorization requests and ID tokens. */
const ofSignIns = ({
  require_pushed_authorization_requests: pushing,
  id_token_signed_response_alg: alg = 'RS256',
}: ClientShape) => [
  ...(pushing ? ['require_pushed_authorization_requests'] : []),
  ...(alg === 'RS256' ? [] : ['id_token_signed_response_alg']),
]

const ofTokens = ({ dpop_bound_access_tokens: bound }: ClientShape) =>
  bound ? ['dpop_bound_access_tokens'] : []

const ofRelyingParty = ['post_logout_redirect_uris', 'backchannel_logout_uri', 'allowed_origins', 'claims']

/** What a client of another type has no use for. */
const withoutProxy = (client: ClientShape, { has, isEmptyList }: WrittenFields): ClientProblem[] =>
  ['origins', 'routes', 'headers']
    .filter((field) => has(field) && !isEmptyList(field))
    .map((field) => ({
      field,
      reason: `a ${client.type ?? 'public'} client has no ${field}; that is for type proxied`,
    }))

/** Keys are of clients that prove who they are, and stand in one place. */
function ofKeys(client: ClientShape): ClientProblem[] {
  const { type, token_endpoint_auth_method: method } = client
  const named = keyFields.filter((field) => (client[field] ?? '') !== '')
  const [first, second] = named
  if (first !== undefined && (type === 'public' || type === 'proxied'))
    return [{ field: first, reason: `a ${type} client has no ${first}; nobody asks it for proof` }]
  if (second !== undefined)
    return [{ field: second, reason: `a client has one of ${keyFields.join(', ')}, and ${first} is there` }]
  if (method === keyMethod && first === undefined)
    return [
      {
        field: 'token_endpoint_auth_method',
        reason: `${keyMethod} needs one of ${keyFields.join(', ')}`,
      },
    ]
  return []
}

/** A server-side application of plain OAuth 2.0: it calls services for people, and is not told who they are. */
const isPlain = (type: ClientType, scopes: readonly string[]) =>
  type === 'web' && scopes.includes('service.api')

const authenticates = (type: ClientType) => `a ${type} client authenticates: ${provingMethods.join(' or ')}`

/** Fields of a client that acts for people. */
const userKeys = [
  'redirect_uris',
  'post_logout_redirect_uris',
  'backchannel_logout_uri',
  'allowed_origins',
  'refresh_idle_lifetime',
  'refresh_absolute_lifetime',
  'groups',
  'claims',
  'allowed',
]

const ofMachines: readonly string[] = ['client_credentials', tokenExchangeGrant]

function ofMachine(client: ClientShape, { has, isEmptyList }: WrittenFields): ClientProblem[] {
  const problems: ClientProblem[] = []
  const report = (field: string, reason: string) => problems.push({ field, reason })
  const { client_id: id } = client
  const wrongId = id === undefined ? undefined : machineIdProblem(id)
  if (id !== undefined && wrongId !== undefined)
    report('client_id', `the client_id ${JSON.stringify(id)} ${wrongId}`)
  for (const key of userKeys) {
    if (has(key) && !isEmptyList(key)) report(key, `a machine client has no ${key}; nobody signs in with it`)
  }
  for (const { field } of weakeningsOf(client))
    report(field, `a machine client has no ${field}; nobody signs in with it`)
  for (const field of ofSignIns(client))
    report(field, `a machine client has no ${field}; nobody signs in with it`)
  const userScopes = scopesOf(client.scope ?? '').filter((one) => one !== 'service.api')
  if (userScopes.length > 0) {
    report('scope', `a machine client has the scope service.api alone, not ${userScopes.join(' ')}`)
  }
  if (has('grant_types') && client.grant_types?.some((one) => !ofMachines.includes(one))) {
    report(
      'grant_types',
      `a machine client has the grant type client_credentials alone, or ${tokenExchangeGrant} too`,
    )
  }
  if (client.token_endpoint_auth_method === 'none') {
    report('token_endpoint_auth_method', authenticates('machine'))
  }
  for (const permission of client.permissions ?? []) {
    if (client.services?.includes(serviceOf(permission))) continue
    const reason = `the permission ${JSON.stringify(permission)} is of no service that this client lists in services`
    problems.push({ field: 'permissions', reason, permission })
  }
  return problems
}
