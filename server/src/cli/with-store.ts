import { readDatabaseUrl } from '../settings.ts'
import { openExisting, type Store } from '../store/open.ts'
import type { World } from './world.ts'

/** The database of TESSERA_DATABASE_URL. One that is not there is not made: whoever mistypes its address must learn it. */
export async function openOurs({ environment }: World): Promise<Store> {
  const { databaseUrl, databaseLimits } = readDatabaseUrl(environment)
  const store = await openExisting(databaseUrl, databaseLimits)
  if (store !== undefined) return store
  throw new Error(
    'There is no database of Tessera where TESSERA_DATABASE_URL says: check it, or begin with tessera setup.',
  )
}

/** Opens it for as long as the work takes. */
export async function withStore<T>(world: World, work: (store: Store) => Promise<T>): Promise<T> {
  const store = await openOurs(world)
  try {
    return await work(store)
  } finally {
    await store.close()
  }
}
