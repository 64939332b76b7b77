import type { Declared } from '../declared/declared.ts'
import { readDeclaredFile } from '../declared/format.ts'
import { PasswordHasher } from '../identity/passwords.ts'
import { readDatabaseUrl } from '../settings.ts'
import type { openStore, Store } from '../store/open.ts'
import type { World } from './world.ts'

export interface DeclaredWork {
  store: Store
  declared: Declared
  settings: {
    now: number
    hashPassword: (password: string) => Promise<string>
    verifyPassword: (password: string, hash: string) => Promise<boolean>
  }
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
  const passwords = new PasswordHasher(1_000_000)
  try {
    return await work({
      store,
      declared,
      settings: {
        now: Date.now(),
        hashPassword: (password) => passwords.hash(password),
        verifyPassword: (password, hash) => passwords.verify(password, hash),
      },
    })
  } finally {
    await passwords.close()
    await store.close()
  }
}
