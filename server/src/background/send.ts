import { lookup } from 'node:dns/promises'
import { Agent, request as http } from 'node:http'
import { Agent as SecureAgent, request as https } from 'node:https'
import { isIPv6 } from 'node:net'
import { isPrivateAddress } from '../protocol/private-address.ts'

/** What is sent to an address that somebody registered, and so may point to anything. */
export interface Sent {
  url: string
  headers: Record<string, string>
  body: string
  /** Whether it may go to a private address; otherwise `refusal` is what is said of one. */
  toPrivateAddresses: boolean
  refusal: string
  /** Ends it, whatever it waits for. */
  signal: AbortSignal
}

/**
 * Posts, and yields the status of the answer, whose body nobody reads and whose redirects nobody follows. Throws when
 * there is no answer, or the address is one that nothing is sent to.
 */
export async function send(sent: Sent): Promise<number> {
  return await within(sent.signal, post(sent))
}

/** Also what can't be told to stop, such as a look-up of a name, ends with the signal. */
async function within<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  return await new Promise((resolve, reject) => {
    const over = () => reject(new Error('There was no answer in time.'))
    if (signal.aborted) over()
    signal.addEventListener('abort', over, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', over))
  })
}

async function post({ headers, body, signal, ...to }: Sent): Promise<number> {
  const url = new URL(to.url)
  const { address } = await lookup(url.hostname.replace(/^\[|\]$/g, ''))
  if (isPrivateAddress(address) && !to.toPrivateAddresses) throw new Error(to.refusal)
  const secure = url.protocol === 'https:'
  if (!secure && !isPrivateAddress(address)) {
    throw new Error('It is http, which anybody on the way can read; use https.')
  }
  return await new Promise((resolve, reject) => {
    const request = (secure ? https : http)(url, {
      method: 'POST',
      signal,
      agent: secure ? new SecureAgent() : new Agent(),
      // The connection goes to the address that was checked, not to what a second look-up would say.
      lookup: (_host, options, done) => {
        const family = isIPv6(address) ? 6 : 4
        if (options.all === true) done(null, [{ address, family }])
        else done(null, address, family)
      },
      headers: { ...headers, 'content-length': Buffer.byteLength(body) },
    })
    request.on('response', (response) => {
      const { statusCode = 0 } = response
      response.destroy()
      resolve(statusCode)
    })
    request.on('error', reject)
    request.end(body)
  })
}
