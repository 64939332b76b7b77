import { isIP, isIPv6 } from 'node:net'
import type { FastifyInstance } from 'fastify'
import type { Settings } from '../settings.ts'

/** More than any way has. */
const mostHops = 30

/**
 * Leaves addresses alone in `X-Forwarded-For`, before `request.ip` is read from it: failures are counted, logged and
 * recorded by that. Without trusted proxies nothing reads the header.
 */
export function forwardedAddresses(app: FastifyInstance, { trustedProxies }: Settings): void {
  if (trustedProxies.length === 0) return
  app.addHook('onRequest', ({ raw: { headers } }, _reply, done) => {
    const sent = headers['x-forwarded-for']
    const hops = typeof sent === 'string' ? nearestHops(sent) : []
    if (hops.length > 0) headers['x-forwarded-for'] = hops.join(', ')
    else delete headers['x-forwarded-for']
    done()
  })
}

/** The addresses from the nearest, which comes last, up to the first text that is none: nobody vouches for the rest. */
function nearestHops(header: string): string[] {
  const hops = header.split(',').slice(-mostHops).map(addressOf)
  const first = hops.lastIndexOf(undefined) + 1
  return hops.slice(first).flatMap((hop) => hop ?? [])
}

/** Some proxies write the port as well: `192.0.2.1:4711`, `[2001:db8::1]:4711`. */
const withPort = /^(?:(?<four>[\d.]+)|\[(?<six>[^\]]+)\])(?::\d{1,5})?$/

function addressOf(text: string): string | undefined {
  const hop = text.trim()
  const { four, six } = withPort.exec(hop)?.groups ?? {}
  const address = six ?? four ?? hop
  if (six !== undefined && !isIPv6(six)) return undefined
  // A zone (`fe80::1%eth0`) may be of any length, and means nothing to another machine.
  return isIP(address) === 0 || address.includes('%') ? undefined : address
}
