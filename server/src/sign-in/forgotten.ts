import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { forgotPassword } from '../identity/forgotten-password.ts'
import { sendPage } from '../pages/send-page.ts'
import { ProtocolError } from '../protocol/errors.ts'
import { Parameters } from '../protocol/parameters.ts'
import { otherBrowser } from '../protocol/refusals.ts'
import type { Service } from '../service.ts'
import type { PendingRequest } from '../store/authorization-requests.ts'
import { requestAndSession } from './browser.ts'
import { askedBy } from './here.ts'
import { forgottenPage, type ForgottenPageProps, forgottenSentPage } from './forgotten-page.tsx'
import { checkForm, formIn, openPage, type PageVisit } from './page-visit.ts'
import { forgottenPath, resetPath } from './reset-paths.ts'

/** The page at which who forgot a password has a link sent. Its answer is the same for every address. */
export function forgottenPassword(app: FastifyInstance, service: Service): void {
  app.get(forgottenPath, async (request, reply) => {
    const visit = await openForgotten(service, request, reply)
    return show(visit, { email: visit.pending?.parameters.loginHint })
  })

  app.post(forgottenPath, async (request, reply) => {
    const visit = await openForgotten(service, request, reply)
    const form = formIn(request)
    checkForm(visit, form, otherBrowser)
    const email = form.optional('email', 320)
    if (email === undefined) return show(visit, { error: 'missing' })
    const { pending, page, back } = visit
    const from = { address: request.ip, requestId: request.id }
    const forgotten = {
      email,
      from,
      pendingId: pending?.id,
      client_id: pending && askedBy(pending.client_id),
    }
    await forgotPassword(service, forgotten, async (trx, { user, text, expiresAt, now }) => {
      await visit.mail.post(trx, {
        kind: 'password_reset',
        to: { address: user.email, name: user.name },
        locale: user.locale ?? page.locale,
        data: { minutes: Math.round((expiresAt - now) / 60_000) },
        link: { path: resetPath, text },
        expiresAt,
        user_uuid: user.uuid,
        // Counted by the hour: otherwise who asks for many would silence it for the rest of the day.
        always: true,
        now,
      })
    })
    return sendPage(reply, forgottenSentPage({ ...page, email, back, again: page.action }))
  })
}

interface ForgottenVisit extends PageVisit {
  mail: NonNullable<Service['mail']>
  /** The sign-in that it was begun from, if this browser has one that waits. */
  pending: PendingRequest | undefined
  back: string | undefined
}

async function openForgotten(
  service: Service,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<ForgottenVisit> {
  const { mail } = service
  if (mail === undefined)
    throw new ProtocolError('not_found', 'This service sends no mail: ask the people who run it for a link.')
  const id = Parameters.ofUrl(request.url).optional('request')
  const { pending } = await requestAndSession(service, request, id)
  const query = pending === undefined ? '' : `?request=${pending.id}`
  const visit = await openPage(service, request, reply, {
    about: 'forgotten password',
    action: `${forgottenPath}${query}`,
    uiLocales: pending?.parameters.uiLocales,
  })
  return { ...visit, mail, pending, back: pending && `/sign-in${query}` }
}

function show({ reply, page, back }: ForgottenVisit, shown: Pick<ForgottenPageProps, 'email' | 'error'>) {
  const status = shown.error === undefined ? 200 : 400
  return sendPage(reply, forgottenPage({ ...page, back, ...shown }), { status })
}
