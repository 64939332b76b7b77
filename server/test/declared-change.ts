import { applyDeclared } from '../dist/declared/apply.js'
import { parseDeclared } from '../dist/declared/format.js'
import { PasswordHasher } from '../dist/identity/passwords.js'
import { openStore } from '../dist/store/open.js'
import { acme, edited } from './declared-support.ts'
import type { Tessera } from './harness.ts'

/** Applies the reference file with some of its text replaced while the service runs, as `tessera apply` does. */
export async function applyChanged(
  tessera: Pick<Tessera, 'databaseUrl' | 'clock'>,
  ...edits: [part: string, by: string][]
): Promise<void> {
  const declared = parseDeclared(edited(acme, ...edits), { file: 'acme.yaml', mode: 'development' })
  const store = await openStore(tessera.databaseUrl)
  const passwords = new PasswordHasher(100)
  try {
    await applyDeclared(store, declared, {
      now: tessera.clock.now(),
      hashPassword: (password) => passwords.hash(password),
      verifyPassword: (password, hash) => {
        const pair = JSON.stringify([password, hash])
        const known = checked.get(pair) ?? passwords.verify(password, hash)
        checked.set(pair, known)
        return known
      },
    })
  } finally {
    await passwords.close()
    await store.close()
  }
}

/** Every database begins with the same hashes, and each check takes its time: so it is made once. */
const checked = new Map<string, Promise<boolean>>()

/** The line after which `active: false` disables the thing that has it. */
export const disabled = (line: string): [string, string] => {
  const indent = /^\s*(- )?/.exec(line)?.[0].length ?? 0
  return [line, `${line}\n${' '.repeat(indent)}active: false`]
}
