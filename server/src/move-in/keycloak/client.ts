import { answeredUriProblem, redirectUriProblem } from '../../protocol/redirect-uri.ts'
import {
  clientIdProblem,
  machineIdProblem,
  originOf,
  originProblem,
  textProblem,
} from '../../protocol/values.ts'
import { decide, type Remark, lost, type ToldClient } from '../told.ts'
import { claimsOf, mapperRemarks, roleClaimOf, silent } from './claims.ts'
import { attributeOf, isAddress, proofOf, secretRemarks } from './proof.ts'
import { type Realm, type RealmClient, roleId, type ScopeMapping } from './realm.ts'

type Told = ToldClient | Remark
type Declares = Record<string, unknown> & { client_id: string; type: ToldClient['declares']['type'] }

/** Clients that every realm has, for Keycloak's own pages and administration. */
const built = new Set([
  'account',
  'account-console',
  'admin-cli',
  'broker',
  'realm-management',
  'security-admin-console',
  'security-admin-console-v2',
])

/** Whether a client is of Keycloak itself. The realm `master` has one more for each realm. */
export const isBuiltIn = (clientId: string, realm: string): boolean =>
  built.has(clientId) || (realm === 'master' && clientId.endsWith('-realm'))

/** What becomes of a client: one for people, one for its service account, or remarks alone. */
export function toldClient(client: RealmClient, realm: Realm): Told[] {
  const { clientId, protocol } = client
  if (protocol !== 'openid-connect')
    return [lost('Applications that speak SAML have no place here: let them speak OpenID Connect.', clientId)]
  if (clientIdProblem(clientId) !== undefined)
    return [
      decide('A client_id has characters that none here may have: the application needs another.', clientId),
    ]
  const forPeople = signsIn(client)
  const told: Told[] = [...unsupported(client, forPeople)]
  if (forPeople) told.push(...ofPeople(client, realm))
  if (client.serviceAccountsEnabled) told.push(...ofMachine(client, realm, forPeople))
  if (!forPeople && !client.serviceAccountsEnabled) {
    told.push(
      client.bearerOnly
        ? {
            ...lost('A bearer-only client is an API: here it is a service, where it has roles.', clientId),
            section: 'came',
          }
        : lost('A client has no grant that is here, and is left out.', clientId),
    )
  }
  return told
}

function unsupported(client: RealmClient, forPeople: boolean): Remark[] {
  const { clientId, clientAuthenticatorType: method, implicitFlowEnabled, directAccessGrantsEnabled } = client
  const unknown = client.optionalClientScopes.filter((one) => !silent.has(one))
  return [
    ...(implicitFlowEnabled
      ? [
          decide(
            'An application may use the implicit flow. There is none: it uses the code flow with PKCE.',
            clientId,
          ),
        ]
      : []),
    ...(directAccessGrantsEnabled && !isBuiltIn(clientId, '')
      ? [
          decide(
            'A client may use the password grant. There is none: people sign in at this service.',
            clientId,
          ),
        ]
      : []),
    ...(method === 'client-secret-jwt'
      ? [
          decide(
            'A client proves itself by client_secret_jwt, for which the secret would have to be kept readable: it sends its secret by client_secret_basic, or has a key for private_key_jwt.',
            clientId,
          ),
        ]
      : []),
    ...(method === 'client-x509'
      ? [decide('A client proves itself by a TLS certificate: give it a secret or a key.', clientId)]
      : []),
    ...(forPeople
      ? unknown.map((one) =>
          decide(
            'A client may ask for a scope that is not here, and is refused if it does.',
            everywhere.has(one) ? one : `${clientId}: ${one}`,
          ),
        )
      : []),
  ]
}

/** Every client may ask for these, and hardly one does. */
const everywhere = new Set(['address', 'phone', 'organization', 'microprofile-jwt'])

