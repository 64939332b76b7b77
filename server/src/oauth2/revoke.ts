import type { FastifyInstance } from 'fastify'
import { ProtocolError } from '../protocol/errors.ts'
import { invalidRequest } from '../protocol/refusals.ts'
import type { Service } from '../service.ts'
import type { Origin } from '../audit/record.ts'
import { presentRefreshToken } from '../store/refresh-tokens.ts'
import { endFamily } from '../store/token-families.ts'
import { revokeToken } from '../store/revoked-tokens.ts'
import { longestToken, readAccessToken } from './access-token.ts'
import type { AuthenticateClient } from './client-authentication.ts'
import { formOf } from './token.ts'

/**
 * POST /oauth2/revoke (RFC 7009): a refresh token ends its family, and with it the family's access tokens; an
 * access token ends alone. An unknown token is answered 200, another client's is refused (§2.1, §2.2).
 */
export function revokeEndpoint(
  app: FastifyInstance,
  service: Service,
  authenticate: AuthenticateClient,
): void {
  app.post('/oauth2/revoke', async (request, reply) => {
    reply.header('cache-control', 'no-store').header('pragma', 'no-cache')
    const parameters = formOf(request)
    parameters.refuseRepeated()
    const client = await authenticate(request, parameters)
    await revoke(service, parameters.required('token', longestToken), client.client_id, {
      actor: { kind: 'client', id: client.client_id },
      address: request.ip,
      requestId: request.id,
    })
    return reply.status(200).send()
  })
}

async function revoke(service: Service, token: string, client_id: string, by: Origin): Promise<void> {
  const now = service.now()
  const refresh = await presentRefreshToken(service.store, token, now)
  if (refresh.state !== 'unknown') {
    if (refresh.family.client_id !== client_id) throw foreign()
    const reason = 'revoked_by_client'
    await endFamily(service.store, refresh.family, {
      at: now,
      kind: 'token_family.revoked',
      detail: { reason },
      reason,
      ...by,
    })
    return
  }
  const access = readAccessToken(service, token)
  if (access === undefined) return
  if (access.client_id !== client_id) throw foreign()
  const { jti, exp, sid } = access
  // A machine's `sub` is its client_id.
  const user_uuid = access.sub === client_id ? undefined : access.sub
  const event = { at: now, ...by, user_uuid, client_id, sid }
  await revokeToken(service.store, { jti, expiresAt: exp * 1000 }, event)
}

function foreign(): ProtocolError {
  return invalidRequest('The token was issued to another client, which alone may revoke it.')
}
