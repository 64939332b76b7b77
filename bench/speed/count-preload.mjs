/**
 * Loaded into the service from outside (`node --import`): counts the statements that it asks of SQLite, and the signatures
 * that it verifies. SIGUSR2 writes what was counted since the one before to TESSERA_TEST_COUNTS.
 */
import crypto from 'node:crypto'
import { renameSync, writeFileSync } from 'node:fs'
import { createRequire, syncBuiltinESMExports } from 'node:module'
import { withStatements } from '../crash/sqlite.mjs'

let counted = { statements: [], verifications: 0 }

const require = createRequire(import.meta.url)
const driver = require('@photostructure/sqlite')
require.cache[require.resolve('@photostructure/sqlite')].exports = withStatements(driver, (sql, execute) => {
  counted.statements.push(sql)
  return execute()
})

for (const [of, name] of [
  [crypto, 'verify'],
  [crypto.webcrypto.subtle.constructor.prototype, 'verify'],
]) {
  const verify = of[name]
  of[name] = function (...given) {
    counted.verifications++
    return verify.apply(this, given)
  }
}
syncBuiltinESMExports()

process.on('SIGUSR2', () => {
  const file = process.env.TESSERA_TEST_COUNTS
  writeFileSync(`${file}.new`, JSON.stringify(counted))
  renameSync(`${file}.new`, file)
  counted = { statements: [], verifications: 0 }
})
