import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Service } from '../service.ts'
import { applicationsWithAddress } from '../store/own-access.ts'
import { isWithinClient } from '../store/usable.ts'
import { homePage } from './home-page.tsx'
import { type AccountPage, isComplete } from './page.ts'
import { accountPath, openAccount } from './visit.ts'

/** The way in from the front page: a sign-in that ends there. */
export const homePath = '/home'
export const door: AccountPage = { path: homePath, show: ({ reply }) => reply.redirect('/', 303) }

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
  return homePage({ ...visit.page, accountName: user.name, applications: open, account: accountPath })
}
