import { sendPage } from '../pages/send-page.ts'
import type { Parameters } from '../protocol/parameters.ts'
import { endOwnSession, liveSessionsOf } from '../store/person-sessions.ts'
import { endOtherSessions } from '../store/resting-on.ts'
import { forgetTrustedDevice, trustedDevicesOf } from '../store/trusted-devices.ts'
import type { AccountPage } from './page.ts'
import { sessionsPage as page } from './sessions-page.tsx'
import { type AccountVisit, back, originOf } from './visit.ts'

export const sessionsPath = '/account/sessions'

/** Lists sessions and trusted browsers. A session ends together with its tokens. */
export const sessionsPage: AccountPage = {
  path: sessionsPath,
  show,
  actions: { end, others, forget },
  kept: ['sid', 'id'],
}

async function show(visit: AccountVisit, done: string | undefined): Promise<unknown> {
  const { service, reply, session } = visit
  const sessions = await liveSessionsOf(service.store, session.user_uuid, service.now())
  const trusted = await trustedDevicesOf(service.store, session.user_uuid)
  const zone = session.user.zoneinfo ?? 'UTC'
  return sendPage(reply, page({ ...visit.page, sessions, trusted, current: session.sid, zone, done }))
}

const endingOf = (visit: AccountVisit) => ({
  now: visit.service.now(),
  by: originOf(visit),
  reason: 'account',
})

async function end(visit: AccountVisit, form: Parameters): Promise<unknown> {
  const { service, session } = visit
  const sid = form.optional('sid', 100) ?? ''
  // The way out of this one is to sign out.
  if (sid !== session.sid)
    await endOwnSession(service.store, { user_uuid: session.user_uuid, sid }, endingOf(visit))
  return back(visit, 'ended')
}

async function others(visit: AccountVisit): Promise<unknown> {
  const { service, session } = visit
  await endOtherSessions(service.store, {
    user_uuid: session.user_uuid,
    sid: session.sid,
    ...endingOf(visit),
  })
  return back(visit, 'ended')
}

async function forget(visit: AccountVisit, form: Parameters): Promise<unknown> {
  const { service, session } = visit
  const forgetting = { user_uuid: session.user_uuid, sid: session.sid, ...endingOf(visit) }
  await forgetTrustedDevice(service.store, form.optional('id', 100) ?? '', forgetting)
  return back(visit, 'forgotten')
}
