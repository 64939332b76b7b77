import { once } from 'node:events'
import { connect, isIP, type Socket } from 'node:net'
import { connect as connectSecurely, type TLSSocket } from 'node:tls'
import type { Client } from 'ldapts'
import { withDeadline } from '../webhooks/deadline.ts'
import { addressOf, within } from '../webhooks/send.ts'
import type { Reaching } from './fetch.ts'
import { byMessages } from './ldap-frames.ts'
import { UpstreamRefusal } from './refusal.ts'
import type { Upstream } from './upstream.ts'

/** The most bytes that one connection may send us. */
const mostBytes = 16 * 1_048_576
const never = new AbortController().signal

/** Ends the work after so many ms, or when the process stops. */
export const inTime = <T>(
  timeout: number,
  work: (signal: AbortSignal) => Promise<T>,
  stopping: AbortSignal = never,
): Promise<T> => withDeadline(timeout, stopping, work)

function reasonOf(cause: unknown): string {
  const message = cause instanceof Error ? cause.message : String(cause)
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
  return /SELF_SIGNED|UNABLE_TO|LEAF_SIGNATURE/.test(code)
    ? `${message}: its certificate is of an authority that is unknown here. Name the file of a private one in NODE_EXTRA_CA_CERTS.`
    : message
}

/** Works on a connection of its own, which is verified and closed afterwards. Throws `UpstreamRefusal` alone. */
export async function onConnection<T>(
  upstream: Pick<Upstream, 'url'>,
  reaching: Reaching,
  signal: AbortSignal,
  work: (client: Client) => Promise<T>,
): Promise<T> {
  try {
    return await connected(upstream, reaching, signal, work)
  } catch (cause) {
    if (cause instanceof UpstreamRefusal) throw cause
    throw new UpstreamRefusal('unreachable', reasonOf(cause), { cause })
  }
}

async function connected<T>(
  { url }: Pick<Upstream, 'url'>,
  reaching: Reaching,
  signal: AbortSignal,
  work: (client: Client) => Promise<T>,
): Promise<T> {
  const { Client } = await import('ldapts')
  const socket = await securedTo(new URL(url ?? ''), reaching, signal)
  let used = false
  const client = new Client({
    url: 'ldap://connected.invalid',
    createConnection: () => {
      // ldapts would connect anew by itself, as nobody.
      if (used) throw new Error('The connection was lost.')
      used = true
      socket.on('data', () => socket.bytesRead > mostBytes && socket.destroy())
      return byMessages(socket)
    },
  })
  try {
    return await within(signal, work(client))
  } finally {
    socket.destroy()
  }
}

/**
 * A connection that nobody on the way reads: LDAPS, or StartTLS after `ldap://` (RFC 4513 §3.1.1). On this machine alone
 * a server may refuse StartTLS. The address is looked up once, and the certificate is of the name in the URL.
 */
async function securedTo(url: URL, reaching: Reaching, signal: AbortSignal): Promise<Socket> {
  if (url.protocol !== 'ldaps:' && url.protocol !== 'ldap:')
    throw new UpstreamRefusal('documents', `${url.protocol} is no LDAP: write ldaps://HOST.`)
  const host = await addressOf({ url: url.href, ...reaching, signal })
  const name = url.hostname.replace(/^\[|\]$/g, '')
  const verified = { host: name, ...(isIP(name) === 0 && { servername: name }), rejectUnauthorized: true }
  const port = Number(url.port) || (url.protocol === 'ldaps:' ? 636 : 389)
  if (url.protocol === 'ldaps:')
    return await opened(connectSecurely({ ...verified, host, port }), 'secureConnect', signal)
  const plain = await opened(connect({ host, port }), 'connect', signal)
  try {
    if (await startsTls(plain, signal))
      return await opened<TLSSocket>(connectSecurely({ ...verified, socket: plain }), 'secureConnect', signal)
  } catch (error) {
    plain.destroy()
    throw error
  }
  if (host === '::1' || host.startsWith('127.')) return plain
  plain.destroy()
  throw new UpstreamRefusal('unreachable', 'It refuses StartTLS: use ldaps://, or let it take StartTLS.')
}

async function opened<S extends Socket>(socket: S, event: string, signal: AbortSignal): Promise<S> {
  try {
    await once(socket, event, { signal })
    // What breaks later ends what waits for an answer, by `close`.
    return socket.on('error', () => undefined)
  } catch (error) {
    socket.on('error', () => undefined).destroy()
    throw error
  }
}

/** An extended request of StartTLS with the message id 1 (RFC 4511 §4.14). */
const startTls = Buffer.concat([
  Buffer.from([0x30, 0x1d, 0x02, 0x01, 0x01, 0x77, 0x18, 0x80, 0x16]),
  Buffer.from('1.3.6.1.4.1.1466.20037'),
])

/**
 * Whether the server goes on in TLS. That of ldapts would keep what somebody on the way sent after the answer, and read
 * it as the beginning of what comes over TLS.
 */
async function startsTls(socket: Socket, signal: AbortSignal): Promise<boolean> {
  const { BerReader } = await import('ldapts')
  socket.write(startTls)
  let answer = Buffer.alloc(0)
  while (answer.length < 4096) {
    await once(socket, 'readable', { signal })
    const more = socket.read() as Buffer | null
    if (more === null) throw new Error('It closed the connection.')
    answer = Buffer.concat([answer, more])
    const reader = new BerReader(answer)
    if (reader.readSequence(0x30) === null || reader.remain < reader.length) continue
    if (reader.remain > reader.length) break
    reader.readInt()
    reader.readSequence(0x78)
    return reader.readEnumeration() === 0
  }
  throw new UpstreamRefusal('response', 'Its answer to StartTLS is not one message: somebody is on the way.')
}
