import type { IncomingMessage } from 'node:http'
import { ProtocolError } from '../protocol/errors.ts'
import { within } from '../protocol/networks.ts'
import type { Service } from '../service.ts'
import { atRevision } from '../store/at-revision.ts'
import { type Client, findClient, type Proxied, proxiedOrigins } from '../store/clients.ts'
import { findingProxiedSessions, type ProxiedSession } from '../store/proxied-sessions.ts'
import { cookieIn, sessionCookie } from './cookies.ts'
import { Misasked } from './original.ts'

/** A browser at an application. */
export interface AtApplication {
  /** The service at the moment when it was asked. */
  service: Service
  client: Client
  proxied: Proxied
  origin: string
  /** The live session of its cookie, which may be of another application. */
  session: ProxiedSession | undefined
}

/** The application at the origin that a trusted proxy names. Throws `forward_auth_refused` otherwise. */
export type FindApplication = (request: IncomingMessage, origin: string | Misasked) => Promise<AtApplication>

export function findingApplications(running: Service): FindApplication {
  const isTrusted = remembering(within(running.settings.forwardAuth.proxies))
  const find = findingProxiedSessions(running.store)
  const own = new URL(running.issuer).origin
  return async (request, origin) => {
    if (!isTrusted(request.socket.remoteAddress ?? '')) throw misasked('it comes from no trusted proxy')
    if (origin instanceof Misasked) throw misasked(origin.reason)
    // A file is not held against the issuer.
    if (origin === own) throw misasked('it is about Tessera itself')
    const { revision, session } = await find(cookieIn(request.headers.cookie, sessionCookie), origin)
    const service = atRevision(running, revision)
    const client_id = (await proxiedOrigins(service.store)).get(origin)
    const client = client_id === undefined ? undefined : await findClient(service.store, client_id)
    if (client?.proxied === undefined || !client.usable) throw misasked(`no application is at ${origin}`)
    return { service, client, proxied: client.proxied, origin, session }
  }
}

/** Proxies are few, and looking up an address costs more than all the rest. */
function remembering(isTrusted: (address: string) => boolean): (address: string) => boolean {
  const trusted = new Set<string>()
  return (address) => {
    if (trusted.has(address)) return true
    if (!isTrusted(address)) return false
    if (trusted.size < mostRemembered) trusted.add(address)
    return true
  }
}

const mostRemembered = 1000

/** The visitor is told nothing of it; `reason` is for the log. */
export const misasked = (reason: string): ProtocolError =>
  new ProtocolError('forward_auth_refused', 'What the proxy asks can not be answered; the log says why.', {
    detail: reason,
  })
