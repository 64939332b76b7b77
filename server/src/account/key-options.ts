import type { FastifyInstance } from 'fastify'
import { addressKey } from '../identity/address.ts'
import { type Options, optionsAfterPassword, optionsToEnrol } from '../identity/factors/options.ts'
import { ProtocolError } from '../protocol/errors.ts'
import { invalidRequest } from '../protocol/refusals.ts'
import type { Service } from '../service.ts'
import { csrfMatches } from '../sign-in/browser.ts'
import { noPasskeys } from '../sign-in/passkey.ts'
import { type AccountVisit, csrfForm, formOf, holderOf, openAccount } from './visit.ts'

export const keyOptionsPath = '/account/sign-in/passkey'

/** POST /account/sign-in/passkey: counted as authorization requests are. */
export function accountKeyOptions(app: FastifyInstance, service: Service): void {
  app.post(keyOptionsPath, async (request, reply) => {
    const { authorize } = service.limits
    authorize.check(addressKey(request.ip))
    authorize.count(addressKey(request.ip))
    const visit = await openAccount(service, request, reply, keyOptionsPath)
    const form = formOf(request)
    if (visit === undefined || !csrfMatches(visit.browser, csrfForm(visit.session), form.optional('csrf')))
      throw new ProtocolError('form_expired', 'The form does not belong to this session. Open it again.')
    reply.header('cache-control', 'no-store')
    return (await optionsFor(visit, form.optional('purpose'))) ?? noPasskeys()
  })
}

async function optionsFor(visit: AccountVisit, purpose: string | undefined): Promise<Options | undefined> {
  const { service, session } = visit
  const holder = holderOf(visit)
  if (purpose === 'second_factor')
    return await optionsAfterPassword(service, holder, session.user, 'preferred')
  if (purpose === 'passkey' || purpose === 'security_key')
    return await optionsToEnrol(service, holder, session.user, purpose)
  throw invalidRequest('The purpose is none of this page.')
}
