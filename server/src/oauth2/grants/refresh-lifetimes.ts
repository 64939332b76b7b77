import type { Service } from '../../service.ts'
import type { Client } from '../../store/clients.ts'

/** Whether the client is registered for the refresh grant; otherwise it gets no refresh token. */
export const mayRefresh = ({ grantTypes }: Client): boolean => grantTypes.includes('refresh_token')

/**
 * How long a client's token families live, ms: the client's own lifetimes before the service's (decisions 5). Without
 * the refresh grant, as long as the one access token.
 */
export function refreshLifetimes(service: Service, client: Client): { idle: number; absolute: number } {
  const { refreshIdle, refreshAbsolute, accessToken } = service.settings.lifetimes
  if (!mayRefresh(client)) {
    const only = client.accessTokenLifetime === undefined ? accessToken : client.accessTokenLifetime * 1000
    return { idle: only, absolute: only }
  }
  return {
    idle: client.refreshIdleLifetime === undefined ? refreshIdle : client.refreshIdleLifetime * 1000,
    absolute:
      client.refreshAbsoluteLifetime === undefined ? refreshAbsolute : client.refreshAbsoluteLifetime * 1000,
  }
}
