import { etagOf, versionsOf } from '../admin/conditions.ts'
import { operator } from '../admin/actor.ts'
import type { Administered } from '../admin/route.ts'
import { problemDocument } from '../http/problems.ts'
import { PasswordHasher } from '../identity/passwords.ts'
import { KeyRing } from '../keys/key-ring.ts'
import { keyTimes } from '../keys/key-times.ts'
import { ProtocolError } from '../protocol/errors.ts'
import { readDatabaseUrl, readIssuer, readSettings } from '../settings.ts'
import { openStore, type Store } from '../store/open.ts'
import type { Answered, Asking, Connection, Thing } from './connection.ts'
import { commandOrigin } from './origin.ts'
import { Refused } from './refused.ts'
import { openOurs } from './with-store.ts'
import type { World } from './world.ts'

/**
 * The handlers of the administration API, straight on the database that the settings name. Whoever can open that
 * may do everything: the audit names who ran the command. `make`: also one that is not there yet.
 */
export async function onDatabase(world: World, { make = false } = {}): Promise<Connection> {
  const { environment } = world
  const { databaseUrl, databaseLimits } = readDatabaseUrl(environment)
  const store = make ? await openStore(databaseUrl, databaseLimits) : await openOurs(world)
  const passwords = new PasswordHasher(1)
  const service = administered(store, passwords, environment)
  const origin = commandOrigin()
  return {
    ask: async (asking) => await answered(service, origin, asking),
    async close() {
      await passwords.close()
      await store.close()
    },
  }
}

function administered(
  store: Store,
  passwords: PasswordHasher,
  environment: World['environment'],
): Administered {
  return {
    store,
    passwords,
    // Few commands need it, and those that don't do without the setting.
    get issuer() {
      return readIssuer(environment)
    },
    get settings() {
      return readSettings(environment)
    },
    keys: {
      async rotate(by) {
        const settings = readSettings(environment)
        const longestTokenLife = Math.max(settings.lifetimes.accessToken, keyTimes.longestClientToken)
        const ring = await KeyRing.open({ store, ...settings, now: Date.now, longestTokenLife })
        return await ring.rotate(by)
      },
    },
  }
}

async function answered(
  service: Administered,
  origin: ReturnType<typeof commandOrigin>,
  { route, params = {}, query = new URLSearchParams(), body, match, overridesFile = false }: Asking,
): Promise<Answered> {
  const asked = {
    service,
    actor: operator(origin.actor),
    by: {
      ...origin,
      now: Date.now(),
      clientId: undefined,
      sid: undefined,
      holds: 'everything' as const,
      overridesFile,
    },
    param: (name: string) => params[name] ?? '',
    header: () => undefined,
    stillCounts: async () => true,
    closed: new AbortController().signal,
    repeatable: () => undefined,
  }
  try {
    const versions = versionsOf(match, route.method === 'PATCH')
    const answer = await route.answer({ ...asked, versions }, { query, body })
    // As it would have travelled.
    const sent = JSON.parse(JSON.stringify(answer.body ?? {})) as Thing
    return { body: sent, etag: answer.version === undefined ? undefined : etagOf(answer.version) }
  } catch (error) {
    throw error instanceof ProtocolError ? new Refused(problemDocument(error)) : error
  }
}
