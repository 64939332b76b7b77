/** People with authenticator apps, as tests make them: by what `tessera import` does, which is how an installation brings them. */
import { Readable } from 'node:stream'
import { hashSync } from '@node-rs/argon2'
import { TOTP } from 'otpauth'
import { expect } from 'vitest'
import { commandOrigin } from '../../dist/cli/with-store.js'
import { importRows } from '../../dist/import/rows.js'
import { readSource } from '../../dist/import/source.js'
import { encryptedTotp } from '../../dist/keys/totp-secret.js'
import type { TotpSecret } from '../../dist/protocol/totp-secret.js'
import { secret } from '../harness/process.ts'
import { withStore } from '../harness/program.ts'
import { authorizeRequest, TestBrowser, type Visit } from '../harness/browser.ts'
import type { Tessera } from '../harness/harness.ts'

const password = 'a password of nine lives'
/** With the least work that is allowed: the first sign-in replaces it. */
const passwordHash = hashSync(password, { memoryCost: 19_456, timeCost: 2, parallelism: 1 })
export const totpSecret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'

export type Enrolled = { email: string; password: string }

/** A person who has an authenticator app already, and no recovery codes. */
export async function importEnrolled(
  tessera: Pick<Tessera, 'databaseUrl'>,
  names: readonly string[],
  role = 'reader',
): Promise<void> {
  const rows = names.map((name) => ({
    email: `${name}@factors.example`,
    name,
    password_hash: passwordHash,
    totp_secret: totpSecret,
    profiles: [{ role, organisation: 'acme' }],
  }))
  const lines = rows.map((row) => Buffer.from(`${JSON.stringify(row)}\n`))
  const { imported } = await withStore(tessera, async (store) =>
    importRows(
      store,
      await readSource(Readable.from(lines)),
      { ...asCommand, by: commandOrigin() },
      () => false,
    ),
  )
  expect(imported).toBe(names.length)
}

/** In this process: another one would take a second to start. */
const asCommand = {
  name: 'people.jsonl',
  dryRun: false,
  now: Date.now,
  encryptTotp: (totp: TotpSecret, id: string) => encryptedTotp(totp, id, secret),
  rpId: () => 'localhost',
  progress: () => undefined,
  refused: () => undefined,
}

export const personOf = (name: string): Enrolled => ({ email: `${name}@factors.example`, password })

/** What the app shows; `steps` later or earlier. */
export const codeOf = (tessera: Pick<Tessera, 'clock'>, steps = 0, secret = totpSecret): string =>
  new TOTP({ secret }).generate({ timestamp: tessera.clock.now() + steps * 30_000 })

/** A code that is right in none of the steps that count. */
export function wrongCode(tessera: Tessera): string {
  const near = new Set([-2, -1, 0, 1, 2].map((step) => codeOf(tessera, step)))
  for (let code = 100_000; ; code++) if (!near.has(String(code))) return String(code)
}

/** Gives the password; yields the page that asks for the second factor. */
export async function atSecondFactor(
  browser: TestBrowser,
  person: Enrolled,
  changes: Record<string, string | undefined> = {},
): Promise<Visit> {
  return await browser.submit(await browser.open(authorizeRequest(changes).path), person)
}
