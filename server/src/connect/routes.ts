/**
 * `connect/` owns the guide that a set-up link leads to: an organisation sets up its sign-in itself, without an account.
 * GET and HEAD change nothing: scanners open links in mails. What is entered counts nowhere; who makes such a link and
 * who confirms what was handed in, `administration/upstream-invitations` decides.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import {
  beginUpstreamInvitation,
  openUpstreamInvitation,
  upstreamInvitationEnded,
} from '../administration/upstream-invitations/entering.ts'
import { connectPath } from '../administration/upstream-invitations/routes.ts'
import { pageOf } from '../pages/locale.ts'
import { sendPage } from '../pages/send-page.ts'
import { Parameters } from '../protocol/parameters.ts'
import { linkFormExpired } from '../protocol/refusals.ts'
import type { Service } from '../service.ts'
import { readCookie, setCookie } from '../sign-in/browser.ts'
import { checkForm, formIn } from '../sign-in/page-visit.ts'
import { uploads } from '../sign-in/upload.ts'
import { beginPage, guidePage, type StepStates } from './guide-page.tsx'
import { domainStep, finishStep, provisioningStep, providerStep, type StepOf } from './steps.ts'
import { trialStep } from './trial-step.ts'
import { valuesStep } from './values-step.ts'
import { type ConnectVisit, isWithinLimit, openConnect, pathOf, type GuideStep } from './visit.ts'

export function connectPages(app: FastifyInstance, service: Service): void {
  app.get(connectPath, async (request, reply) => {
    const link = Parameters.ofUrl(request.url).optional('link')
    if (link !== undefined) return await keepLink(service, request, reply, link)
    const visit = await openConnect(service, request, reply, connectPath)
    return visit.row.opened_at === null ? begin(visit) : overview(visit)
  })

  app.post(connectPath, async (request, reply) => {
    const visit = await openConnect(service, request, reply, connectPath)
    checkForm(visit, formIn(request), linkFormExpired)
    if (visit.row.opened_at === null)
      setCookie(service, reply, 'connect', await beginUpstreamInvitation(service.store, visit.holding))
    return reply.redirect(connectPath, 303)
  })

  const at = (scope: FastifyInstance, step: GuideStep, { show, submit }: StepOf) => {
    const open = async (request: FastifyRequest, reply: FastifyReply) => {
      const visit = await openConnect(service, request, reply, pathOf(step))
      return visit.row.opened_at === null ? undefined : visit
    }
    scope.get(pathOf(step), async (request, reply) => {
      const visit = await open(request, reply)
      return visit === undefined ? reply.redirect(connectPath, 303) : show(visit)
    })
    scope.post(pathOf(step), async (request, reply) => {
      const visit = await open(request, reply)
      const form = formIn(request)
      if (visit === undefined) throw upstreamInvitationEnded()
      checkForm(visit, form, linkFormExpired)
      if (!(await isWithinLimit(visit))) return show(visit, { throttled: true })
      return await submit(visit, form)
    })
  }
  at(app, 'provider', providerStep)
  at(app, 'domain', domainStep)
  at(app, 'trial', trialStep)
  at(app, 'provisioning', provisioningStep)
  at(app, 'finish', finishStep)
  // Only this page takes a file.
  void app.register(async (withFiles) => {
    uploads(withFiles)
    at(withFiles, 'values', valuesStep)
  })
}

/** Keeps the link in a cookie, so that it leaves the address bar. A browser that began by it goes on. */
async function keepLink(
  service: Service,
  request: FastifyRequest,
  reply: FastifyReply,
  link: string,
): Promise<FastifyReply> {
  const opened = await openUpstreamInvitation(service.store, link, service.now())
  if (opened !== undefined && opened.row.opened_at === null) setCookie(service, reply, 'connect', link)
  else {
    const known = readCookie(service, request, 'connect') ?? ''
    if ((await openUpstreamInvitation(service.store, known, service.now())) === undefined)
      throw upstreamInvitationEnded()
  }
  return reply.redirect(connectPath, 303)
}

function begin({ reply, page, organisation, row }: ConnectVisit): unknown {
  const format = new Intl.DateTimeFormat(page.locale, {
    dateStyle: 'long',
    timeStyle: 'short',
    timeZone: 'UTC',
  })
  const until = `${format.format(row.expires_at)} UTC`
  return sendPage(reply, beginPage({ ...page, organisation, until }))
}

function overview({ reply, request, page, organisation, entry, row }: ConnectVisit): unknown {
  const states: StepStates = {
    provider: entry.provider === undefined ? 'toDo' : 'done',
    values: entry.values === undefined ? 'toDo' : 'done',
    domain: (entry.domain?.found_at ?? null) === null ? 'toDo' : 'done',
    trial: row.tried_at === null ? 'toDo' : 'done',
    provisioning: entry.directory === undefined ? 'optional' : 'done',
    finish: 'toDo',
  }
  return sendPage(reply, guidePage({ ...page, ...pageOf(request), organisation, states }))
}
