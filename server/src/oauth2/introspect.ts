import type { FastifyInstance } from 'fastify'
import { audienceOf } from '../identity/access.ts'
import { liveToken } from '../identity/live-token.ts'
import type { Service } from '../service.ts'
import type { Client } from '../store/clients.ts'
import { claimsNow, type ClaimsNow } from './claims-now.ts'
import { type AccessToken, longestToken, readAccessToken } from './access-token.ts'
import { type AuthenticateClient, refused } from './client-authentication.ts'
import { formOf } from './token.ts'

/**
 * POST /oauth2/introspect (RFC 7662). A client that proves who it is may ask about its own tokens, and a machine
 * about those that are meant for a service assigned to it; of every other token it learns only `{"active":false}` (§4).
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
    const named = authorization ?? parameters.optional('client_id') ?? parameters.raw('client_assertion')
    if (named === undefined) {
      // A missing client is a failed authentication, not a missing parameter (RFC 7662 §2.3).
      throw refused(
        'Introspection is for clients that prove who they are: send client_id and client_secret, or Basic.',
        false,
      )
    }
    const client = await authenticate(request, parameters)
    if (client.type === 'public') {
      throw refused('Only a client that proves who it is may introspect tokens.', authorization !== undefined)
    }
    const token = readAccessToken(service, parameters.required('token', longestToken))
    const told = token && (await toldTo(service, client, token))
    return told === undefined
      ? { active: false }
      : { active: true, token_type: token?.jkt === undefined ? 'Bearer' : 'DPoP', ...told }
  })
}

/** What a token says today; undefined when it doesn't count, or the client may not know. */
async function toldTo(
  service: Service,
  client: Client,
  token: AccessToken,
): Promise<ClaimsNow['claims'] | undefined> {
  const live = await liveToken(service, token)
  const now = live && (await claimsNow(service, token, live))
  if (now === undefined || token.client_id === client.client_id) return now?.claims
  if (client.type !== 'machine') return undefined
  const own = audienceOf(service.issuer, client, undefined)
  return own?.audiences.some((one) => now.audiences.includes(one)) === true ? now.claims : undefined
}
