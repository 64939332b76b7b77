import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { notMePath } from '../mail/notices.ts'
import { pageOf } from '../pages/locale.ts'
import { sendPage } from '../pages/send-page.ts'
import { hashSecret } from '../protocol/identifier.ts'
import { Parameters } from '../protocol/parameters.ts'
import { linkFormExpired } from '../protocol/refusals.ts'
import type { Service } from '../service.ts'
import { checkForm, formIn, openPage } from '../sign-in/page-visit.ts'
import { type Notice, readNotice, repudiate } from '../store/repudiation.ts'
import { unlinkRecent } from '../upstream/unlink-recent.ts'
import { notMeDonePage, notMeEndedPage, notMePage } from './not-me-page.tsx'
import { accountPath } from './visit.ts'

const openNotMe = async (service: Service, request: FastifyRequest, reply: FastifyReply, link: string) =>
  await openPage(service, request, reply, {
    about: `not me ${hashSecret(link)}`,
    action: notMePath,
    hidden: { link },
  })

/**
 * “This was not me”, in any browser and without a sign-in: who gets the notice may no longer be able to sign in. GET and
 * HEAD change nothing: scanners open links in mails.
 */
export function notMe(app: FastifyInstance, service: Service): void {
  app.get(notMePath, async (request, reply) => {
    const link = Parameters.ofUrl(request.url).optional('link') ?? ''
    const notice = await readNotice(service.store, link, service.now())
    if (notice === undefined) return ended(request, reply)
    const { page } = await openNotMe(service, request, reply, link)
    return sendPage(reply, notMePage({ ...page, ...outcomeOf(notice) }))
  })

  app.post(notMePath, async (request, reply) => {
    const form = formIn(request)
    const link = form.optional('link') ?? ''
    const visit = await openNotMe(service, request, reply, link)
    checkForm(visit, form, linkFormExpired)
    const from = { address: request.ip, requestId: request.id }
    const done = await repudiate(service.store, link, {
      now: service.now(),
      from,
      unlink: unlinkRecent,
    })
    if (!done) return ended(request, reply)
    return sendPage(reply, notMeDonePage({ ...visit.page, here: undefined, account: accountPath }))
  })
}

/** What pressing the button comes to. A factor that was set up and removed again goes for good: it does not come back. */
function outcomeOf({ events }: Notice): { undone: string[]; stands: boolean } {
  const undoing = events.filter(({ undoes }) => undoes)
  const made = undoing.flatMap(({ event, factor }) => (event === 'factor_created' ? [factor] : []))
  const undone = undoing
    .filter(({ event, factor }) => event !== 'factor_removed' || !made.includes(factor))
    .map(({ event }) => event)
  return { undone, stands: undoing.length < events.length }
}

const ended = (request: FastifyRequest, reply: FastifyReply): unknown =>
  sendPage(reply, notMeEndedPage({ ...pageOf(request), account: accountPath }), { status: 400 })
