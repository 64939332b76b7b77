import type { Declared } from '../declared/declared.ts'
import { readDeclaredFile } from '../declared/format.ts'
import { plainPasswords } from '../identity/plain-passwords.ts'
import { readDatabaseUrl } from '../settings.ts'
import type { openStore, Store } from '../store/open.ts'
import type { World } from './world.ts'

export interface DeclaredWork {
  store: Store
  declared: Declared
  settings: typeof plainPasswords & { now: number }
}

/** Opens what `plan` and `apply` need (the file first: a mistake in it opens nothing), and closes it again. */
export async function withDeclaredFile<T>(
  { environment }: World,
  file: string,
  open: typeof openStore,
  work: (parts: DeclaredWork) => Promise<T>,
): Promise<T> {
  const { databaseUrl, databaseLimits, mode } = readDatabaseUrl(environment)
  const declared = await readDeclaredFile(file, { mode })
  const store = await open(databaseUrl, databaseLimits)
  try {
    return await work({ store, declared, settings: { now: Date.now(), ...plainPasswords } })
  } finally {
    await store.close()
  }
}
