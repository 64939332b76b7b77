/** What `tessera import` does with a text, in this process: another one would take a second to start. */
import { Readable } from 'node:stream'
import { hashSync } from '@node-rs/argon2'
import { importRows } from '../../dist/import/rows.js'
import { readSource } from '../../dist/import/source.js'
import { encryptedTotp } from '../../dist/keys/totp-secret.js'
import type { FieldProblem } from '../../dist/protocol/problem.js'
import type { TotpSecret } from '../../dist/protocol/totp-secret.js'
import { secret } from '../harness/process.ts'
import { withStore } from '../harness/program.ts'

export const password = 'a password of another house'
/** With the least work that is allowed. */
export const password_hash = hashSync(password, { memoryCost: 19_456, timeCost: 2, parallelism: 1 })

export interface Refused {
  at: string
  reasons: string
  raw: string
}

/** The counts, and the refused rows as lines. */
export const importText = (
  at: { databaseUrl: string },
  text: string,
  { name = 'people.csv', dryRun = false, now = Date.now } = {},
) =>
  withStore(at, async (store) => {
    const refused: Refused[] = []
    const source = await readSource(Readable.from([Buffer.from(text, 'latin1')]))
    const told = {
      by: { actor: { kind: 'command', id: 'test' } } as const,
      now,
      encryptTotp: (totp: TotpSecret, id: string) => encryptedTotp(totp, id, secret),
      rpId: () => 'localhost',
      progress: () => undefined,
      refused: ({ line, raw }: { line: number; raw: string }, problems: readonly FieldProblem[]) => {
        const fields = problems.map((one) => one.field).join(' ')
        refused.push({ at: `${line} ${fields}`, reasons: problems.map((one) => one.detail).join(' '), raw })
      },
    }
    const { rows: _, ...counts } = await importRows(store, source, { name, dryRun, ...told }, () => false)
    return { ...counts, refused }
  })

export const lines = (rows: readonly object[]): string =>
  rows.map((row) => `${Buffer.from(JSON.stringify(row)).toString('latin1')}\n`).join('')
