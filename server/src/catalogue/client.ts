import { documentHost, metadataSources } from '../protocol/client-document.ts'
import { authMethods, clientTypes } from '../protocol/client-type.ts'
import { grantTypes } from '../protocol/grant-types.ts'
import { assertionAlgs } from '../protocol/jwk-set.ts'
import { personHeaders, remoteUsers, signInOfProxied } from '../protocol/proxied.ts'
import { signingAlgs } from '../protocol/signing-alg.ts'
import { originOf } from '../protocol/values.ts'
import {
  anyText,
  choice,
  clientId,
  code,
  domainName,
  email,
  flag,
  listOf,
  origin,
  permissionOrWildcard,
  proxiedOrigin,
  scope,
  seconds,
  text,
  uuid,
  webAddress,
} from './kinds.ts'
import {
  allowed,
  allowedRemoved,
  claims,
  clientDocument,
  exchange,
  federated,
  groups,
  jwks,
  ownPolicy,
  routes,
} from './json.ts'
import { defined, managedBy, type SaidOf, time } from './thing.ts'

/** What of an address may be depends on the application_type: see `redirectUriProblem`. */
const addresses = listOf(anyText(2000), { most: 100 })
/** A day: a signing key stays published for as long after its last signature. */
const accessTokenLifetime = seconds(86_400)
/** Ten years: more is a mistake in the unit. */
const refreshLifetime = seconds(315_360_000)

