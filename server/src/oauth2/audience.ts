import { type Audience, audienceOf, permissionsOfPerson } from '../identity/access.ts'
import { ProtocolError } from '../protocol/errors.ts'
import type { Scope } from '../protocol/scope.ts'
import type { Service } from '../service.ts'
import type { Client } from '../store/clients.ts'

const nobody: Audience = { services: [], audiences: [], alg: 'RS256' }

/**
 * Whom an access token is for (decisions 3): with `service.api` the services assigned to the client, narrowed by
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

/** The `permissions` of a person's access token: with `service.api` alone (decisions 3). */
export async function grantedPermissions(
  service: Service,
  client: Client,
  roleCode: string,
  { scopes, audience }: { scopes: readonly Scope[]; audience: Audience },
): Promise<readonly string[] | undefined> {
  if (!scopes.includes('service.api')) return undefined
  return await permissionsOfPerson(service, roleCode, client, audience.services)
}
