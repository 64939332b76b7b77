import { randomUUID } from 'node:crypto'
import type { Service } from '../service.ts'
import { findClient } from '../store/clients.ts'
import { type LogoutNotice, postponeNotice, removeNotice, takeNotices } from '../store/logout-notices.ts'
import { withDeadline } from '../webhooks/deadline.ts'
import type { JobContext } from '../job.ts'
import { send } from '../webhooks/send.ts'

const timeout = 5000
const longestDelay = 3_600_000
/** About eight hours: delays double from 5 s to an hour. */
const maxAttempts = 18

/**
 * Delivers the due notices (OpenID Connect Back-Channel Logout 1.0 §2.5); a failed one is logged and tried again later.
 * A slow client delays the others by `timeout` at most.
 */
export async function sendLogoutNotices(service: Service, { stopping, report }: JobContext): Promise<void> {
  const now = service.now()
  const notices = await takeNotices(service.store, now, now + 2 * timeout)
  await withDeadline(timeout, stopping, (signal) =>
    Promise.all(notices.map((notice) => deliver(service, notice, { signal, report }))),
  )
}

async function deliver(
  service: Service,
  notice: LogoutNotice,
  { signal, report }: { signal: AbortSignal; report: JobContext['report'] },
): Promise<void> {
  try {
    await post(service, notice, signal)
    await removeNotice(service.store, notice.id)
  } catch (cause) {
    const last = notice.attempts >= maxAttempts
    const next = last ? 'it is given up' : 'it is tried again'
    const text = `A logout notice to ${notice.client_id} failed (attempt ${notice.attempts}); ${next}.`
    report(Object.assign(new Error(text, { cause }), { client_id: notice.client_id }))
    if (last) return await removeNotice(service.store, notice.id)
    const delay = Math.min(longestDelay, 5000 * 2 ** (notice.attempts - 1))
    await postponeNotice(service.store, notice.id, service.now() + delay)
  }
}

/** The logout token (§2.4). */
async function logoutToken(service: Service, notice: Omit<LogoutNotice, 'uri'>): Promise<string> {
  const iat = Math.floor(service.now() / 1000)
  const client = await findClient(service.store, notice.client_id)
  const claims = {
    iss: service.issuer,
    sub: notice.sub,
    aud: notice.client_id,
    iat,
    exp: iat + 120,
    jti: randomUUID(),
    events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
    sid: notice.sid,
  }
  return await service.keys.sign('logout+jwt', claims, client?.id_token_signed_response_alg ?? 'RS256')
}

async function post(service: Service, { uri, ...notice }: LogoutNotice, signal: AbortSignal): Promise<void> {
  const status = await send({
    url: uri,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: `logout_token=${await logoutToken(service, notice)}`,
    toPrivateAddresses: service.settings.logoutToPrivateAddresses,
    refusal:
      'Nobody knows its name, or its address is private; TESSERA_LOGOUT_TO_PRIVATE_ADDRESSES=true allows private ones.',
    signal,
  })
  if (status !== 200 && status !== 204) throw new Error(`The client answered ${status}.`)
}