/** Names of RFC 7591 where it has them. What is initial is that of a client that acts for people: see `initialClient`. */
export const client = defined({
  client_id: { kind: clientId, set: 'at creation' },
  type: {
    kind: choice(...clientTypes),
    set: 'at creation',
    description:
      '`public` and `web` act for people, `machine` for itself. `web` and `machine` prove who they are, `web` beside PKCE. `proxied` is an application that signs nobody in: a proxy asks this service about each of its requests.',
  },
  token_endpoint_auth_method: {
    kind: choice(...authMethods),
    nullable: true,
    description:
      'The one way in which it proves itself. Left out: `private_key_jwt` where it has jwks, jwks_uri or federated, else by its secret, by body or Basic.',
  },
  client_name: {
    kind: text(200),
    initial: '',
    description: 'Needed, but for a document, which says it.',
  },
  metadata: {
    kind: choice(...metadataSources),
    set: 'at creation',
    initial: 'registered',
    description:
      '`document`: its client_id is an https address, and what is read there says its client_name, redirect_uris, token_endpoint_auth_method and keys (Client ID Metadata Documents, as MCP clients have). Of the type `public`, with a list of permissions, and never first_party.',
  },
  application_type: { kind: choice('web', 'native'), initial: 'web' },
  active: { kind: flag, initial: true },
  first_party: {
    kind: flag,
    initial: false,
    description: 'Nobody is asked for consent. For administrators of the whole installation.',
  },
  redirect_uris: { kind: addresses, initial: [], description: 'Compared byte for byte.' },
  redirect_hosts: {
    kind: listOf(domainName, { most: 20, sorted: true }),
    initial: [],
    description:
      'Of a document: further hosts of its https redirect URIs. Those of its own host and of this computer need no entry.',
  },
  document: {
    kind: clientDocument,
    nullable: true,
    description:
      'The document itself, where its address can not be reached from here. Nothing is fetched then.',
  },
  post_logout_redirect_uris: { kind: addresses, initial: [] },
  scope: { kind: scope, initial: '' },
  grant_types: {
    kind: listOf(choice(...grantTypes), { most: grantTypes.length }),
    initial: ['authorization_code', 'refresh_token'],
  },
  jwks: {
    kind: jwks,
    nullable: true,
    description: 'Its public keys, for private_key_jwt.',
  },
  jwks_uri: {
    kind: webAddress,
    nullable: true,
    description: 'Where its public keys are published, instead of jwks. Private addresses as for webhooks.',
  },
  federated: {
    kind: federated,
    nullable: true,
    description:
      'Whose tokens prove it, instead of keys of its own: an `issuer` of assertion_issuers, and a `subject` or `claims`, which are compared exactly.',
  },
  token_endpoint_auth_signing_alg: {
    kind: choice(...assertionAlgs),
    nullable: true,
    description: 'The one algorithm of its assertions; without it, any that fits a key.',
  },
  assertion_audience: {
    kind: choice('issuer', 'token_endpoint'),
    initial: 'issuer',
    description:
      'What assertions by its own key are for. `token_endpoint`: that address too, also in a list, as older libraries write it; less safe where it signs in elsewhere too.',
  },
  require_nonce: {
    kind: flag,
    initial: true,
    description:
      'false: an authorization request needs no nonce, and without one its ID token has none. A weakening.',
  },
  require_state: {
    kind: flag,
    initial: true,
    description: 'false: an authorization request needs no state. A weakening; only with PKCE.',
  },
  require_pkce: {
    kind: flag,
    initial: true,
    description:
      'false: an authorization request needs no code_challenge. A weakening; only for the type `web`, and only with openid and the nonce.',
  },
  require_pushed_authorization_requests: {
    kind: flag,
    initial: false,
    description:
      'true: its authorization requests are taken only where it pushed them to /oauth2/par. Of a `web` client, which proves itself, nobody else then begins or changes one.',
  },
  dpop_bound_access_tokens: {
    kind: flag,
    initial: false,
    description:
      'true: it gets tokens only with a DPoP proof, bound to its key. Without it a proof binds them all the same.',
  },
  id_token_signed_response_alg: {
    kind: choice(...signingAlgs),
    initial: 'RS256',
    description: 'What signs its ID tokens and logout tokens. FAPI 2.0 needs `ES256`.',
  },
  groups: {
    kind: groups,
    nullable: true,
    description:
      'How the claim `groups` is made, for the scope of that name: `from` is `role` (as without it), `organisation/role`, `permissions` of a `service`, or `map` with names by role code or organisation/role.',
  },
  claims: {
    kind: claims,
    initial: [],
    description:
      'Claims beside those of its scopes: a `name`, a `source` or a constant `value`, and `in`: id_token, userinfo or both. Never a name that tokens have with a meaning of their own.',
  },
  services: {
    kind: listOf(code, { most: 100, sorted: true }),
    initial: [],
    description: 'Codes, or `iam` for the administration API.',
  },
  permissions: {
    kind: listOf(permissionOrWildcard, { most: 1000, sorted: true }),
    nullable: true,
    description:
      'What a machine may do; for people an allow-list, without which it is all that their roles give.',
  },
  acts_as: {
    kind: code,
    nullable: true,
    description:
      'The service that this client is, by its code: with the grant of token exchange it acts for the people who call that service. For administrators of the whole installation.',
  },
  exchange: {
    kind: exchange,
    nullable: true,
    description:
      'Where it may act for them, as `services`, and the most that it may do there, as `permissions`. Never more than the person may do, and never at `iam`.',
  },
  organisation_uuid: { kind: uuid, nullable: true, description: 'Without it, of the whole installation.' },
  allowed: {
    kind: allowed,
    nullable: true,
    description:
      'Who gets in: people by a profile whose role is one of `roles`, whose place is one of `organisations` (`acme`, or the unit `acme/berlin` with those below it), and whose role gives one of `permissions`. Each list that is there must be met. Null: everybody who has a profile.',
  },
  allowed_removed: {
    kind: allowedRemoved,
    set: 'never',
    nullable: true,
    description:
      'Of `allowed` what was removed since. Nobody meets it, also where another of its code was made: take it out of the list, and put it in again.',
  },
  origins: {
    kind: listOf(proxiedOrigin, { most: 20 }),
    initial: [],
    description:
      'Of a `proxied` client: the https origins that it is at. Each is of one client alone. For administrators of the whole installation.',
  },
  routes: {
    kind: routes,
    nullable: true,
    description:
      'Of a `proxied` client: what each route demands, such as `{"GET /admin/*": "wiki.pages.edit", "* /*": "signed-in"}`: a permission, `signed-in` or `public`. `*` for any method, `:name` for any segment, `*` at the end for any rest. Of the lines that fit, one gives way only to one that fits fewer requests, all of them its own too; what fits none is refused.',
  },
  headers: {
    kind: listOf(choice(...personHeaders), { most: personHeaders.length }),
    initial: [],
    description: 'Of a `proxied` client: what it is told of its visitors. The rest is sent empty.',
  },
  remote_user: {
    kind: choice(...remoteUsers),
    initial: 'sub',
    description: 'Of a `proxied` client: what `Remote-User` is. `email`: the address, if it was verified.',
  },
  allowed_origins: {
    kind: listOf(origin, { most: 100 }),
    initial: [],
    description:
      'For CORS: https, http on this machine, or where the pages of an installed application come from, such as capacitor://localhost. Left out at first: for a public client those of the redirect_uris.',
  },
  client_uri: { kind: webAddress, nullable: true },
  logo_uri: { kind: webAddress, nullable: true },
  contacts: { kind: listOf(email, { most: 20 }), initial: [] },
  backchannel_logout_uri: { kind: webAddress, nullable: true },
  access_token_lifetime: {
    kind: accessTokenLifetime,
    nullable: true,
    description: 'Seconds; without it, as the service is set.',
  },
  refresh_idle_lifetime: { kind: refreshLifetime, nullable: true },
  refresh_absolute_lifetime: { kind: refreshLifetime, nullable: true },
  policy: ownPolicy,
  managed_by: managedBy,
  created_at: time,
  updated_at: time,
})

/**
 * What is initial where that depends on what else is said: what a machine does, and where web pages come from. The
 * pages of a `web` client ask its own server, which has no origin.
 */
export function initialClient({
  type,
  client_id = '',
  metadata,
  redirect_uris: addressed = [],
  ...proxied
}: Pick<
  SaidOf<typeof client>,
  'type' | 'client_id' | 'metadata' | 'redirect_uris' | 'origins' | 'headers' | 'remote_user'
>): SaidOf<typeof client> {
  if (type === 'machine')
    return { scope: 'service.api', grant_types: ['client_credentials'], permissions: [] }
  if (type === 'web') return {}
  if (type === 'proxied') return signInOfProxied(proxied)
  // The host stands for the name until the document was read.
  if (metadata === 'document') return { client_name: documentHost(client_id) }
  const origins = addressed.map(originOf).filter((one) => one !== undefined)
  return { allowed_origins: [...new Set(origins)] }
}
