/** The page where people type the name and password of their organisation's directory (LDAP). */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { reachingOf } from '../upstream/fetch.ts'
import { ldapAssertion } from '../upstream/ldap.ts'
import { UpstreamRefusal } from '../upstream/refusal.ts'
import { sendPage } from '../pages/send-page.ts'
import { Parameters } from '../protocol/parameters.ts'
import { requestOver } from '../protocol/refusals.ts'
import type { Service } from '../service.ts'
import { readCookie } from './browser.ts'
import { goOn, type Visit } from './step.ts'
import { formOf, openStep } from './steps.ts'
import { activeUpstream } from './upstream.ts'
import { answerByUpstream } from './upstream-answer.ts'
import { failUpstream, recordRefusal } from './upstream-failed.ts'
import { directoryPage, type DirectoryPageProps } from './upstream-page.tsx'
import { directoryPath } from './upstream-paths.ts'

export function directoryRoutes(app: FastifyInstance, service: Service): void {
  app.get(directoryPath, async (request, reply) => {
    const { visit, uuid } = await open(service, request, reply)
    return await shown(visit, uuid, {})
  })

  app.post(directoryPath, async (request, reply) => {
    const { visit, uuid, stepUp } = await open(service, request, reply)
    const form = await formOf(visit)
    const [name, password] = [form.optional('name', 320), form.optional('password', 500)]
    if (name === undefined || password === undefined)
      return await shown(visit, uuid, { typed: name, error: 'missing' })
    return await prove(visit, { uuid, name, password, stepUp })
  })
}

/** The page of an upstream, which the address names, in a sign-in of this browser. */
async function open(service: Service, request: FastifyRequest, reply: FastifyReply) {
  const uuid = Parameters.ofUrl(request.url).optional('upstream') ?? ''
  const id = Parameters.ofUrl(request.url).optional('request') ?? ''
  const { visit, answer } = await openStep(service, request, reply, { path: directoryPath, id })
  if (!/^[0-9a-f-]{36}$/.test(uuid)) throw requestOver()
  const action = `${directoryPath}?request=${id}&upstream=${uuid}`
  // The organisation of a profile asks for it: one more proof of who is signed in.
  const stepUp = answer.kind === 'missing' && answer.step.path !== '/sign-in'
  return { visit: { ...visit, page: { ...visit.page, action } }, uuid, stepUp }
}

async function prove(
  visit: Visit,
  { uuid, name, password, stepUp }: { uuid: string; name: string; password: string; stepUp: boolean },
): Promise<unknown> {
  const { service, request } = visit
  try {
    const upstream = await activeUpstream(service, uuid)
    if (upstream.kind !== 'ldap') return goOn(visit)
    const device = readCookie(service, request, 'device')
    const asking = { ...reachingOf(service), store: service.store }
    const assertion = await ldapAssertion(asking, upstream, { name, password, device }, service.now())
    return await answerByUpstream(visit, upstream, { assertion, stepUp })
  } catch (error) {
    if (!(error instanceof UpstreamRefusal)) throw error
    if (error.code === 'wrong_credentials' || error.code === 'throttled')
      await recordRefusal(visit, { uuid }, error)
    if (error.code === 'wrong_credentials')
      return await shown(visit, uuid, { typed: name, error: 'wrongCredentials' })
    if (error.code === 'throttled') return await shown(visit, uuid, { typed: name, error: 'throttled' })
    return await failUpstream(visit, { uuid }, error)
  }
}

async function shown(
  visit: Visit,
  uuid: string,
  view: Pick<DirectoryPageProps, 'typed' | 'error'>,
): Promise<unknown> {
  try {
    const { name } = await activeUpstream(visit.service, uuid)
    const status = view.error === undefined ? 200 : view.error === 'throttled' ? 429 : 400
    return sendPage(visit.reply, directoryPage({ ...visit.page, name, ...view }), { status, leadsAway: true })
  } catch (error) {
    if (error instanceof UpstreamRefusal) return await failUpstream(visit, { uuid }, error)
    throw error
  }
}
