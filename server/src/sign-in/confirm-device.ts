import { reachOfNew } from '../identity/reach.ts'
import { provenAs } from '../identity/factors/level.ts'
import { allowanceAsked } from '../identity/consent.ts'
import { sendPage } from '../pages/send-page.ts'
import { provedOf } from '../protocol/authentication.ts'
import { ProtocolError } from '../protocol/errors.ts'
import { shownUserCode } from '../protocol/user-code.ts'
import { approveDeviceCode } from '../store/device-codes.ts'
import { findConsentOf, rememberConsent } from '../store/consents.ts'
import type { LiveSession } from '../store/sessions.ts'
import type { Profile } from '../store/users.ts'
import { confirmDevicePage } from './confirm-device-page.tsx'
import { type ConsentAsked, digestOf, shownOf, shownServices } from './consent.ts'
import { denied, goOn, type SignInStep, useAnotherAccount, type Visit } from './step.ts'

interface DeviceAsked extends ConsentAsked {
  id: string
  userCode: string
  session: LiveSession
  profile: Profile
}

/**
 * A person allows a device to act for them. It is asked of every client, also of first-party ones, and each time: who
 * sent the code may be a stranger (RFC 8628 §5.4). The last step, which answers by itself.
 */
export const confirmDevice: SignInStep<DeviceAsked> = {
  path: '/device/confirm',
  withoutPage: ['interaction_required', 'The user has to confirm the device.'],

  async missing(service, { asked: { client, device, ...request }, session, profiles, profile }) {
    if (device === undefined || session === undefined || profile === undefined) return undefined
    const { user } = session
    // Nothing is sent to a redirect_uri, so the page shows none, and none is allowed.
    const asked = { ...(await allowanceAsked(service, client, { ...request, profiles })), redirectHosts: [] }
    const reach = await reachOfNew(service.store, session)
    const before = client.first_party
      ? undefined
      : await findConsentOf(service.store, user.uuid, client.client_id, reach)
    return { ...device, user, session, profile, asked, before, reach }
  },

  async show({ service, reply, page }, missing) {
    const { user, profile, asked, userCode } = missing
    const html = confirmDevicePage({
      ...page,
      ...shownOf(missing),
      ...(await shownServices(service, missing)),
      accountName: user.name,
      profile,
      userCode: shownUserCode(userCode),
      hidden: { account: user.uuid, profile: profile.held_uuid, shown: digestOf(asked) },
    })
    return sendPage(reply, html)
  },

  async submit(visit, missing) {
    const { form } = visit
    // Another tab chose another person or profile. The page shows who it is about.
    if (missing === undefined || form.optional('account') !== missing.user.uuid) return goOn(visit)
    const choice = form.optional('choice')
    if (choice === 'switch') return await useAnotherAccount(visit)
    if (choice !== 'allow') throw await denied(visit, 'The user did not allow the device.')
    if (form.optional('profile') !== missing.profile.held_uuid) return goOn(visit)
    if (form.optional('shown') !== digestOf(missing.asked)) return goOn(visit)
    return await allow(visit, missing)
  },
}

async function allow(
  { service, request, reply, pending, client }: Visit,
  { id, user, session, profile, asked, reach }: DeviceAsked,
): Promise<unknown> {
  const { store } = service
  const now = service.now()
  const by = {
    actor: { kind: 'user', id: user.uuid },
    address: request.ip,
    requestId: request.id,
  } as const
  if (!client.first_party)
    await rememberConsent(store, {
      user_uuid: user.uuid,
      client,
      allowance: asked,
      reach,
      now,
      by,
    })
  const { user_uuid, sid } = session
  const { proven } = await provenAs(store, { user, proven: session }, profile)
  const { auth_time, acr, amr } = proven
  // Whole: the token may be for another profile later.
  const proofs = JSON.stringify(provedOf(session))
  const approver = { user_uuid, sid, profile_uuid: profile.held_uuid, auth_time, acr, amr, proofs }
  if (await approveDeviceCode(store, { id, requestId: pending.id }, approver, { now, by }))
    return reply.redirect(pending.redirect_uri, 303)
  throw new ProtocolError(
    'request_expired',
    'The code has expired, or was answered already. Start again on the device.',
  )
}