function ofPeople(client: RealmClient, realm: Realm): Told[] {
  const { clientId, publicClient, attributes } = client
  const exact = client.redirectUris.filter((one) => !one.includes('*')).map((one) => absolute(one, client))
  const wildcards = client.redirectUris.filter((one) => one.includes('*')).map((one) => absolute(one, client))
  const isNative = exact.some(
    (one) => redirectUriProblem(one, 'web') !== undefined && redirectUriProblem(one, 'native') === undefined,
  )
  const applicationType = isNative ? 'native' : 'web'
  const fits = (one: string) => answeredUriProblem(one, 'redirect_uris', applicationType) === undefined
  const after = (attributeOf(attributes, 'post.logout.redirect.uris') ?? '')
    .split('##')
    .filter((one) => one !== '')
  const afterLogout = after
    .map((one) => absolute(one, client))
    .filter((one) => answeredUriProblem(one, 'post_logout_redirect_uris', applicationType) === undefined)
  const demandsPkce = publicClient || attributeOf(attributes, 'pkce.code.challenge.method') === 'S256'
  const scopes = [...client.defaultClientScopes, ...client.optionalClientScopes]
  const byDevice = attributeOf(attributes, 'oauth2.device.authorization.grant.enabled') === 'true'
  const redirects = [...new Set(exact.filter(fits))]
  const declares: Declares = {
    client_id: clientId,
    type: publicClient ? 'public' : 'web',
    client_name: nameOf(client),
    ...(isNative && { application_type: 'native' }),
    ...(!client.enabled && { active: false }),
    ...(!client.consentRequired && { first_party: true }),
    redirect_uris: redirects,
    ...(afterLogout.length > 0 && { post_logout_redirect_uris: [...new Set(afterLogout)] }),
    scope: [
      'openid',
      ...['profile', 'email', 'offline_access', 'groups'].filter((one) => scopes.includes(one)),
      'service.api',
    ].join(' '),
    grant_types: [
      ...(client.standardFlowEnabled ? ['authorization_code'] : []),
      'refresh_token',
      ...(byDevice ? ['urn:ietf:params:oauth:grant-type:device_code'] : []),
    ],
    ...(demandsPkce && { require_nonce: false }),
    ...(attributeOf(attributes, 'require.pushed.authorization.requests') === 'true' && {
      require_pushed_authorization_requests: true,
    }),
    ...(attributeOf(attributes, 'id.token.signed.response.alg') === 'ES256' && {
      id_token_signed_response_alg: 'ES256',
    }),
    ...originsOf(client, [...exact, ...wildcards]),
    ...addressesOf(client),
    ...(publicClient ? {} : proofOf(client)),
    ...claimsOf(client, realm),
  }
  return [
    {
      is: 'client',
      declares,
      within: withinOf(client, realm),
      wildcards: [...new Set(wildcards)],
      returnsAnywhere: after.includes('+'),
      roleClaim: roleClaimOf(client, realm),
      sends: demandsPkce ? undefined : 'nonce',
    },
    ...exact
      .filter((one) => !fits(one))
      .map((one) =>
        decide(
          'A redirect URI is not taken here, such as http or with a fragment: register another.',
          `${clientId}: ${one}`,
        ),
      ),
    ...client.webOrigins
      .filter((one) => one === '*')
      .map(() =>
        decide(
          'The pages of every origin may call for a client, and here each is named: write its allowed_origins into the declared file, or its browser refuses.',
          clientId,
        ),
      ),
    ...(publicClient ? [] : secretRemarks(client)),
    ...mapperRemarks(client, realm),
  ]
}

/** A machine has an id of its own where the same client also signs people in, or where the id can't be a machine's. */
function ofMachine(client: RealmClient, realm: Realm, forPeople: boolean): Told[] {
  const { clientId } = client
  const client_id = realm.machines.get(clientId) ?? clientId
  const isTaken = client_id !== clientId
  const declares: Declares = {
    client_id,
    type: 'machine',
    client_name: nameOf(client),
    ...(!client.enabled && { active: false }),
    ...tokensOf(client),
    ...proofOf(client),
  }
  const renamed = isTaken
    ? [
        decide(
          'A machine has another client_id: that of people is its own, and a machine has no UUID.',
          `${clientId}: ${client_id}`,
        ),
      ]
    : []
  const remarks = forPeople ? [] : secretRemarks(client)
  return [{ is: 'client', declares, within: withinOf(client, realm), wildcards: [] }, ...renamed, ...remarks]
}

