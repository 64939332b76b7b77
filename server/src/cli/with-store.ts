import { randomUUID } from 'node:crypto'
import { hostname, userInfo } from 'node:os'
import { settled } from '../audit/link.ts'
import type { Actor } from '../audit/record.ts'
import { auditKeeper } from '../keys/audit-key.ts'
import { readDatabaseUrl, readSecrets } from '../settings.ts'
import type { AuditKeeper } from '../database/audit-key.ts'
import type { Store } from '../database/store.ts'
import { openExisting, openStore } from '../database/open.ts'
import type { Context } from './context.ts'

/** The keeper of the audit key. It reads the service's secret when something is recorded first: reading needs none. */
export const keeperOf = (environment: Context['environment']): AuditKeeper =>
  auditKeeper(() => readSecrets(environment))

/** The keeper for what may make a database, which needs the secret at once. Throws `SettingsError`. */
export function expectedKeeper(environment: Context['environment']): AuditKeeper {
  const secrets = readSecrets(environment)
  return auditKeeper(() => secrets)
}

/** The database of TESSERA_DATABASE_URL, made or brought up to date. */
export async function openOrMake({ environment }: Context, tell?: (text: string) => void): Promise<Store> {
  const { databaseUrl, databaseLimits } = readDatabaseUrl(environment)
  return linkedAtClose(await openStore(databaseUrl, expectedKeeper(environment), databaseLimits, tell))
}

/** The database, where it is there: nobody wants an empty one at a mistyped address. */
export async function openOurs({ environment }: Context): Promise<Store> {
  const { databaseUrl, databaseLimits } = readDatabaseUrl(environment)
  const store = await openExisting(databaseUrl, keeperOf(environment), databaseLimits)
  if (store !== undefined) return linkedAtClose(store)
  throw new Error(
    'There is no database of Tessera where TESSERA_DATABASE_URL says: check it, or begin with tessera setup.',
  )
}

/** What a command recorded is linked before it ends: perhaps no service runs that would. */
function linkedAtClose(store: Store): Store {
  let hasRecorded = false
  store.onRecorded(() => (hasRecorded = true))
  const close = async () => {
    if (hasRecorded) await settled(store)
    await store.close()
  }
  return { ...store, close }
}

/** Opens it for as long as the work takes. */
export async function withStore<T>(context: Context, work: (store: Store) => Promise<T>): Promise<T> {
  const store = await openOurs(context)
  try {
    return await work(store)
  } finally {
    await store.close()
  }
}

/** The origin for the audit: who runs the command, where, and an id for all that this run does. */
export function commandOrigin(): { actor: Actor; requestId: string } {
  return { actor: { kind: 'command', id: `${userName()}@${hostname()}` }, requestId: randomUUID() }
}

/** The name of the user, who in a container often has a number alone. */
function userName(): string {
  try {
    return userInfo().username
  } catch {
    return `uid-${process.getuid?.() ?? 'unknown'}`
  }
}
