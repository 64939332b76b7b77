import { auditKeeper } from '../../dist/keys/audit-key.js'
import type { DatabaseLimits, Store } from '../../dist/database/store.js'
import { openStore as open } from '../../dist/database/open.js'
import { testSettings } from './settings.ts'

/** Opens the key of the audit as the services under test do. */
export const testKeeper = auditKeeper(() => testSettings({}))

/** A database of the tests, as a process of the product opens it. */
export const openStore = (url: string, limits?: DatabaseLimits): Promise<Store> =>
  open(url, testKeeper, limits)
