/**
 * `oauth2/` owns the endpoints of the protocol: one file per endpoint, one per grant, and `issue.ts`, the only
 * mint. It never renders a form, checks a password or writes SQL.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { addressKey } from '../identity/address.ts'
import { ProtocolError } from '../protocol/errors.ts'
import { invalidRequest } from '../protocol/refusals.ts'
import {
  deviceCodeGrant,
  type GrantType,
  grantTypes,
  isGrantType,
  tokenExchangeGrant,
} from '../protocol/grant-types.ts'
import { Parameters } from '../protocol/parameters.ts'
import type { Service } from '../service.ts'
import { atRevision } from '../store/at-revision.ts'
import type { AuthenticateClient } from './client-authentication.ts'
import { boundKey } from './dpop.ts'
import { authorizationCode } from './grants/authorization-code.ts'
import { clientCredentials } from './grants/client-credentials.ts'
import { deviceCode } from './grants/device-code.ts'
import { refreshToken } from './grants/refresh-token.ts'
import { tokenExchange } from './grants/token-exchange.ts'
import { type Grant, issue, type Presented, type TokenResponse } from './issue.ts'

/** Reads what is presented. Whose it is and whether it counts is asked when the client is known. */
type GrantHandler = (service: Service, parameters: Parameters) => Promise<Presented>

const grants: Record<GrantType, GrantHandler> = {
  authorization_code: authorizationCode,
  refresh_token: refreshToken,
  client_credentials: clientCredentials,
  [deviceCodeGrant]: deviceCode,
  [tokenExchangeGrant]: tokenExchange,
}

/** POST /oauth2/token, and POST /v1/iam/token/refresh, which is the same refresh grant. */
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
      if (error instanceof ProtocolError && isRefusal(error) && !isOfCaller(request, error))
        service.limits.grants.count(address)
      throw error
    }
  }
  app.post('/oauth2/token', (request, reply) => answer(request, reply))
  app.post('/v1/iam/token/refresh', (request, reply) => answer(request, reply, 'refresh_token'))
}

/** A device that waits as it should is not refused. */
const isRefusal = ({ status, code }: ProtocolError) => status < 429 && code !== 'authorization_pending'

/** Anybody may send a service a bad token, which must not shut the service out. */
const isOfCaller = ({ body }: FastifyRequest, { code }: ProtocolError) =>
  code === 'invalid_request' && body instanceof Parameters && body.raw('grant_type') === tokenExchangeGrant

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
    throw invalidRequest(`The only grant_type of this address is ${fixedGrantType}.`)
  }
  const grantType = fixedGrantType ?? parameters.required('grant_type')
  if (!isGrantType(grantType)) {
    throw new ProtocolError('unsupported_grant_type', `The grant_type is none of ${grantTypes.join(', ')}.`)
  }
  const presented = await grants[grantType](service, parameters)
  const then = atRevision(service, presented.revision)
  const client = await authenticate(request, parameters, then.store)
  if (!client.grant_types.includes(grantType)) {
    throw new ProtocolError('unauthorized_client', `The client is not registered for the grant ${grantType}.`)
  }
  const jkt = await boundKey(service, request, client)
  const from = { address: request.ip, requestId: request.id }
  const grant = await presented.grant({ service: then, client, from, jkt })
  const answer = await answerTo(service, request, grant, jkt)
  service.observe({ kind: 'token', grant: grantType })
  return answer
}

/** The tokens of a grant. A refresh is noted when nobody gets them. */
async function answerTo(
  service: Service,
  request: FastifyRequest,
  grant: Grant,
  jkt: string | undefined,
): Promise<TokenResponse> {
  const lose = () => {
    if (grant.kind === 'person' && grant.rotation !== undefined) service.unanswered.add(grant.rotation)
  }
  try {
    const tokens = await issue(service, grant, jkt)
    if (!request.raw.socket.writable) lose()
    return tokens
  } catch (error) {
    lose()
    throw error
  }
}

/** Faster than JSON.stringify: no token or scope holds a character that JSON would escape. */
function asJson(tokens: TokenResponse): string {
  const { access_token: access, refresh_token: refresh, id_token: id, scope } = tokens
  const shared = `{"access_token":"${access}","token_type":"${tokens.token_type}","expires_in":${tokens.expires_in}`
  const first = refresh === undefined ? shared : `${shared},"refresh_token":"${refresh}"`
  const second = id === undefined ? first : `${first},"id_token":"${id}"`
  const { issued_token_type: type } = tokens
  const third = type === undefined ? second : `${second},"issued_token_type":"${type}"`
  return scope === undefined ? `${third}}` : `${third},"scope":"${scope}"}`
}

/** The parameters of a form body. */
export function formOf(request: FastifyRequest): Parameters {
  if (request.body instanceof Parameters) return request.body
  throw invalidRequest('The body must be sent as application/x-www-form-urlencoded.')
}
