import { etagOf, versionsOf } from '../administration/conditions.ts'
import { operator } from '../administration/authority.ts'
import { type AdministrationService, isConditional } from '../administration/route.ts'
import { problemDocument } from '../protocol/problem.ts'
import { PasswordHasher } from '../identity/passwords.ts'
import { KeyRing } from '../keys/key-ring.ts'
import { longestTokenLife } from '../keys/key-times.ts'
import { ProtocolError } from '../protocol/errors.ts'
import { readIssuer, readSettings } from '../settings.ts'
import type { Store } from '../database/store.ts'
import { type Answered, type ApiCall, type ApiObject, type Connection, linesOf } from './connection.ts'
import { mailOf } from './mail-of.ts'
import { Refused } from './refused.ts'
import { commandOrigin, openOrMake, openOurs } from './with-store.ts'
import type { Context } from './context.ts'

/**
 * The handlers of the administration API, straight on the database that the settings name. Who can open that may do
 * everything; the audit names who ran the command. `make`: makes a database that is not there yet.
 */
export async function onDatabase(context: Context, { make = false } = {}): Promise<Connection> {
  const store = await (make ? openOrMake(context) : openOurs(context))
  const service = administered(store, new PasswordHasher(1, Date.now), context.environment)
  const origin = commandOrigin()
  return {
    ask: async (asking) => await answered(service, origin, asking),
    close: async () => await store.close(),
  }
}

function administered(
  store: Store,
  passwords: PasswordHasher,
  environment: Context['environment'],
): AdministrationService {
  return {
    store,
    passwords,
    // A getter: most commands do without the setting.
    get issuer() {
      return readIssuer(environment)
    },
    get settings() {
      return readSettings(environment)
    },
    get mail() {
      return mailOf(environment)
    },
    get declared(): never {
      throw new Error('tessera plan, apply and export do this on the database itself.')
    },
    keys: {
      async rotate(by, at) {
        const settings = readSettings(environment)
        const ring = await KeyRing.open({
          store,
          ...settings,
          now: Date.now,
          longestTokenLife: longestTokenLife(settings),
        })
        return await ring.rotate(by, at)
      },
    },
  }
}

async function answered(
  service: AdministrationService,
  origin: ReturnType<typeof commandOrigin>,
  { route, params = {}, query = new URLSearchParams(), body, match, overridesFile = false }: ApiCall,
): Promise<Answered> {
  const authority = operator(origin.actor)
  const asked = {
    service,
    by: {
      ...origin,
      now: Date.now(),
      client_id: undefined,
      sid: undefined,
      authority,
      overridesFile,
    },
    param: (name: string) => params[name] ?? '',
    header: () => undefined,
    stillCounts: async () => true,
    closed: new AbortController().signal,
    repeatable: () => undefined,
  }
  try {
    const versions = versionsOf(match, isConditional(route))
    const answer = await route.answer({ ...asked, versions }, { query, body })
    if (route.lines === true && answer.stream !== undefined)
      return { body: {}, etag: undefined, lines: linesOf(answer.stream.text) }
    // The answer as it would come by HTTP.
    const sent = JSON.parse(JSON.stringify(answer.body ?? {})) as ApiObject
    return { body: sent, etag: answer.version === undefined ? undefined : etagOf(answer.version) }
  } catch (error) {
    throw error instanceof ProtocolError ? new Refused(problemDocument(error)) : error
  }
}
