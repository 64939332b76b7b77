import type { FastifyInstance } from 'fastify'
import {
  type CeremonyOptions,
  optionsAfterPassword,
  optionsToEnrol,
  optionsToSignIn,
} from '../identity/factors/options.ts'
import { invalidRequest } from '../protocol/refusals.ts'
import type { Service } from '../service.ts'
import { answerOptions, openPage, type PageVisit } from './page-visit.ts'
import { passkeyOptionsPath } from './passkey.ts'
import { findPending, otherForm, type Pending } from './steps.ts'

/** POST /sign-in/passkey: what the script of a page asks the browser for. */
export function passkeyOptions(app: FastifyInstance, running: Service): void {
  app.post(passkeyOptionsPath, (request, reply) =>
    answerOptions(running, request, reply, otherForm, {
      open: async () => {
        const { service, pending, session } = await findPending(running, request)
        const opening = { about: pending.id, action: passkeyOptionsPath }
        return { ...(await openPage(service, request, reply, opening)), session }
      },
      options: optionsFor,
    }),
  )
}

async function optionsFor(
  { service, holder, session }: PageVisit & Pick<Pending, 'session'>,
  purpose: string | undefined,
): Promise<CeremonyOptions | undefined> {
  if (purpose === 'sign_in') return await optionsToSignIn(service, holder)
  if (session !== undefined && purpose === 'second_factor')
    return await optionsAfterPassword(service, holder, session.user)
  if (session !== undefined && (purpose === 'passkey' || purpose === 'security_key'))
    return await optionsToEnrol(service, holder, session.user, purpose)
  throw invalidRequest('The purpose is none of this sign-in.')
}
