import type { FastifyReply, FastifyRequest } from 'fastify'
import { addressKey } from '../identity/address.ts'
import { newId } from '../protocol/identifier.ts'
import { noGroups } from '../protocol/client-claims.ts'
import type { Service } from '../service.ts'
import { keepRequest } from '../store/authorization-requests.ts'
import type { Client } from '../store/clients.ts'
import { browserSecret } from './browser.ts'
import { continuePath } from './step.ts'

/** Stands in the place of a client where a page of ours asks for a sign-in. No client has an empty id. */
export const ourselves: Client = {
  client_id: '',
  type: 'public',
  application_type: 'web',
  client_name: 'Tessera',
  usable: true,
  first_party: 1,
  scopes: [],
  redirect_uris: [],
  post_logout_redirect_uris: [],
  grant_types: [],
  require_nonce: 0,
  require_state: 0,
  require_pkce: 0,
  require_pushed_authorization_requests: 0,
  dpop_bound_access_tokens: 0,
  id_token_signed_response_alg: 'RS256',
  claims: [],
  groups: noGroups,
  services: [],
  declaredServices: [],
  permissions: [],
  secrets: [],
  jwks: null,
  jwks_uri: null,
  federated: null,
  token_endpoint_auth_method: 'none',
  token_endpoint_auth_signing_alg: null,
  assertion_audience: 'issuer',
  organisation_uuid: null,
  client_uri: null,
  access_token_lifetime: null,
  refresh_idle_lifetime: null,
  refresh_absolute_lifetime: null,
  entry: undefined,
  policy: undefined,
  token_generation: 0,
  created_at: 0,
  proxied: undefined,
  document: undefined,
  exchanging: undefined,
}

/** The client that asks for a sign-in, if one does, as the audit tells it. */
export const askedBy = (client_id: string): string | undefined => (client_id === '' ? undefined : client_id)

/**
 * Begins a sign-in that ends at a page of ours: `here` is its path, never anything that a caller chose. No profile is
 * chosen and no code issued. Counted as authorization requests are.
 */
export async function signInHere(
  service: Service,
  request: FastifyRequest,
  reply: FastifyReply,
  here: string,
): Promise<FastifyReply> {
  const { issuer, store, settings, limits, now } = service
  limits.authorize.check(addressKey(request.ip))
  limits.authorize.count(addressKey(request.ip))
  const id = newId(now())
  const unused = { state: undefined, nonce: undefined, codeChallenge: undefined, scopes: [], prompt: [] }
  await keepRequest(
    store,
    {
      id,
      client_id: ourselves.client_id,
      // "Cancel" leads here.
      redirect_uri: `${issuer}/`,
      parameters: { ...unused, here },
      browser: browserSecret(service, request, reply),
    },
    { now: now(), lifetime: settings.lifetimes.signIn },
  )
  return reply.redirect(`${continuePath}?request=${id}`, 303)
}
