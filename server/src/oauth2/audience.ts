import { type Audience, audienceOf } from '../identity/access.ts'
import { clientAsAllowed } from '../identity/consent.ts'
import { ProtocolError } from '../protocol/errors.ts'
import { invalidGrant } from '../protocol/refusals.ts'
import type { Scope } from '../protocol/scope.ts'
import type { Service } from '../service.ts'
import type { Client } from '../store/clients.ts'

const nobody: Audience = { services: [], audiences: [], alg: 'RS256', typ: 'at+jwt' }

/**
 * The audience of an access token (decisions 3): with `service.api` the services assigned to the client, narrowed by
 * `resource`; without it, the issuer alone. Throws `invalid_target` when the resource is none of them.
 */
export function tokenAudience(
  issuer: string,
  client: Client,
  scopes: readonly Scope[],
  resource: string | undefined,
): Audience {
  const audience = scopes.includes('service.api') ? audienceOf(issuer, client, resource) : nobody
  if (audience === undefined || (audience === nobody && resource !== undefined && resource !== issuer)) {
    throw new ProtocolError(
      'invalid_target',
      'The resource is not the audience of a service that is assigned to this client and asked for with the scope service.api.',
    )
  }
  return audience
}

/** The client as the person allowed it (decisions 10). Throws `invalid_grant` when they allow it nothing. */
export async function allowedClient(service: Service, client: Client, userUuid: string): Promise<Client> {
  const allowed = await clientAsAllowed(service, client, userUuid)
  if (allowed !== undefined) return allowed
  throw invalidGrant(
    'The user has not allowed this client anything. Start a new authorization request, which asks them.',
  )
}
