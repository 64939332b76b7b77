import type { FastifyInstance } from 'fastify'
import { developmentMailPage, developmentMailPath, developmentMailsPage } from '../mail/development-page.tsx'
import type { DevelopmentMail } from '../mail/transport.ts'
import { sendPage } from '../pages/send-page.ts'
import type { Service } from '../service.ts'
import { acceptsHtml, nothingHere } from './errors.ts'

/** The mails of a service in development that has no mail server; programs get them as JSON. Not there otherwise. */
export function developmentMail(app: FastifyInstance, { mail }: Service): void {
  const box = mail?.box
  if (box === undefined) return
  const one = (params: unknown): DevelopmentMail => {
    const { id } = params as { id: string }
    const found = box.find((each) => each.id === id)
    if (found === undefined) throw nothingHere()
    return found
  }
  app.get(developmentMailPath, async (request, reply) => {
    reply.header('vary', 'accept').header('cache-control', 'no-store')
    if (!acceptsHtml(request)) return await reply.send({ mails: box })
    return sendPage(reply, developmentMailsPage({ locale: 'en', requestId: request.id, mails: box }))
  })
  app.get(`${developmentMailPath}/:id`, async (request, reply) =>
    sendPage(reply, developmentMailPage({ locale: 'en', requestId: request.id, mail: one(request.params) })),
  )
  app.get(`${developmentMailPath}/:id/html`, async (request, reply) => {
    sendPage(reply, one(request.params).html)
    // The styles of a mail stand in it.
    reply.header('content-security-policy', policy)
  })
}

const policy =
  "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
