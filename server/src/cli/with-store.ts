import { readDatabaseUrl } from '../settings.ts'
import { openExisting, openStore, type Store } from '../store/open.ts'

/** Opens the database of TESSERA_DATABASE_URL for as long as the work takes. */
export async function withStore<T>(work: (store: Store) => Promise<T>): Promise<T> {
  const { databaseUrl, databaseLimits } = readDatabaseUrl(process.env)
  return await workOn(await openStore(databaseUrl, databaseLimits), work)
}

/** The same to read alone: nothing is changed, and a database that is not there is not made. */
export async function withStoreToRead<T>(work: (store: Store) => Promise<T>): Promise<T> {
  const { databaseUrl, databaseLimits } = readDatabaseUrl(process.env)
  const store = await openExisting(databaseUrl, databaseLimits)
  if (store === undefined)
    throw new Error('There is no database of Tessera where TESSERA_DATABASE_URL says: check it.')
  return await workOn(store, work)
}

async function workOn<T>(store: Store, work: (store: Store) => Promise<T>): Promise<T> {
  try {
    return await work(store)
  } finally {
    await store.close()
  }
}
