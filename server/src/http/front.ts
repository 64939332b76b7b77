import type { FastifyInstance } from 'fastify'
import { homeOf, homePath } from '../account/home.ts'
import { frontPage } from '../pages/front-page.tsx'
import { pageOf } from '../pages/locale.ts'
import { sendPage } from '../pages/send-page.ts'
import { apiDocUrl } from '../protocol/api-doc.ts'
import { consoleClient } from '../protocol/built-in-clients.ts'
import type { Service } from '../service.ts'
import { brandingFor } from '../store/brandings.ts'
import { acceptsHtml, nothingHere } from './errors.ts'

/** GET /: the applications of who is signed in; tells others what this is. Programs get 404. */
export function front(app: FastifyInstance, service: Service): void {
  const { issuer } = service
  const description = apiDocUrl(service)
  const consolePath = service.settings.console ? consoleClient.path : undefined
  app.get('/', async (request, reply) => {
    reply.header('vary', 'accept')
    if (!acceptsHtml(request)) throw nothingHere()
    const home = await homeOf(service, request, reply)
    if (home !== undefined) return sendPage(reply, home)
    const page = { ...pageOf(request), brand: await brandingFor(service.store) }
    return sendPage(reply, frontPage({ ...page, issuer, description, door: homePath, console: consolePath }))
  })
}
