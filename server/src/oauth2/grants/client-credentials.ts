import { ProtocolError } from '../../protocol/errors.ts'
import type { Parameters } from '../../protocol/parameters.ts'
import { parseScope } from '../../protocol/scope.ts'
import type { Service } from '../../service.ts'
import { tokenAudience } from '../audience.ts'
import type { TokenRequest, MachineGrant, Presented } from '../issue.ts'

/** The client_credentials grant (RFC 6749 §4.4, interface §4.4). `scope` may only narrow what is assigned. */
export async function clientCredentials(_service: Service, parameters: Parameters): Promise<Presented> {
  return { revision: undefined, grant: async (asking) => machineGrant(asking, parameters) }
}

function machineGrant({ service, client }: TokenRequest, parameters: Parameters): MachineGrant {
  if (client.type !== 'machine') {
    throw new ProtocolError('unauthorized_client', 'Only machine clients may use client_credentials.')
  }
  const requested = parameters.optional('scope')
  const narrowed = parseScope(requested ?? '', client.scopes)
  const scopes = narrowed.length === 0 ? client.scopes : narrowed
  const audience = tokenAudience(service.issuer, client, scopes, parameters.optional('resource'))
  return { kind: 'machine', client, scopes, audience }
}
