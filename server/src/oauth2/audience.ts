import { type Audience, audienceFor } from '../identity/access.ts'
import { clientAsAllowed } from '../identity/consent.ts'
import { ProtocolError } from '../protocol/errors.ts'
import { invalidGrant } from '../protocol/refusals.ts'
import type { Scope } from '../protocol/scope.ts'
import type { Service } from '../service.ts'
import type { Client } from '../store/clients.ts'

/** The audience of an access token. Throws `invalid_target` when the resource is none that it can be for. */
export function tokenAudience(
  issuer: string,
  client: Client,
  scopes: readonly Scope[],
  resource: string | undefined,
): Audience {
  const audience = audienceFor(issuer, client, scopes, resource)
  if (audience !== undefined) return audience
  throw new ProtocolError(
    'invalid_target',
    'The resource is not the audience of a service that is assigned to this client and asked for with the scope service.api.',
  )
}

/** The client as the person allowed it (decisions 10). Throws `invalid_grant` when they allow it nothing. */
export async function allowedClient(service: Service, client: Client, user_uuid: string): Promise<Client> {
  const allowed = await clientAsAllowed(service, client, user_uuid)
  if (allowed !== undefined) return allowed
  throw invalidGrant(
    'The user has not allowed this client anything. Start a new authorization request, which asks them.',
  )
}
