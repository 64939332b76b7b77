import type { Declared } from '../declared/declared.ts'
import { readDeclaredFile } from '../declared/format.ts'
import { plainPasswords } from '../identity/plain-passwords.ts'
import { encryptedTotp } from '../keys/totp-secret.ts'
import { readDatabaseUrl, readSecrets } from '../settings.ts'
import type { EncryptTotp } from '../store/given-totp.ts'
import type { Store } from '../database/store.ts'
import { type Context, withProgress } from './context.ts'

export interface DeclaredWork {
  store: Store
  declared: Declared
  settings: typeof plainPasswords & { now: number; encryptTotp: EncryptTotp }
}

/** Opens what `plan` and `apply` need (the file first: a mistake in it opens nothing), and closes it again. */
export async function withDeclaredFile<T>(
  context: Context,
  file: string,
  open: (context: Context) => Promise<Store>,
  work: (parts: DeclaredWork) => Promise<T>,
): Promise<T> {
  const { mode } = readDatabaseUrl(context.environment)
  const declared = await withProgress(context, `Reading ${file} …`, () => readDeclaredFile(file, { mode }))
  const store = await open(context)
  try {
    const { environment } = context
    const encryptTotp: EncryptTotp = (totp, id) => encryptedTotp(totp, id, readSecrets(environment).secret)
    return await work({ store, declared, settings: { now: Date.now(), encryptTotp, ...plainPasswords } })
  } finally {
    await store.close()
  }
}