/** The id of the machine that each service account becomes: one that no other client has, nor another machine. */
export function machinesOf(realm: Realm): Map<string, string> {
  const taken = new Set(realm.clients.map((one) => one.clientId))
  const machines = new Map<string, string>()
  for (const client of realm.clients) {
    const { clientId } = client
    if (!isMachine(client, realm.name) || machines.has(clientId)) continue
    const plain = `machine-${clientId.replaceAll(/[^\w.~-]+/g, '-')}`.slice(0, 90)
    let id = signsIn(client) || machineIdProblem(clientId) !== undefined ? plain : clientId
    for (let count = 2; id !== clientId && taken.has(id); count++) id = `${plain}-${count}`
    taken.add(id)
    machines.set(clientId, id)
  }
  return machines
}

const isMachine = (client: RealmClient, realm: string): boolean =>
  client.serviceAccountsEnabled &&
  client.protocol === 'openid-connect' &&
  clientIdProblem(client.clientId) === undefined &&
  !isBuiltIn(client.clientId, realm)

const signsIn = ({ standardFlowEnabled, attributes }: RealmClient): boolean =>
  standardFlowEnabled || attributeOf(attributes, 'oauth2.device.authorization.grant.enabled') === 'true'

const nameOf = ({ name = '', clientId }: RealmClient): string =>
  textProblem(200)(name) === undefined ? name : clientId

/** Keycloak keeps addresses relative to the root URL. */
const absolute = (uri: string, { rootUrl = '' }: RealmClient): string =>
  uri.startsWith('/') && rootUrl !== '' ? `${rootUrl.replace(/\/$/, '')}${uri}` : uri

function originsOf({ webOrigins, publicClient }: RealmClient, addresses: readonly string[]) {
  // The host of a wildcard is whole only where a path begins behind it, and no address with a user name counts.
  const plain = addresses.filter((one) => !one.includes('*') || /^https?:\/\/[^/*@]+\//.test(one))
  const own = plain
    .map((one) => one.replaceAll('*', ''))
    .flatMap((one) => (redirectUriProblem(one, 'web') === undefined ? (originOf(one) ?? []) : []))
  const all = webOrigins
    .flatMap((one) => (one === '+' ? own : [one]))
    .filter((one) => originProblem(one) === undefined)
  return publicClient || all.length > 0 ? { allowed_origins: [...new Set(all)] } : {}
}

function addressesOf(client: RealmClient) {
  const { attributes, baseUrl = '' } = client
  const [logo, logout, home] = [
    attributeOf(attributes, 'logoUri'),
    attributeOf(attributes, 'backchannel.logout.url'),
    absolute(baseUrl, client),
  ]
  return {
    ...(isAddress(home) && { client_uri: home }),
    ...(isAddress(logo) && { logo_uri: logo }),
    ...(isAddress(logout) && { backchannel_logout_uri: logout }),
    ...tokensOf(client),
  }
}

function tokensOf({ attributes }: RealmClient) {
  const seconds = Number(attributeOf(attributes, 'access.token.lifespan'))
  const lasts = Number.isInteger(seconds) && seconds > 0 && seconds <= 86_400
  return {
    ...(lasts && { access_token_lifetime: seconds }),
    ...(attributeOf(attributes, 'dpop.bound.access.tokens') === 'true' && { dpop_bound_access_tokens: true }),
  }
}

/** The roles that a client may use where it may not use all. */
function withinOf(client: RealmClient, realm: Realm): string[] | undefined {
  const { clientId, fullScopeAllowed, defaultClientScopes, optionalClientScopes } = client
  if (fullScopeAllowed) return undefined
  const scopes = [...defaultClientScopes, ...optionalClientScopes]
  const isOf = (one: ScopeMapping) => one.client === clientId || scopes.includes(one.clientScope ?? '')
  const ofRealm = realm.scopeMappings.filter(isOf).flatMap((one) => one.roles.map((name) => roleId(name)))
  const ofClients = Object.entries(realm.clientScopeMappings).flatMap(([of, mappings]) =>
    mappings.filter(isOf).flatMap((one) => one.roles.map((name) => roleId(name, of))),
  )
  // A client always sees its own roles.
  const own = (realm.roles.client[clientId] ?? []).map(({ name }) => roleId(name, clientId))
  return [...ofRealm, ...ofClients, ...own]
}
