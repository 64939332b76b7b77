import { acceptAsNew } from '../administration/invitations/accept.ts'
import { profilesOf } from '../administration/invitations/inviting.ts'
import { type CeremonyOptions, optionsToJoin } from '../identity/factors/options.ts'
import { relyingParty } from '../identity/factors/webauthn.ts'
import { newPasswordFault, passwordForNewcomer } from '../identity/new-password.ts'
import { recoveryCodesPage } from '../pages/recovery-codes-page.tsx'
import { sendPage } from '../pages/send-page.ts'
import { hashSecret } from '../protocol/identifier.ts'
import type { Parameters } from '../protocol/parameters.ts'
import { Problem } from '../protocol/problem.ts'
import { textProblem } from '../protocol/values.ts'
import { credentialIn } from '../sign-in/own-credential.ts'
import { sentAnswer } from '../sign-in/passkey.ts'
import { signInByLink } from '../sign-in/signed-in-by-link.ts'
import { joinPage, type JoinErrors } from './join-page.tsx'
import { addressOf, afterAnswer, type InvitationVisit, passkeyPath } from './visit.ts'

/** Asks for a name, and a password or a passkey. */
export async function askToJoin(
  visit: InvitationVisit,
  { name = visit.invitation.name ?? '', errors }: { name?: string; errors?: JoinErrors } = {},
): Promise<unknown> {
  const { service, reply, page, invitation, offers, client, link } = visit
  const { least } = await passwordOf(visit, name)
  const scripts = relyingParty(service) !== undefined
  const keysFrom = scripts ? `${passkeyPath}?link=${link}` : undefined
  const html = joinPage({ ...page, offers, client, email: invitation.email, name, least, keysFrom, errors })
  return sendPage(reply, html, {
    status: errors === undefined ? 200 : 400,
    script: scripts,
    fetches: scripts,
  })
}

/** What is demanded of a password for the account. */
const passwordOf = async ({ service, invitation }: InvitationVisit, name: string) =>
  await passwordForNewcomer(service.store, { email: invitation.email, name }, profilesOf(invitation))

/** What passkeys will name the person by: the same at each try, so that authenticators keep one of them. */
const handleOf = (link: string) => hashSecret(`user handle ${link}`)

/** Options for a passkey of the account that is not there yet. */
export async function optionsForNew(visit: InvitationVisit): Promise<CeremonyOptions | undefined> {
  const { service, invitation, link } = visit
  const { email, name } = invitation
  return await optionsToJoin(service, visit.holder, { handle: handleOf(link), email, name: name ?? email })
}

/** Makes the account and signs the person in, or shows what is wrong. */
export async function join(visit: InvitationVisit, form: Parameters): Promise<unknown> {
  const { service, request, reply, link: text } = visit
  const name = (form.optional('name') ?? '').trim()
  const isWrong = textProblem(longestName)(name) !== undefined
  const wrongName = isWrong ? (name === '' ? 'missing' : 'wrong') : undefined
  const known = async () => await passwordOf(visit, name)
  if (wrongName !== undefined) {
    const isPasskey = sentAnswer(request, form, visit.holder) !== undefined
    const password = isPasskey ? undefined : newPasswordFault(form, await known())
    return await askToJoin(visit, { name, errors: { name: wrongName, password } })
  }
  const own = await credentialIn(visit, form, { user_uuid: undefined, first: true, known })
  if ('wrong' in own) {
    const errors: JoinErrors = own.wrong === 'wrongKey' ? { passkey: true } : { password: own.wrong }
    return await askToJoin(visit, { name, errors })
  }
  const { passwordHash, passkey, proof, codes, now } = own
  const kept = passkey && { handle: handleOf(text), keep: passkey.stillHolds }
  let made: Awaited<ReturnType<typeof acceptAsNew>>
  try {
    const coming = { text, now, from: { address: request.ip, requestId: request.id } }
    made = await acceptAsNew(service.store, { name, passwordHash, passkey: kept }, coming)
  } catch (error) {
    // Somebody got an account with this address meanwhile: they are asked to sign in.
    if (error instanceof Problem && error.code === 'conflict') return reply.redirect(addressOf(visit), 303)
    throw error
  }
  // Nobody is signed in where they are disabled already.
  await signInByLink(visit, { ...made, proofs: [proof] })
  const next = afterAnswer(visit)
  if (codes.length === 0) return reply.redirect(next, 303)
  return sendPage(reply, recoveryCodesPage({ ...visit.page, codes, next }))
}

const longestName = 200
