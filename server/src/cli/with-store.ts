import { readDatabaseUrl } from '../settings.ts'
import { openStore, type Store } from '../store/open.ts'

/** Opens the database of TESSERA_DATABASE_URL for as long as the work takes. */
export async function withStore<T>(work: (store: Store) => Promise<T>): Promise<T> {
  const { databaseUrl, databaseLimits } = readDatabaseUrl(process.env)
  const store = await openStore(databaseUrl, databaseLimits)
  try {
    return await work(store)
  } finally {
    await store.close()
  }
}
