import { type Audience, audienceFor, audienceOf } from '../identity/access.ts'
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
  const { audiences = [] } = audienceOf(issuer, client, undefined) ?? {}
  throw new ProtocolError(
    'invalid_target',
    'The resource is not, to the last slash, the audience of a service that is assigned to this client and asked for with the scope service.api.',
    { detail: `the audiences of ${client.client_id} are ${audiences.join(' ') || 'none'}` },
  )
}

/**
 * The resource of a request as its service is registered. Of a client that is a document: one slash after a bare host is
 * ignored, as URL parsers add it, and a missing one is its only service. For others it is as it was sent.
 */
export function askedResource(
  issuer: string,
  client: Client,
  scopes: readonly Scope[],
  resource: string | undefined,
): string | undefined {
  if (client.document === undefined || !scopes.includes('service.api')) return resource
  const { audiences = [] } = audienceOf(issuer, client, undefined) ?? {}
  if (resource !== undefined && audiences.includes(resource)) return resource
  if (resource !== undefined) return audiences.find((one) => bare(one) === bare(resource)) ?? resource
  const [only, other] = audiences
  if (only !== undefined && other === undefined) return only
  throw new ProtocolError(
    'invalid_target',
    'The parameter resource is missing, and the client has not exactly one service; name the audience of one.',
  )
}

/** The resource of a later request, spelled as that of the first where a client that is a document means the same. */
export const repeatedResource = (
  { document }: Client,
  granted: string | null,
  resource: string | undefined,
): string | undefined =>
  document !== undefined && granted !== null && resource !== undefined && bare(resource) === bare(granted)
    ? granted
    : resource

const bare = (uri: string): string => uri.replace(/^(https?:\/\/[^/?#]+)\/$/, '$1')

/** The client as the person allowed it (decisions 10). Throws `invalid_grant` when they allow it nothing. */
export async function allowedClient(service: Service, client: Client, user_uuid: string): Promise<Client> {
  const allowed = await clientAsAllowed(service, client, user_uuid)
  if (allowed !== undefined) return allowed
  throw invalidGrant(
    'The user has not allowed this client anything. Start a new authorization request, which asks them.',
  )
}
