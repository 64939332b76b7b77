import { applyDeclared } from '../../dist/declared/apply.js'
import { parseDeclared } from '../../dist/declared/format.js'
import { plainPasswords } from '../../dist/identity/plain-passwords.js'
import { allLinked, openStore } from '../harness/stores.ts'
import { acme, edited } from './support.ts'
import type { Tessera } from '../harness/harness.ts'

/** Applies the reference file with some of its text replaced while the service runs, as `tessera apply` does. */
export async function applyChanged(
  tessera: Pick<Tessera, 'databaseUrl' | 'clock'> & Partial<Pick<Tessera, 'idle'>>,
  ...edits: [part: string, by: string][]
): Promise<void> {
  const declared = parseDeclared(edited(acme, ...edits), { file: 'acme.yaml', mode: 'development' })
  const store = tessera.idle?.pop() ?? (await openStore(tessera.databaseUrl))
  let keeps = false
  try {
    await allLinked(store)
    await applyDeclared(store, declared, { now: tessera.clock.now(), ...passwords })
    keeps = tessera.idle?.length === 0
  } finally {
    if (keeps) tessera.idle?.push(store)
    else await store.close()
  }
}

/** Each takes its time, and every database begins with the same: so each is hashed and checked once. */
export const passwords = {
  hashPassword: once(plainPasswords.hashPassword),
  verifyPassword: once(plainPasswords.verifyPassword),
}

function once<Asked extends string[], T>(
  work: (...asked: Asked) => Promise<T>,
): (...asked: Asked) => Promise<T> {
  const known = new Map<string, Promise<T>>()
  return (...asked) => {
    const key = JSON.stringify(asked)
    const done = known.get(key) ?? work(...asked)
    known.set(key, done)
    return done
  }
}

/** The line after which `active: false` disables the thing that has it. */
export const disabled = (line: string): [string, string] => {
  const indent = /^\s*(- )?/.exec(line)?.[0].length ?? 0
  return [line, `${line}\n${' '.repeat(indent)}active: false`]
}
