import { acceptAsKnown, type OwnMeans } from '../administration/invitations/accept.ts'
import { profilesOf } from '../administration/invitations/inviting.ts'
import { type CeremonyOptions, optionsToEnrol } from '../identity/factors/options.ts'
import { relyingParty } from '../identity/factors/webauthn.ts'
import { passwordForUser } from '../identity/new-password.ts'
import { recoveryCodesPage } from '../pages/recovery-codes-page.tsx'
import { sendPage } from '../pages/send-page.ts'
import { type Proved, provedOf } from '../protocol/authentication.ts'
import type { Parameters } from '../protocol/parameters.ts'
import { Problem } from '../protocol/problem.ts'
import { credentialIn } from '../sign-in/own-credential.ts'
import { signInByLink } from '../sign-in/signed-in-by-link.ts'
import { provedBefore } from '../store/proved-before.ts'
import type { LiveSession } from '../store/sessions.ts'
import type { Proof } from '../store/start-session.ts'
import { acceptPage } from './invitation-page.tsx'
import type { JoinErrors } from './join-page.tsx'
import { addressOf, afterAnswer, type InvitationVisit, passkeyPath } from './visit.ts'

/** Asks somebody who has an account what they accept; for a password or passkey of their own where that proves it. */
export async function askToAccept(
  visit: InvitationVisit,
  session: LiveSession,
  errors?: Pick<JoinErrors, 'password' | 'passkey'>,
): Promise<unknown> {
  const { service, reply, page, offers, client, link, proves } = visit
  const scripts = proves && relyingParty(service) !== undefined
  const own = proves && {
    least: (await passwordOf(visit, session)).least,
    keysFrom: scripts ? `${passkeyPath}?link=${link}` : undefined,
    errors,
  }
  const html = acceptPage({ ...page, offers, client, accountName: session.user.name, ...(own && { own }) })
  return sendPage(reply, html, {
    status: errors === undefined ? 200 : 400,
    script: scripts,
    fetches: scripts,
  })
}

/** What is demanded of a password of theirs, by what they hold and come to hold. */
const passwordOf = async ({ service, invitation }: InvitationVisit, { user }: LiveSession) =>
  await passwordForUser(service.store, user, profilesOf(invitation))

/** Options for a passkey in the place of a password. */
export async function optionsForKnown(visit: InvitationVisit): Promise<CeremonyOptions | undefined> {
  const { service, session } = visit
  return session && (await optionsToEnrol(service, visit.holder, session.user, 'passkey'))
}

/** What they accept counts from now on; where the link proves the account, this browser alone is signed in. */
export async function accept(
  visit: InvitationVisit,
  form: Parameters,
  session: LiveSession,
): Promise<unknown> {
  const { service, request, reply, link: text, offers, proves, page } = visit
  const chosen = offers.flatMap((_, index) => (form.optional(`profile_${index}`) === '1' ? [index] : []))
  const declines = form.optional('choice') === 'decline' || (chosen.length === 0 && offers.length > 0)
  const now = service.now()
  const means = proves && !declines ? await ownMeans(visit, form, { session, now }) : undefined
  if (means !== undefined && 'wrong' in means) return await askToAccept(visit, session, means.wrong)
  const coming = { text, now, from: { address: request.ip, requestId: request.id } }
  const accepted = declines ? ('declined' as const) : chosen
  try {
    await acceptAsKnown(service.store, { user_uuid: session.user_uuid, accepted, proof: means?.own }, coming)
  } catch (error) {
    // The account was proved meanwhile: another form is due.
    if (error instanceof Problem && error.code === 'conflict') return reply.redirect(addressOf(visit), 303)
    throw error
  }
  const next = afterAnswer(visit, declines)
  if (means === undefined) return reply.redirect(next, 303)
  await signInByLink(visit, { user_uuid: session.user_uuid, proofs: means.proofs, mailed: true })
  if (means.codes.length === 0) return reply.redirect(next, 303)
  return sendPage(reply, recoveryCodesPage({ ...page, codes: means.codes, next }))
}

/** How they sign in from now on, what the session of this browser begins with, and recovery codes to show. */
interface Means {
  own: OwnMeans & { shown: readonly string[] }
  proofs: readonly [Proof, ...Proof[]]
  codes: readonly string[]
}

async function ownMeans(
  visit: InvitationVisit,
  form: Parameters,
  { session, now }: { session: LiveSession; now: number },
): Promise<Means | { wrong: Pick<JoinErrors, 'password' | 'passkey'> }> {
  const { user_uuid } = session
  // The factor that this session proved goes on.
  const factors = provedOf(session).filter((one) => one.credential !== undefined)
  const shown = factors.flatMap(({ credential }) => credential ?? [])
  const proofs = factors.map((one: Proved) => provedBefore(one, now))
  const known = async () => await passwordOf(visit, session)
  const own = await credentialIn(visit, form, { user_uuid, first: shown.length === 0, known })
  if ('wrong' in own) return { wrong: own.wrong === 'wrongKey' ? { passkey: true } : { password: own.wrong } }
  const { passwordHash, passkey, proof, codes } = own
  const kept = passkey && { keep: passkey.stillHolds }
  return { own: { passwordHash, passkey: kept, shown }, proofs: [proof, ...proofs], codes }
}
