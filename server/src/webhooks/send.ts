import { lookup } from 'node:dns/promises'
import { Agent, type IncomingMessage, request as http } from 'node:http'
import { Agent as SecureAgent, request as https } from 'node:https'
import { isIPv6 } from 'node:net'
import { isPrivateAddress } from '../protocol/private-address.ts'

/** A message to an address that somebody registered, and that may point anywhere. */
export interface OutboundMessage extends OutboundRequest {
  body: string
}

/** A request to such an address. */
export interface OutboundRequest {
  url: string
  headers: Record<string, string>
  /** Whether it may go to a private address; if not, `refusal` is the error for one, and for an unknown name. */
  toPrivateAddresses: boolean
  refusal: string
  signal: AbortSignal
}

/**
 * Posts, and yields the status of the answer; reads no body and follows no redirect. Throws when there is no answer, or
 * the address is refused.
 */
export async function send(sent: OutboundMessage): Promise<number> {
  const address = await addressOf(sent)
  const response = await within(sent.signal, requested(sent, address, sent.body))
  response.destroy()
  return response.statusCode ?? 0
}

/** An answer that was longer than its reader takes. */
export class TooLong extends Error {}

export interface OutboundAnswer {
  status: number
  /** The content type, as it was sent. */
  type: string | undefined
  cacheControl: string | undefined
  bytes: Buffer
}

/**
 * Gets, or posts where there is a body, and reads so many bytes at the most; follows no redirect. `isRead`: by which
 * status; the others are answers whatever follows them. Throws as `send` does, and when it is longer.
 */
export async function read(
  asked: OutboundRequest & { body?: string | undefined; isRead?: (status: number) => boolean },
  mostBytes: number,
): Promise<OutboundAnswer> {
  const address = await addressOf(asked)
  const response = await within(asked.signal, requested(asked, address, asked.body))
  try {
    const { statusCode: status = 0, headers } = response
    const isRead = asked.isRead?.(status) ?? true
    const bytes = isRead ? await within(asked.signal, bytesOf(response, mostBytes)) : Buffer.alloc(0)
    return { status, type: headers['content-type'], cacheControl: headers['cache-control'], bytes }
  } finally {
    response.destroy()
  }
}

async function bytesOf(response: IncomingMessage, mostBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > mostBytes) throw new TooLong(`The answer is longer than ${mostBytes} bytes.`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/**
 * The IP address to send to. Where private ones are refused, a name with a private address, an unknown name and a
 * look-up that takes too long get the same error, so that errors don't tell which names the service's network has.
 */
export async function addressOf({
  url,
  toPrivateAddresses,
  refusal,
  signal,
}: Omit<OutboundRequest, 'headers'>): Promise<string> {
  const { hostname } = new URL(url)
  try {
    const { address } = await within(signal, lookup(hostname.replace(/^\[|\]$/g, '')))
    if (toPrivateAddresses || !isPrivateAddress(address)) return address
  } catch (cause) {
    if (toPrivateAddresses) throw cause
    throw new Error(refusal, { cause })
  }
  throw new Error(refusal)
}

/** Rejects when the signal aborts, also for work that takes no signal, as a look-up of a name. */
export async function within<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  return await new Promise((resolve, reject) => {
    const over = () => reject(new Error('There was no answer in time.'))
    if (signal.aborted) over()
    signal.addEventListener('abort', over, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', over))
  })
}

/** Posts the body, or gets where there is none. */
async function requested(
  { headers, signal, ...to }: OutboundRequest,
  address: string,
  body?: string,
): Promise<IncomingMessage> {
  const url = new URL(to.url)
  const secure = url.protocol === 'https:'
  if (!secure && !isPrivateAddress(address)) {
    throw new Error('It is http, which anybody on the way can read; use https.')
  }
  return await new Promise((resolve, reject) => {
    const request = (secure ? https : http)(url, {
      method: body === undefined ? 'GET' : 'POST',
      signal,
      agent: secure ? new SecureAgent() : new Agent(),
      // The connection goes to the checked address; a second look-up could yield another.
      lookup: (_host, options, done) => {
        const family = isIPv6(address) ? 6 : 4
        if (options.all === true) done(null, [{ address, family }])
        else done(null, address, family)
      },
      headers: body === undefined ? headers : { ...headers, 'content-length': Buffer.byteLength(body) },
    })
    request.on('response', resolve)
    request.on('error', reject)
    request.end(body)
  })
}
