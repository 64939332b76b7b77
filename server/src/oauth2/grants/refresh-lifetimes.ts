import type { Service } from '../../service.ts'
import type { Client } from '../../store/clients.ts'

/** How long a client's token families live, ms: the client's own lifetimes before the service's (decisions 5). */
export function refreshLifetimes(service: Service, client: Client): { idle: number; absolute: number } {
  const { refreshIdle, refreshAbsolute } = service.settings.lifetimes
  return {
    idle: client.refreshIdleLifetime === undefined ? refreshIdle : client.refreshIdleLifetime * 1000,
    absolute:
      client.refreshAbsoluteLifetime === undefined ? refreshAbsolute : client.refreshAbsoluteLifetime * 1000,
  }
}
