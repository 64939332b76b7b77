import type { RootOperationNode } from 'kysely'
import { auditKeeper } from '../../dist/keys/audit-key.js'
import type { DatabaseLimits, Store } from '../../dist/database/store.js'
import { openStore as open } from '../../dist/database/open.js'
import { testSettings } from './settings.ts'

/** Opens the key of the audit as the services under test do. */
export const testKeeper = auditKeeper(() => testSettings({}))

/** A database of the tests, as a process of the product opens it. */
export const openStore = (url: string, limits?: DatabaseLimits): Promise<Store> =>
  open(url, testKeeper, limits)

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
