import type { FastifyReply, FastifyRequest } from 'fastify'
import { consoleClient } from '../protocol/built-in-clients.ts'
import { iamService, serviceOf } from '../protocol/permission.ts'
import type { Service } from '../service.ts'
import { applicationsWithAddress } from '../store/own-access.ts'
import { permissionsOfRole } from '../store/roles.ts'
import { isWithinClient } from '../store/usable.ts'
import { homePage } from './home-page.tsx'
import { type AccountPage, isComplete } from './page.ts'
import { accountPath, type AccountVisit, openAccount } from './visit.ts'

/** The way in from the front page: a sign-in that ends there. */
export const homePath = '/home'
export const door: AccountPage = {
  path: homePath,
  ofProfiles: true,
  show: ({ reply }) => reply.redirect('/', 303),
}

/** The front page of who is signed in: the applications that they may open. Undefined: nobody is. */
export async function homeOf(
  service: Service,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<string | undefined> {
  const visit = await openAccount(service, request, reply, '/')
  if (visit === undefined || !(await isComplete(visit))) return undefined
  const { user, profiles } = visit.session
  const all = await applicationsWithAddress(service.store)
  const open = all.filter((one) => profiles.some((profile) => isWithinClient(profile, one)))
  const console = await consoleOf(visit)
  return homePage({
    ...visit.page,
    accountName: user.name,
    applications: open,
    console,
    account: accountPath,
  })
}

/** The path of the console, for a person who may administer something. */
export async function consoleOf({ service: { store, settings }, session }: AccountVisit) {
  if (!settings.console) return undefined
  const permissions = await Promise.all(
    session.profiles.map(({ role_code }) => permissionsOfRole(store, role_code)),
  )
  const administers = permissions.flat().some((one) => serviceOf(one) === iamService)
  return administers ? consoleClient.path : undefined
}
