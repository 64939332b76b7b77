/**
 * `oauth2/` owns the endpoints of the protocol: one file per endpoint, one per grant, and `issue.ts`, the only
 * mint. It never renders a form, checks a password or writes SQL.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { addressKey } from '../identity/address.ts'
import { ProtocolError } from '../protocol/errors.ts'
import { Parameters } from '../protocol/parameters.ts'
import type { Service } from '../service.ts'
import type { Source } from '../store/audit.ts'
import type { Client } from '../store/clients.ts'
import type { AuthenticateClient } from './client-authentication.ts'
import { authorizationCode } from './grants/authorization-code.ts'
import { clientCredentials } from './grants/client-credentials.ts'
import { refreshToken } from './grants/refresh-token.ts'
import { type Grant, issue, type TokenResponse } from './issue.ts'

type GrantHandler = (service: Service, parameters: Parameters, client: Client, from: Source) => Promise<Grant>

const grants: ReadonlyMap<string, GrantHandler> = new Map<string, GrantHandler>([
  ['authorization_code', authorizationCode],
  ['refresh_token', refreshToken],
  ['client_credentials', clientCredentials],
])

export const grantTypes = [...grants.keys()]

/** POST /oauth2/token, and POST /v1/iam/token/refresh which is its refresh grant at an address of its own. */
export function tokenEndpoints(
  app: FastifyInstance,
  service: Service,
  authenticate: AuthenticateClient,
): void {
  const answer = async (
    request: FastifyRequest,
    reply: FastifyReply,
    grantType?: string,
  ): Promise<string> => {
    // RFC 6749 §5.1: tokens and errors alike are never stored.
    reply.header('cache-control', 'no-store').header('pragma', 'no-cache')
    const address = addressKey(request.ip)
    service.limits.grants.check(address)
    try {
      const tokens = await respond(service, authenticate, request, grantType)
      reply.type('application/json; charset=utf-8')
      return asJson(tokens)
    } catch (error) {
      if (error instanceof ProtocolError && error.status < 429) service.limits.grants.count(address)
      throw error
    }
  }
  app.post('/oauth2/token', (request, reply) => answer(request, reply))
  app.post('/v1/iam/token/refresh', (request, reply) => answer(request, reply, 'refresh_token'))
}

async function respond(
  service: Service,
  authenticate: AuthenticateClient,
  request: FastifyRequest,
  fixedGrantType: string | undefined,
): Promise<TokenResponse> {
  const parameters = formOf(request)
  parameters.refuseRepeated()
  const sent = parameters.optional('grant_type')
  if (fixedGrantType !== undefined && sent !== undefined && sent !== fixedGrantType) {
    throw new ProtocolError('invalid_request', `The only grant_type of this address is ${fixedGrantType}.`)
  }
  const grantType = fixedGrantType ?? parameters.required('grant_type')
  const handler = grants.get(grantType)
  if (handler === undefined) {
    throw new ProtocolError('unsupported_grant_type', `The grant_type is none of ${grantTypes.join(', ')}.`)
  }
  const { authorization } = request.headers
  const asked = { parameters, authorization, address: request.ip, requestId: request.id }
  const client = await authenticate(asked)
  if (!client.grantTypes.includes(grantType)) {
    throw new ProtocolError('unauthorized_client', `The client is not registered for the grant ${grantType}.`)
  }
  const answer = await issue(service, await handler(service, parameters, client, asked))
  service.observe({ kind: 'token', grant: grantType })
  return answer
}

/** Put together by hand: tokens are most of it, and hold nothing that JSON would have to escape; nor does a scope. */
function asJson(tokens: TokenResponse): string {
  const { access_token: access, refresh_token: refresh, id_token: id, scope } = tokens
  const shared = `{"access_token":"${access}","token_type":"${tokens.token_type}","expires_in":${tokens.expires_in}`
  const first = refresh === undefined ? shared : `${shared},"refresh_token":"${refresh}"`
  const second = id === undefined ? first : `${first},"id_token":"${id}"`
  return scope === undefined ? `${second}}` : `${second},"scope":"${scope}"}`
}

/** The parameters of a form body; `http/` has refused every other content type. */
export function formOf(request: FastifyRequest): Parameters {
  if (request.body instanceof Parameters) return request.body
  throw new ProtocolError('invalid_request', 'The body must be sent as application/x-www-form-urlencoded.')
}
