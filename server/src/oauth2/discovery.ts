import { setTimeout as pause } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { locales } from '../pages/messages/index.ts'
import { apiDocUrl } from '../protocol/api-doc.ts'
import { levels } from '../protocol/authentication.ts'
import { promptValues } from '../protocol/authorize-parameters.ts'
import { claimsSupported } from '../protocol/claims.ts'
import { authMethods, provingMethods } from '../protocol/client-type.ts'
import { assertionAlgs } from '../protocol/jwk-set.ts'
import { dpopAlgs } from '../protocol/dpop.ts'
import { grantTypes } from '../protocol/grant-types.ts'
import { responseModes } from '../protocol/redirect-target.ts'
import { namedScopes } from '../protocol/scope.ts'
import { signingAlgs } from '../protocol/signing-alg.ts'
import type { Service } from '../service.ts'
import { hasDocumentClients } from '../store/clients.ts'

/** The discovery document (OpenID Connect Discovery 1.0 §3, RFC 8414 §2). Only what works is advertised. */
export function discoveryDocument(service: Pick<Service, 'issuer' | 'settings'>) {
  const { issuer } = service
  const further = service.settings.scopesSupported
  const algs = assertionAlgs
  return {
    issuer,
    authorization_endpoint: `${issuer}/oauth2/authorize`,
    token_endpoint: `${issuer}/oauth2/token`,
    device_authorization_endpoint: `${issuer}/oauth2/device_authorization`,
    pushed_authorization_request_endpoint: `${issuer}/oauth2/par`,
    userinfo_endpoint: `${issuer}/oauth2/userinfo`,
    jwks_uri: `${issuer}/oauth2/jwks`,
    end_session_endpoint: `${issuer}/oauth2/logout`,
    revocation_endpoint: `${issuer}/oauth2/revoke`,
    introspection_endpoint: `${issuer}/oauth2/introspect`,
    scopes_supported: [...namedScopes, ...further],
    response_types_supported: ['code'],
    response_modes_supported: responseModes,
    grant_types_supported: grantTypes,
    acr_values_supported: levels,
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: signingAlgs,
    token_endpoint_auth_methods_supported: authMethods,
    token_endpoint_auth_signing_alg_values_supported: algs,
    revocation_endpoint_auth_methods_supported: authMethods,
    revocation_endpoint_auth_signing_alg_values_supported: algs,
    introspection_endpoint_auth_methods_supported: provingMethods,
    introspection_endpoint_auth_signing_alg_values_supported: algs,
    dpop_signing_alg_values_supported: dpopAlgs,
    code_challenge_methods_supported: ['S256'],
    claims_supported: [...claimsSupported, ...further.filter((one) => one === 'groups')],
    prompt_values_supported: promptValues,
    ui_locales_supported: locales,
    authorization_response_iss_parameter_supported: true,
    request_parameter_supported: false,
    request_uri_parameter_supported: false,
    // No request object is read, and that is said outright.
    request_object_signing_alg_values_supported: [],
    claims_parameter_supported: false,
    backchannel_logout_supported: true,
    backchannel_logout_session_supported: true,
    service_documentation: apiDocUrl(service),
  }
}

/** ms. */
const patience = 300

/** GET of both discovery addresses; their bytes are made once, with and without the support of clients that are documents. */
export function discoveryEndpoint(app: FastifyInstance, service: Service): void {
  const document = discoveryDocument(service)
  const texts = [document, { ...document, client_id_metadata_document_supported: true }].map((one) =>
    JSON.stringify(one),
  )
  /** What was known last: an address that everybody asks never waits for a database that does not answer. */
  let hasDocuments = false
  const looked = async (): Promise<boolean> => {
    const over = new AbortController()
    const found = hasDocumentClients(service.store).then(
      (has) => (hasDocuments = has),
      () => undefined,
    )
    await Promise.race([found, pause(patience, undefined, { signal: over.signal }).catch(() => undefined)])
    over.abort()
    return hasDocuments
  }
  for (const path of ['/.well-known/openid-configuration', '/.well-known/oauth-authorization-server']) {
    app.get(path, async (_request, reply) => {
      reply.header('cache-control', 'public, max-age=3600').type('application/json; charset=utf-8')
      return (await looked()) ? texts[1] : texts[0]
    })
  }
}
