import { acceptAsNew, type NewAccount } from '../administration/invitations/accept.ts'
import { profilesOf } from '../administration/invitations/inviting.ts'
import type { SentAnswer } from '../identity/factors/assertion.ts'
import { checkNewCredential } from '../identity/factors/enrol-credential.ts'
import { type Options, optionsToJoin } from '../identity/factors/options.ts'
import { relyingParty } from '../identity/factors/webauthn.ts'
import { newPasswordFault, passwordForNewcomer } from '../identity/new-password.ts'
import { messagesFor } from '../pages/messages/index.ts'
import { recoveryCodesPage } from '../pages/recovery-codes-page.tsx'
import { sendPage } from '../pages/send-page.ts'
import { hashSecret } from '../protocol/identifier.ts'
import type { Parameters } from '../protocol/parameters.ts'
import { Problem } from '../protocol/problem.ts'
import { textProblem } from '../protocol/values.ts'
import { sentAnswer } from '../sign-in/passkey.ts'
import { signInByLink } from '../sign-in/signed-in-by-link.ts'
import { provedBefore } from '../store/credentials.ts'
import { passwordProof, type Proof } from '../store/start-session.ts'
import { joinPage, type JoinErrors } from './join-page.tsx'
import { addressOf, afterAnswer, holderOf, type InvitationVisit, passkeyPath } from './visit.ts'

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
export async function optionsForNew(visit: InvitationVisit): Promise<Options | undefined> {
  const { service, invitation, link } = visit
  const { email, name } = invitation
  return await optionsToJoin(service, holderOf(visit), { handle: handleOf(link), email, name: name ?? email })
}

/** How somebody new will sign in. */
interface Means extends Omit<NewAccount, 'name'> {
  /** What their first session begins with. */
  proof: Proof
  /** Recovery codes to show. */
  codes: readonly string[]
}

/** Makes the account and signs the person in, or shows what is wrong. */
export async function join(visit: InvitationVisit, form: Parameters): Promise<unknown> {
  const { service, request, reply, link: text } = visit
  const name = (form.optional('name') ?? '').trim()
  const answer = sentAnswer(request, form, holderOf(visit))
  const isWrong = textProblem(longestName)(name) !== undefined
  const wrongName = isWrong ? (name === '' ? 'missing' : 'wrong') : undefined
  const password = answer === undefined ? newPasswordFault(form, await passwordOf(visit, name)) : undefined
  if (wrongName !== undefined || password !== undefined)
    return await askToJoin(visit, { name, errors: { name: wrongName, password } })
  const means = answer === undefined ? await passwordMeans(visit, form) : await passkeyMeans(visit, answer)
  if (means === undefined) return await askToJoin(visit, { name, errors: { passkey: true } })
  const { proof, codes, ...account } = means
  let made: Awaited<ReturnType<typeof acceptAsNew>>
  try {
    const coming = { text, now: service.now(), from: { address: request.ip, requestId: request.id } }
    made = await acceptAsNew(service.store, { name, ...account }, coming)
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

export async function passwordMeans({ service }: InvitationVisit, form: Parameters): Promise<Means> {
  const passwordHash = await service.passwords.hash(form.optional('password') ?? '')
  return { passwordHash, proof: passwordProof(passwordHash), codes: [] }
}

/** Undefined: it is none that counts. */
async function passkeyMeans(visit: InvitationVisit, answer: SentAnswer): Promise<Means | undefined> {
  const { service, page, link } = visit
  const { passkey: name } = messagesFor(page.locale).accountSignIn
  const enrolling = { userUuid: undefined, kind: 'passkey', name, first: true } as const
  const checked = await checkNewCredential(service, answer, enrolling)
  if (checked.outcome === 'wrong') return undefined
  const { proved, stillHolds: keep } = checked.proof
  const passkey = { handle: handleOf(link), keep }
  return { passwordHash: null, passkey, proof: provedBefore(proved, service.now()), codes: checked.codes }
}

const longestName = 200
