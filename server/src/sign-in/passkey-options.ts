import type { FastifyInstance, FastifyRequest } from 'fastify'
import { addressKey } from '../identity/address.ts'
import {
  type Options,
  optionsAfterPassword,
  optionsToEnrol,
  optionsToSignIn,
} from '../identity/factors/options.ts'
import { invalidRequest } from '../protocol/refusals.ts'
import type { Service } from '../service.ts'
import { holderOf, noPasskeys, passkeyOptionsPath } from './passkey.ts'
import { findPending, formFromBrowser, type Pending } from './steps.ts'

/** POST /sign-in/passkey: what the script of a page asks the browser for. Counted as authorization requests are. */
export function passkeyOptions(app: FastifyInstance, running: Service): void {
  app.post(passkeyOptionsPath, async (request, reply) => {
    const { authorize } = running.limits
    authorize.check(addressKey(request.ip))
    authorize.count(addressKey(request.ip))
    const found = await findPending(running, request)
    const form = formFromBrowser({ ...found, request })
    const options = await optionsFor(found, request, form.optional('purpose'))
    reply.header('cache-control', 'no-store')
    return options ?? noPasskeys()
  })
}

async function optionsFor(
  { service, pending, session }: Pending,
  request: FastifyRequest,
  purpose: string | undefined,
): Promise<Options | undefined> {
  const holder = holderOf({ service, request, pending })
  if (purpose === 'sign_in') return await optionsToSignIn(service, holder)
  if (session !== undefined && purpose === 'second_factor')
    return await optionsAfterPassword(service, holder, session.user)
  if (session !== undefined && (purpose === 'passkey' || purpose === 'security_key'))
    return await optionsToEnrol(service, holder, session.user, purpose)
  throw invalidRequest('The purpose is none of this sign-in.')
}
