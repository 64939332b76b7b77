import { type Audience, audienceOf } from '../identity/access.ts'
import { ProtocolError } from '../protocol/errors.ts'
import type { Scope } from '../protocol/scope.ts'
import type { Service } from '../service.ts'
import type { Client } from '../store/clients.ts'

const nobody: Audience = { services: [], audiences: [] }

/**
 * Whom an access token is for (decisions 3): with `service.api` the services assigned to the client, narrowed by
 * `resource`; without it, the issuer alone. Throws `invalid_target` when the resource is none of them.
 */
export async function tokenAudience(
  service: Service,
  client: Client,
  scopes: readonly Scope[],
  resource: string | undefined,
): Promise<Audience> {
  const audience = scopes.includes('service.api') ? await audienceOf(service, client, resource) : nobody
  if (
    audience === undefined ||
    (audience === nobody && resource !== undefined && resource !== service.issuer)
  ) {
    throw new ProtocolError(
      'invalid_target',
      'The resource is not the audience of a service that is assigned to this client and asked for with the scope service.api.',
    )
  }
  return audience
}
