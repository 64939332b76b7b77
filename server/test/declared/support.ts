import { readFileSync } from 'node:fs'
import { afterEach } from 'vitest'
import { applyDeclared } from '../../dist/declared/apply.js'
import { parseDeclared } from '../../dist/declared/format.js'
import { DeclaredFileError } from '../../dist/declared/problems.js'
import type { Store } from '../../dist/database/store.js'
import { openStore } from '../../dist/database/open.js'
import { createDatabase, type Dialect, onEachDatabase } from '../harness/databases.ts'
import { testKeeper } from '../harness/stores.ts'

/** The reference example of the format. */
export const acme = readFileSync(new URL('../fixtures/acme.yaml', import.meta.url), 'utf8')

/** Runs the tests on each database; each test opens a store with empty tables, closed and removed after it. */
export function forEachDatabase(
  tests: (openEmptyStore: () => Promise<Store>, dialect: Dialect) => void,
): void {
  const cleanUp: (() => Promise<unknown>)[] = []
  afterEach(async () => {
    for (const step of cleanUp.splice(0)) await step()
  })
  onEachDatabase('a declared file', (dialect) => {
    tests(async () => {
      const { url, remove } = await createDatabase(dialect, 'tables')
      const store = await openStore(url, testKeeper)
      cleanUp.push(() => store.close(), remove)
      return store
    }, dialect)
  })
}

/** A hash that costs nothing: these tests are not about argon2id. */
export const passwords = {
  hashPassword: async (password: string) => `hash of ${password}`,
  verifyPassword: async (password: string, hash: string) => hash === `hash of ${password}`,
}

export const parse = (text: string, mode: 'development' | 'production' = 'development') =>
  parseDeclared(text, { file: 'acme.yaml', mode })

export const apply = (store: Store, text: string, now = 1_000) =>
  applyDeclared(store, parse(text), { now, ...passwords })

/** The text with a part replaced, which must be there. */
export function edited(text: string, ...edits: [part: string, by: string][]): string {
  return edits.reduce((before, [part, by]) => {
    if (!before.includes(part)) throw new Error(`The text has no ${part}`)
    return before.replace(part, () => by)
  }, text)
}

/** Gives the machine of the reference example these services. */
export const machineFor = (services: string): [string, string] => [
  'services: [submissions-tool]\n    permissions: [submissions-tool.vista-import.create]',
  `services: [${services}]\n    permissions: [submissions-tool.vista-import.create]`,
]

/** The problems that a file is refused with, as `line: reason`. */
export async function refusal(work: () => unknown): Promise<string[]> {
  try {
    await work()
  } catch (error) {
    if (error instanceof DeclaredFileError) return error.problems.map((one) => `${one.line}: ${one.reason}`)
    throw error
  }
  return []
}
