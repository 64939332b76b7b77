import type { FastifyReply, FastifyRequest } from 'fastify'
import { addressPath, tellOfAddress } from '../mail/address.ts'
import { sendPage } from '../pages/send-page.ts'
import { emailProblem } from '../protocol/email-address.ts'
import { Parameters } from '../protocol/parameters.ts'
import { administratorsChangeAddresses } from '../protocol/policy.ts'
import type { Service } from '../service.ts'
import { clearCookie, readCookie, setCookie } from '../sign-in/browser.ts'
import { browserLabel } from '../sign-in/browser-label.ts'
import { askForAddress, confirmAddress, readConfirmation } from '../store/change-address.ts'
import { addToLimit } from '../store/limits.ts'
import { isAddressKept, managerOfUser } from '../store/own-account.ts'
import { policiesOf } from '../store/person.ts'
import { installationPolicy } from '../store/policies.ts'
import {
  type AddressError,
  type ChangedBy,
  confirmPage,
  endedPage,
  otherPersonPage,
} from './address-page.tsx'
import type { AccountPage } from './page.ts'
import { type AccountVisit, originOf } from './visit.ts'

const day = 24 * 3_600_000
/** The most changes asked for in a day. Each is a mail to an address that nobody has proved. */
const mostAsked = 5

export async function changedBy({ service, session }: AccountVisit): Promise<ChangedBy> {
  const file = await managerOfUser(service.store, session.user_uuid)
  if (file !== undefined) return { file }
  if (service.mail === undefined) return 'administrator'
  // Whoever knows the password would take what waits for its person along to a mailbox of theirs.
  if (session.waits) return 'administrator'
  if (await isAddressKept(service.store, session.user_uuid)) return 'administrator'
  const ofProfiles = session.profiles.flatMap(policiesOf)
  const all = [await installationPolicy(service.store), ...ofProfiles]
  return administratorsChangeAddresses(all) ? 'administrator' : 'self'
}

/** Asks for another address; what is wrong with it, or nothing: the answer tells not whether somebody has it already. */
export async function changeAddress(visit: AccountVisit, email: string): Promise<AddressError | undefined> {
  const { service, request, session, page } = visit
  const { store, mail } = service
  const { user_uuid, user } = session
  const now = service.now()
  if (emailProblem(email) !== undefined) return 'wrong'
  if (email === user.email) return 'same'
  if (mail === undefined) return undefined
  const { count } = await addToLimit(store, `address ${user_uuid}`, { by: 1, now, window: day })
  if (count > mostAsked) return 'often'
  const asking = {
    uuid: user_uuid,
    name: user.name,
    locale: user.locale ?? page.locale,
    zone: user.zoneinfo ?? 'UTC',
    email,
    browser: browserLabel(request.headers['user-agent']),
    network: request.ip,
    now,
  }
  const change = { user_uuid, now, by: originOf(visit) }
  await askForAddress(store, email, change, (trx, asked) => tellOfAddress(trx, mail, asked, asking))
  return undefined
}

/** Confirms a new address, for the person who asked for it. GET changes nothing: scanners open links in mails. */
export const addressPage: AccountPage = {
  path: addressPath,
  arrive: keepLink,
  show,
  plain: { confirm },
  kept: ['link'],
}

const linkOf = (request: FastifyRequest) => Parameters.ofUrl(request.url).optional('link')

/** The browser keeps the link while it signs in: no database holds its text. */
function keepLink(service: Service, request: FastifyRequest, reply: FastifyReply): void {
  const link = linkOf(request)
  if (link !== undefined && /^[\w-]{43}$/.test(link)) setCookie(service, reply, 'address', link)
}

async function show(visit: AccountVisit): Promise<unknown> {
  const { service, request, reply, page, session } = visit
  const link = linkOf(request) ?? readCookie(service, request, 'address') ?? ''
  const asked = await readConfirmation(service.store, link, service.now())
  if (asked === undefined) return ended(visit)
  const { email } = session.user
  if (asked.user_uuid !== session.user_uuid)
    return sendPage(reply, otherPersonPage({ ...page, email }), { status: 403 })
  if (asked.from !== email || (await changedBy(visit)) !== 'self') return ended(visit)
  return sendPage(reply, confirmPage({ ...page, from: email, to: asked.to, link }))
}

async function confirm(visit: AccountVisit, form: Parameters): Promise<unknown> {
  const { service, reply, session } = visit
  const link = form.optional('link') ?? ''
  const change = { user_uuid: session.user_uuid, now: service.now(), by: originOf(visit) }
  const may = (await changedBy(visit)) === 'self'
  if (!may || !(await confirmAddress(service.store, link, change))) return ended(visit)
  clearCookie(service, reply, 'address')
  return reply.redirect('/account/person?done=changed', 303)
}

const ended = ({ reply, page }: AccountVisit) => sendPage(reply, endedPage(page), { status: 400 })
