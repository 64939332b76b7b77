import type { Service } from '../../service.ts'
import type { Client } from '../../store/clients.ts'

/**
 * Whether the client is registered for the refresh grant; otherwise it gets no refresh token. The session at an
 * application behind a proxy is one that nobody can refresh: see `store/proxied-sessions`.
 */
export const mayRefresh = ({ grant_types, proxied }: Client): boolean =>
  proxied !== undefined || grant_types.includes('refresh_token')

/**
 * How long a client's token families live, ms: the client's own lifetimes before the service's (decisions 5). Without
 * the refresh grant, as long as the one access token.
 */
export function refreshLifetimes(service: Service, client: Client): { idle: number; absolute: number } {
  const { accessToken, sessionIdle, sessionAbsolute, ...lifetimes } = service.settings.lifetimes
  const [refreshIdle, refreshAbsolute] =
    client.proxied === undefined
      ? [lifetimes.refreshIdle, lifetimes.refreshAbsolute]
      : [sessionIdle, sessionAbsolute]
  if (!mayRefresh(client)) {
    const only = client.access_token_lifetime === null ? accessToken : client.access_token_lifetime * 1000
    return { idle: only, absolute: only }
  }
  return {
    idle: client.refresh_idle_lifetime === null ? refreshIdle : client.refresh_idle_lifetime * 1000,
    absolute:
      client.refresh_absolute_lifetime === null ? refreshAbsolute : client.refresh_absolute_lifetime * 1000,
  }
}
