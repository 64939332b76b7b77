import type { FastifyInstance } from 'fastify'
import { audienceOf } from '../identity/access.ts'
import { standingOf } from '../identity/standing.ts'
import type { Service } from '../service.ts'
import type { Client } from '../store/clients.ts'
import { type AccessToken, longestToken, readAccessToken } from './access-token.ts'
import { type AuthenticateClient, refused } from './client-authentication.ts'
import { formOf } from './token.ts'

/**
 * POST /oauth2/introspect (RFC 7662). A machine client may ask about tokens that are meant for a service
 * assigned to it, and about its own; of every other token it learns only `{"active":false}` (§4).
 */
export function introspectEndpoint(
  app: FastifyInstance,
  service: Service,
  authenticate: AuthenticateClient,
): void {
  app.post('/oauth2/introspect', async (request, reply) => {
    reply.header('cache-control', 'no-store').header('pragma', 'no-cache')
    const parameters = formOf(request)
    parameters.refuseRepeated()
    const { authorization } = request.headers
    if (authorization === undefined && parameters.optional('client_id') === undefined) {
      // Nobody is a client that failed to prove who it is, not a parameter that is missing (RFC 7662 §2.3).
      throw refused(
        'Introspection is for machine clients: send client_id and client_secret, or Basic.',
        false,
      )
    }
    const client = await authenticate({
      parameters,
      authorization,
      address: request.ip,
      requestId: request.id,
    })
    if (client.type !== 'machine') {
      throw refused(
        'Only a machine client, which proves who it is, may introspect tokens.',
        authorization !== undefined,
      )
    }
    const token = readAccessToken(service, parameters.required('token', longestToken))
    if (token === undefined || !mayKnow(service, client, token)) return { active: false }
    const { kind } = await standingOf(service, token)
    return kind === 'ended' ? { active: false } : { active: true, token_type: 'Bearer', ...token.claims }
  })
}

function mayKnow(service: Service, client: Client, token: AccessToken): boolean {
  if (token.clientId === client.clientId) return true
  const own = audienceOf(service.issuer, client, undefined)
  const { aud } = token.claims
  const audiences: unknown[] = Array.isArray(aud) ? aud : [aud]
  return own?.audiences.some((one) => audiences.includes(one)) ?? false
}
