import type { IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { withoutAlias } from '../protocol/aliases.ts'
import { pathOfIssuer } from '../protocol/issuer-path.ts'
import type { Service } from '../service.ts'

/**
 * A service whose issuer has a path. Rooms know their addresses without it: it is taken from requests, and put before
 * the addresses of answers, here alone.
 */

/**
 * What is asked of the host itself: probes, documents whose address a standard makes of the host, and what proxies hand
 * on from the origins of applications.
 */
const ofHost = /^\/(health\/|\.well-known\/(webauthn|change-password)(\?|$)|\.tessera\/)/
/** What a browser sees at the origin of an application: it links what is here. */
const ofApplications = /^\/(oauth2\/forward-auth(\/|\?|$)|\.tessera\/)/

export const isElsewhere = ({ url }: FastifyRequest): boolean => ofApplications.test(url)

/** No route: what is asked beside the path is not ours. */
const beside = '/beside-the-issuer'

/** The address that routes know. Undefined: they are as they come, of an issuer that is an origin and has no aliases. */
export function rewritten({
  issuer,
  settings: { aliases },
}: Service): ((request: IncomingMessage) => string) | undefined {
  const path = pathOfIssuer(issuer)
  if (path === '') return aliases && (({ url = '/' }) => withoutAlias(url, aliases))
  // RFC 8414 §3.1: the path of the issuer comes after the well-known one.
  const documents = ['/.well-known/openid-configuration', '/.well-known/oauth-authorization-server']
  const asked = new Map(documents.map((document) => [`${document}${path}`, document]))
  return ({ url = '/' }) => {
    const [address = '', ...query] = url.split('?')
    const document = asked.get(address)
    if (document !== undefined) return document
    if (address === path) return ['/', ...query].join('?')
    if (address.startsWith(`${path}/`)) return withoutAlias(url.slice(path.length), aliases)
    return ofHost.test(url) ? url : beside
  }
}

/** Attributes of pages that hold an address. Text from outside never has such quotes. */
const attributes = /( (?:href|src|srcset|action|formaction|data-passkeys)=")\/(?!\/|\.tessera\/)/g

const placed = new WeakSet<FastifyReply>()

/** A page with its addresses where they are, for an answer that no hook sees, or not as text. */
export function placedPage({ issuer }: Service, reply: FastifyReply, html: string): string {
  const base = isElsewhere(reply.request) ? issuer : pathOfIssuer(issuer)
  if (base === '' || placed.has(reply)) return html
  placed.add(reply)
  return html.replaceAll(attributes, `$1${base}/`)
}

/** A page's policy, with where what it loads comes from: for applications our origin, and scripts from below our path. */
export function placedPolicy({ issuer }: Service, request: FastifyRequest, policy: string): string {
  if (isElsewhere(request))
    return policy.replaceAll(/\b(style|img|script)-src 'self'/g, `$1-src ${new URL(issuer).origin}`)
  return pathOfIssuer(issuer) === '' ? policy : policy.replace("script-src 'self'", `script-src ${issuer}/`)
}

/** Pages that are shown at the origins of applications: what they link comes from here, and they say nothing of the host. */
export function shownElsewhere(app: FastifyInstance, service: Service): void {
  app.addHook('onSend', (request, reply, payload, done) => {
    if (reply.statusCode === 200 && payload === '') return done(null, payload)
    reply.removeHeader('strict-transport-security')
    const { 'content-security-policy': policy, 'content-type': type } = reply.getHeaders()
    if (typeof policy === 'string')
      reply.header('content-security-policy', placedPolicy(service, request, policy))
    const isPage = typeof payload === 'string' && String(type).startsWith('text/html')
    return done(null, isPage ? placedPage(service, reply, payload) : payload)
  })
}

/** Puts the path before the addresses of answers: where they lead, what pages link, and where scripts come from. */
export function belowPath(app: FastifyInstance, service: Service): void {
  const path = pathOfIssuer(service.issuer)
  if (path === '') return
  app.addHook('onSend', async (request, reply, payload) => {
    if (isElsewhere(request)) return payload
    const { location, 'content-security-policy': policy, 'content-type': type } = reply.getHeaders()
    if (typeof location === 'string' && /^\/(?!\/)/.test(location)) reply.header('location', path + location)
    if (typeof policy === 'string')
      reply.header('content-security-policy', placedPolicy(service, request, policy))
    const isPage = typeof payload === 'string' && String(type).startsWith('text/html')
    if (!isPage || placed.has(reply)) return payload
    return payload.replaceAll(attributes, `$1${path}/`)
  })
}
