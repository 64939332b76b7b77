import type { RootOperationNode } from 'kysely'
import { settled } from '../../dist/audit/link.js'
import { auditKeeper } from '../../dist/keys/audit-key.js'
import type { DatabaseLimits, Store } from '../../dist/database/store.js'
import { openStore as open } from '../../dist/database/open.js'
import { testSettings } from './settings.ts'

/** Opens the key of the audit as the services under test do. */
export const testKeeper = auditKeeper(() => testSettings({}))

/** A database of the tests, as a process of the product opens it. What was recorded before stands in the chain. */
export async function openStore(url: string, limits?: DatabaseLimits): Promise<Store> {
  const store = await open(url, testKeeper, limits)
  await allLinked(store)
  return store
}

/** Links what waits to the chain, however long it takes, as far as that can be done. */
export async function allLinked(store: Store): Promise<void> {
  const waiting = store.db.selectFrom('audit_waiting').select('number')
  // A test may have taken the table away.
  const count = async () => (await waiting.execute().catch(() => [])).length
  for (let before = Infinity, now = await count(); now > 0 && now < before; ) {
    before = now
    await settled(store)
    now = await count()
  }
}

/** The store, whose every statement is told of before it runs, and after it what it yielded. */
export function watched(
  store: Store,
  asked: (statement: RootOperationNode, id: object) => void,
  answered: (rows: readonly object[], id: object) => Promise<unknown> | void = () => undefined,
): Store {
  const db = store.db.withPlugin({
    transformQuery: ({ node, queryId }) => {
      asked(node, queryId)
      return node
    },
    transformResult: async ({ result, queryId }) => {
      await answered(result.rows as object[], queryId)
      return result
    },
  })
  return { ...store, db }
}
