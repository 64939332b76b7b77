import { readDatabaseUrl } from '../settings.ts'
import { openExisting, openStore, type Store } from '../store/open.ts'
import type { World } from './world.ts'

/** Opens the database of TESSERA_DATABASE_URL for as long as the work takes. */
export async function withStore<T>({ environment }: World, work: (store: Store) => Promise<T>): Promise<T> {
  const { databaseUrl, databaseLimits } = readDatabaseUrl(environment)
  return await workOn(await openStore(databaseUrl, databaseLimits), work)
}

/** The same to read alone: nothing is changed, and a database that is not there is not made. */
export async function withStoreToRead<T>(
  { environment }: World,
  work: (store: Store) => Promise<T>,
): Promise<T> {
  const { databaseUrl, databaseLimits } = readDatabaseUrl(environment)
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
