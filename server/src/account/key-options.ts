import type { FastifyInstance } from 'fastify'
import { type CeremonyOptions, optionsAfterPassword, optionsToEnrol } from '../identity/factors/options.ts'
import { invalidRequest } from '../protocol/refusals.ts'
import type { Service } from '../service.ts'
import { answerOptions } from '../sign-in/page-visit.ts'
import { type AccountVisit, openAccount, otherSession } from './visit.ts'

export const keyOptionsPath = '/account/sign-in/passkey'

/** POST /account/sign-in/passkey. */
export function accountKeyOptions(app: FastifyInstance, service: Service): void {
  app.post(keyOptionsPath, (request, reply) =>
    answerOptions(service, request, reply, otherSession, {
      open: () => openAccount(service, request, reply, keyOptionsPath),
      options: optionsFor,
    }),
  )
}

async function optionsFor(
  visit: AccountVisit,
  purpose: string | undefined,
): Promise<CeremonyOptions | undefined> {
  const { service, session, holder } = visit
  if (purpose === 'second_factor')
    return await optionsAfterPassword(service, holder, session.user, 'preferred')
  if (purpose === 'passkey' || purpose === 'security_key')
    return await optionsToEnrol(service, holder, session.user, purpose)
  throw invalidRequest('The purpose is none of this page.')
}
