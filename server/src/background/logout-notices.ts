import { randomUUID } from 'node:crypto'
import { lookup } from 'node:dns/promises'
import { Agent } from 'node:http'
import { Agent as SecureAgent } from 'node:https'
import { request as http } from 'node:http'
import { request as https } from 'node:https'
import { BlockList, isIPv6 } from 'node:net'
import type { Service } from '../service.ts'
import { type LogoutNotice, postponeNotice, removeNotice, takeNotices } from '../store/logout-notices.ts'
import type { JobContext } from './job.ts'

const timeout = 5000
const longestDelay = 3_600_000
/** With delays that double from 5 s to an hour, about eight hours. */
const maxAttempts = 18

/**
 * Delivers what is due (OpenID Connect Back-Channel Logout 1.0 §2.5); what fails is told, and tried again later.
 * One that answers slowly holds up the others for `timeout` at the most, whatever it trickles.
 */
export async function sendLogoutNotices(service: Service, { stopping, report }: JobContext): Promise<void> {
  const now = service.now()
  const notices = await takeNotices(service.store, now, now + 2 * timeout)
  const signal = AbortSignal.any([AbortSignal.timeout(timeout), stopping])
  await Promise.all(notices.map((notice) => deliver(service, notice, { signal, report })))
}

async function deliver(
  service: Service,
  notice: LogoutNotice,
  { signal, report }: { signal: AbortSignal; report: JobContext['report'] },
): Promise<void> {
  try {
    await within(signal, post(service, notice, signal))
    await removeNotice(service.store, notice.id)
  } catch (cause) {
    const last = notice.attempts >= maxAttempts
    const next = last ? 'it is given up' : 'it is tried again'
    report(
      new Error(`A logout notice to ${notice.clientId} failed (attempt ${notice.attempts}); ${next}.`, {
        cause,
      }),
    )
    if (last) return await removeNotice(service.store, notice.id)
    const delay = Math.min(longestDelay, 5000 * 2 ** (notice.attempts - 1))
    await postponeNotice(service.store, notice.id, service.now() + delay)
  }
}

/** Also what can't be told to stop, such as a look-up of a name, ends with the signal. */
async function within<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  return await new Promise((resolve, reject) => {
    const over = () => reject(new Error('The client did not answer in time.'))
    if (signal.aborted) over()
    signal.addEventListener('abort', over, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', over))
  })
}

/** The logout token (§2.4). */
async function logoutToken(service: Service, notice: LogoutNotice): Promise<string> {
  const iat = Math.floor(service.now() / 1000)
  return await service.keys.sign('logout+jwt', {
    iss: service.issuer,
    sub: notice.sub,
    aud: notice.clientId,
    iat,
    exp: iat + 120,
    jti: randomUUID(),
    events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
    sid: notice.sid,
  })
}

async function post(service: Service, notice: LogoutNotice, signal: AbortSignal): Promise<void> {
  const url = new URL(notice.uri)
  const address = await checkedAddress(service, url)
  const body = `logout_token=${await logoutToken(service, notice)}`
  const secure = url.protocol === 'https:'
  await new Promise<void>((resolve, reject) => {
    const sent = (secure ? https : http)(url, {
      method: 'POST',
      signal,
      agent: secure ? new SecureAgent() : new Agent(),
      // The connection goes to the address that was checked, not to what a second look-up would say.
      lookup: (_host, options, done) => {
        const family = isIPv6(address) ? 6 : 4
        if (options.all === true) done(null, [{ address, family }])
        else done(null, address, family)
      },
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        'content-length': Buffer.byteLength(body),
      },
    })
    sent.on('response', (response) => {
      const { statusCode = 0 } = response
      // Nobody reads a body.
      response.destroy()
      if (statusCode === 200 || statusCode === 204) resolve()
      else reject(new Error(`The client answered ${statusCode}.`))
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

const privateAddresses = new BlockList()
for (const [network, bits] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['224.0.0.0', 3],
] as const) {
  privateAddresses.addSubnet(network, bits)
}
for (const [network, bits] of [
  ['::', 96],
  ['2002::', 16],
  ['64:ff9b:1::', 48],
  ['fec0::', 10],
  ['64:ff9b::', 96],
  ['fc00::', 7],
  ['fe80::', 10],
  ['ff00::', 8],
] as const) {
  privateAddresses.addSubnet(network, bits, 'ipv6')
}

/** The address to connect to. Throws for a private one, unless that is configured (decisions 6). */
async function checkedAddress(service: Service, url: URL): Promise<string> {
  const { address } = await lookup(url.hostname.replace(/^\[|\]$/g, ''))
  const isPrivate = privateAddresses.check(address, isIPv6(address) ? 'ipv6' : 'ipv4')
  if (isPrivate && !service.settings.logoutToPrivateAddresses) {
    throw new Error('The address is private; set TESSERA_LOGOUT_TO_PRIVATE_ADDRESSES=true to allow it.')
  }
  return address
}
