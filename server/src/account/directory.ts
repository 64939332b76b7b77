/** The page of the account where people type the name and password of their organisation's directory (LDAP). */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { sendPage } from '../pages/send-page.ts'
import { Parameters } from '../protocol/parameters.ts'
import { requestOver } from '../protocol/refusals.ts'
import type { Service } from '../service.ts'
import { readCookie } from '../sign-in/browser.ts'
import { checkForm, formIn } from '../sign-in/page-visit.ts'
import { activeUpstream } from '../sign-in/upstream.ts'
import { directoryPage, type DirectoryPageProps } from '../sign-in/upstream-page.tsx'
import {
  findUpstreamRequest,
  takeUpstreamRequest,
  type UpstreamRequestRow,
} from '../store/upstream-requests.ts'
import { reachingOf } from '../upstream/fetch.ts'
import { ldapAssertion } from '../upstream/ldap.ts'
import { UpstreamRefusal } from '../upstream/refusal.ts'
import {
  accountDirectoryPath,
  type AccountPurpose,
  type Came,
  failThere,
  goOnWith,
  recordThere,
} from './upstream-there.ts'
import { type AccountVisit, openAccount, otherSession } from './visit.ts'

type Comes = Readonly<Record<AccountPurpose, Came>>

export function accountDirectory(app: FastifyInstance, service: Service, comes: Comes): void {
  app.get(accountDirectoryPath, { exposeHeadRoute: false }, async (request, reply) =>
    shown(await open(service, request, reply), {}),
  )
  app.post(accountDirectoryPath, async (request, reply) => {
    const asked = await open(service, request, reply)
    const form = formIn(request)
    checkForm(asked.visit, form, otherSession)
    if (form.optional('choice') === 'cancel') return reply.redirect('/account', 303)
    const [name, password] = [form.optional('name', 320), form.optional('password', 500)]
    if (name === undefined || password === undefined)
      return await shown(asked, { typed: name, error: 'missing' })
    return await prove(asked, { name, password }, comes)
  })
}

interface OpenedDirectory {
  visit: AccountVisit
  state: string
  waiting: UpstreamRequestRow
  purpose: AccountPurpose
}

/** What waits for a directory in this session. Throws `request_expired` where nothing does. */
async function open(
  service: Service,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<OpenedDirectory> {
  const state = Parameters.ofUrl(request.url).optional('state', 100) ?? ''
  const action = `${accountDirectoryPath}?state=${encodeURIComponent(state)}`
  const visit = await openAccount(service, request, reply, action)
  for (const purpose of ['proof', 'connect'] as const) {
    const waiting = await findUpstreamRequest(service.store, { state, purpose, now: service.now() })
    if (visit !== undefined && waiting?.about === visit.session.sid) return { visit, state, waiting, purpose }
  }
  throw requestOver()
}

async function prove(
  asked: OpenedDirectory,
  typed: { name: string; password: string },
  comes: Comes,
): Promise<unknown> {
  const { visit, state, waiting, purpose } = asked
  const { service, request, browser } = visit
  const uuid = waiting.upstream_uuid
  const now = service.now()
  try {
    const upstream = await activeUpstream(service, uuid)
    if (upstream.kind !== 'ldap') throw requestOver()
    const asking = { ...reachingOf(service), store: service.store }
    const device = readCookie(service, request, 'device')
    const assertion = await ldapAssertion(asking, upstream, { ...typed, device }, now)
    const taking = { state, browser, purposes: [purpose], now }
    const taken = await takeUpstreamRequest(service.store.db, taking)
    if (taken === undefined) throw requestOver()
    const proved = () => Promise.resolve(assertion)
    return await goOnWith(visit, { taken, purpose, proved, came: comes[purpose] })
  } catch (error) {
    if (!(error instanceof UpstreamRefusal)) throw error
    const told = error.code === 'wrong_credentials' ? 'wrongCredentials' : error.code
    if (told !== 'wrongCredentials' && told !== 'throttled')
      return await failThere(visit, { uuid, purpose }, error)
    await recordThere(visit, { uuid, purpose }, error)
    return await shown(asked, { typed: typed.name, error: told })
  }
}

async function shown(
  { visit, waiting, purpose }: OpenedDirectory,
  view: Pick<DirectoryPageProps, 'typed' | 'error'>,
): Promise<unknown> {
  const uuid = waiting.upstream_uuid
  try {
    const { name } = await activeUpstream(visit.service, uuid)
    const status = view.error === undefined ? 200 : view.error === 'throttled' ? 429 : 400
    return sendPage(visit.reply, directoryPage({ ...visit.page, name, ...view }), { status })
  } catch (error) {
    if (error instanceof UpstreamRefusal) return await failThere(visit, { uuid, purpose }, error)
    throw error
  }
}
