import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { scopesNow } from '../identity/access.ts'
import { liveToken } from '../identity/live-token.ts'
import { ownClaims, userinfoClaims } from '../identity/token-claims.ts'
import type { Claims } from '../protocol/claims.ts'
import { ProtocolError } from '../protocol/errors.ts'
import type { Service } from '../service.ts'
import { invalidToken, presentedToken } from './access-token.ts'

/** GET and POST /oauth2/userinfo (OpenID Connect Core 1.0 §5.3); the token travels in the header alone. */
export function userinfoEndpoint(app: FastifyInstance, service: Service): void {
  const answer = async (request: FastifyRequest, reply: FastifyReply): Promise<Claims> => {
    reply.header('cache-control', 'no-store')
    return await userinfo(service, request)
  }
  app.get('/oauth2/userinfo', answer)
  app.post('/oauth2/userinfo', answer)
}

async function userinfo(service: Service, request: FastifyRequest): Promise<Claims> {
  const token = await presentedToken(service, request)
  const live = await liveToken(service, token)
  if (live === undefined)
    throw invalidToken('The access token was revoked, or its session has ended.', token.jkt !== undefined)
  const scopes = scopesNow(live.client, token.scopes)
  if (live.kind === 'machine' || !scopes.includes('openid')) {
    throw new ProtocolError(
      'insufficient_scope',
      'The userinfo endpoint needs the token of a person with the scope openid.',
      {
        headers: { 'www-authenticate': 'Bearer error="insufficient_scope", scope="openid"' },
      },
    )
  }
  const about = { person: live.user, context: live.profile, scopes }
  return userinfoClaims({ ...about, own: await ownClaims(service, live.client, about) })
}
