/**
 * `invitation/` owns the page that the link of an invitation leads to, in any browser. GET and HEAD change nothing:
 * scanners open links in mails. What is accepted, and who may still give it, `administration/invitations` decides.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { askAgain, invitationEnded, openInvitation } from '../administration/invitations/accept.ts'
import { invitationPath } from '../administration/invitations/send.ts'
import { pageOf } from '../pages/locale.ts'
import { sendPage } from '../pages/send-page.ts'
import { emailKey, maskedEmail } from '../protocol/email-address.ts'
import { hashSecret } from '../protocol/identifier.ts'
import { Parameters } from '../protocol/parameters.ts'
import { linkFormExpired } from '../protocol/refusals.ts'
import type { Service } from '../service.ts'
import { clearCookie, currentSession, readCookie, setCookie } from '../sign-in/browser.ts'
import { forgottenPath } from '../sign-in/reset-paths.ts'
import { signInHere } from '../sign-in/here.ts'
import { answerOptions, checkForm, formIn, openPage } from '../sign-in/page-visit.ts'
import { hasSecondFactor } from '../sign-in/second-factor.ts'
import { choosesPassword } from '../sign-in/temporary-password.ts'
import { brandingFor } from '../store/brandings.ts'
import { findClient } from '../store/clients.ts'
import { endSession, type LiveSession } from '../store/sessions.ts'
import { acceptedPage, expiredPage, knownPage, otherPersonPage, sentAgainPage } from './invitation-page.tsx'
import { accept, askToAccept, optionsForKnown } from './accept.ts'
import { askToJoin, join, optionsForNew } from './join.ts'
import { acceptedPath, addressOf, type InvitationVisit, passkeyPath } from './visit.ts'

export function invitationPages(app: FastifyInstance, service: Service): void {
  app.get(invitationPath, async (request, reply) => {
    const link = Parameters.ofUrl(request.url).optional('link') ?? readCookie(service, request, 'invitation')
    return show(await open(service, request, reply, link))
  })

  app.post(invitationPath, async (request, reply) => {
    const form = formIn(request)
    const visit = await open(service, request, reply, form.optional('link'))
    checkForm(visit, form, linkFormExpired)
    return await submit(visit, form)
  })

  app.post(passkeyPath, (request, reply) =>
    answerOptions(service, request, reply, linkFormExpired, {
      open: () => open(service, request, reply, Parameters.ofUrl(request.url).optional('link')),
      options: async (visit) => {
        const options = joins(visit) ? optionsForNew : asksOwn(visit) ? optionsForKnown : undefined
        if (options === undefined) throw linkFormExpired()
        return await options(visit)
      },
    }),
  )

  app.get(acceptedPath, async (request, reply) => {
    const session = await currentSession(service, request)
    const client_id = Parameters.ofUrl(request.url).optional('client_id', 200)
    const client = session && client_id ? await findClient(service.store, client_id) : undefined
    const brand = await brandingFor(service.store)
    const told = pageOf(request, { userLocale: session?.user.locale })
    const page = { ...told, brand, accountName: session?.user.name }
    const waits = session?.waits === true ? { forgotten: service.mail && forgottenPath } : undefined
    return sendPage(reply, acceptedPage({ ...page, client: client?.usable ? client : undefined, waits }))
  })
}

/** Throws `invitation_ended`. */
async function open(
  service: Service,
  request: FastifyRequest,
  reply: FastifyReply,
  link = '',
): Promise<InvitationVisit> {
  const opened = await openInvitation(service.store, link, service.now())
  if (opened === undefined) throw invitationEnded()
  const found = await currentSession(service, request)
  const isComplete =
    found?.user.active === 1 &&
    !choosesPassword(found) &&
    (!found.user.second_factor || hasSecondFactor(found))
  const userLocale = found?.user.locale ?? opened.invitation.locale ?? undefined
  const visit = await openPage(service, request, reply, {
    about: `invitation ${hashSecret(link)}`,
    action: invitationPath,
    hidden: { link },
    here: addressOf({ link }),
    userLocale,
  })
  return { ...opened, ...visit, link, session: isComplete ? found : undefined }
}

/** Somebody new is asked for an account. */
const joins = ({ session, isKnown, invitation }: InvitationVisit): boolean =>
  session === undefined && !isKnown && invitation.state === 'pending'

const isForThem = ({ session, invitation }: InvitationVisit): boolean =>
  session !== undefined && emailKey(session.user.email) === invitation.email_key

/** Whether the person sets a password or passkey of their own, which proves an account that nobody has proved. */
const asksOwn = (visit: InvitationVisit): boolean => visit.proves && isForThem(visit)

/** What is next: it depends on who is signed in, and on whether the address has an account. */
function show(visit: InvitationVisit): unknown {
  const { service, reply, page, invitation, offers, session, client, isKnown } = visit
  const account = maskedEmail(invitation.email)
  if (invitation.state === 'expired') {
    const html = expiredPage({ ...page, account, mails: service.mail !== undefined })
    return sendPage(reply, html, { status: 400 })
  }
  if (session !== undefined && !isForThem(visit))
    return sendPage(reply, otherPersonPage({ ...page, account, accountName: session.user.name }))
  if (session !== undefined) return askToAccept(visit, session)
  if (isKnown) return sendPage(reply, knownPage({ ...page, offers, client, account }))
  return askToJoin(visit)
}

async function submit(visit: InvitationVisit, form: Parameters): Promise<unknown> {
  const { reply, session, isKnown, invitation } = visit
  const asked = form.optional('do')
  if (invitation.state === 'expired') return asked === 'again' ? await sendAgain(visit) : show(visit)
  if (asked === 'switch' && session !== undefined) return await signOut(visit, session)
  if (asked === 'sign_in' && session === undefined && isKnown) return await signIn(visit)
  if (asked === 'accept' && session !== undefined && isForThem(visit))
    return await accept(visit, form, session)
  if (asked === 'join' && joins(visit)) return await join(visit, form)
  // Another form is due by now.
  return reply.redirect(addressOf(visit), 303)
}

async function sendAgain(visit: InvitationVisit): Promise<unknown> {
  const { service, request, reply, link: text, page, invitation } = visit
  if (service.mail === undefined) return show(visit)
  const from = { address: request.ip, requestId: request.id }
  await askAgain(service.store, service.mail, { text, now: service.now(), from })
  return sendPage(reply, sentAgainPage({ ...page, account: maskedEmail(invitation.email) }))
}

/** The browser keeps the link while it signs in: no database holds its text. */
async function signIn({ service, request, reply, link }: InvitationVisit): Promise<unknown> {
  setCookie(service, reply, 'invitation', link)
  return await signInHere(service, request, reply, invitationPath)
}

async function signOut(visit: InvitationVisit, { sid, user_uuid }: LiveSession): Promise<unknown> {
  const { service, request, reply } = visit
  const by = { actor: { kind: 'user', id: user_uuid }, address: request.ip, requestId: request.id } as const
  await endSession(service.store, sid, { now: service.now(), reason: 'logout', by })
  clearCookie(service, reply, 'session')
  return reply.redirect(addressOf(visit), 303)
}
