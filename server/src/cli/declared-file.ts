import type { EncryptUpstream } from '../administration/upstreams/secrets.ts'
import { encryptedUpstream } from '../keys/upstream-secret.ts'
import type { Declared } from '../declared/declared.ts'
import { describePlan } from '../declared/describe.ts'
import { readDeclaredFile } from '../declared/format.ts'
import type { Plan } from '../declared/plan.ts'
import { plainPasswords } from '../identity/plain-passwords.ts'
import { encryptedTotp } from '../keys/totp-secret.ts'
import { databaseName } from '../database/name.ts'
import { readDatabaseUrl, readSecrets } from '../settings.ts'
import type { EncryptTotp } from '../store/given-totp.ts'
import type { Store } from '../database/store.ts'
import { type Context, withProgress } from './context.ts'

export interface DeclaredWork {
  store: Store
  /** Which database it is, for people to read. */
  database: string
  declared: Declared
  settings: typeof plainPasswords & {
    now: number
    encryptTotp: EncryptTotp
    encryptUpstream: EncryptUpstream
  }
}

/** A plan for people to read, with the database that it speaks of. */
export const planText = (database: string, plan: Plan): string =>
  `Database: ${database}\n${describePlan(plan)}`

/** Opens what `plan` and `apply` need (the file first: a mistake in it opens nothing), and closes it again. */
export async function withDeclaredFile<T>(
  context: Context,
  file: string,
  open: (context: Context) => Promise<Store>,
  work: (parts: DeclaredWork) => Promise<T>,
): Promise<T> {
  const { mode, databaseUrl } = readDatabaseUrl(context.environment)
  const database = databaseName(databaseUrl)
  const declared = await withProgress(context, `Reading ${file} …`, () => readDeclaredFile(file, { mode }))
  const store = await open(context)
  try {
    const { environment } = context
    const encryptTotp: EncryptTotp = (totp, id) => encryptedTotp(totp, id, readSecrets(environment).secret)
    const encryptUpstream: EncryptUpstream = (text, uuid, of) =>
      encryptedUpstream(text, uuid, of, readSecrets(environment).secret)
    const settings = { now: Date.now(), encryptTotp, encryptUpstream, ...plainPasswords }
    return await work({ store, database, declared, settings })
  } finally {
    await store.close()
  }
}
