import type { FastifyInstance } from 'fastify'
import { frontPage } from '../pages/front-page.tsx'
import { pageOf } from '../pages/locale.ts'
import { sendPage } from '../pages/send-page.ts'
import { apiDocUrl } from '../protocol/api-doc.ts'
import type { Service } from '../service.ts'
import { acceptsHtml, nothingHere } from './errors.ts'

/** GET /: tells people what this is; programs get 404. */
export function front(app: FastifyInstance, service: Service): void {
  const { issuer } = service
  const description = apiDocUrl(service)
  app.get('/', async (request, reply) => {
    reply.header('vary', 'accept')
    if (!acceptsHtml(request)) throw nothingHere()
    return sendPage(reply, frontPage({ ...pageOf(request), issuer, description }))
  })
}
