/**
 * Loaded into the service before it starts (`node --import`), so that the service itself holds nothing of it.
 *
 * TESSERA_TEST_KILL=before:3:update "authorization_codes"   kills the process before the third statement that
 * begins so; `after` kills when the database has done it, before anybody hears of it. With ` … ` between two beginnings
 * those of the second are counted when one of the first has run.
 * TESSERA_TEST_CLOCK=11000   the service's clock is that many milliseconds ahead.
 */
import { createRequire } from 'node:module'
import pg from 'pg'
import { withStatements } from './sqlite.mjs'

const ahead = Number(process.env.TESSERA_TEST_CLOCK ?? 0)
const realNow = Date.now
Date.now = () => realNow() + ahead

const [when, count, ...words] = (process.env.TESSERA_TEST_KILL ?? '').split(':')
const beginnings = words.join(':').split(' … ')
if (beginnings[0] !== '') {
  let left = Number(count)
  const isTheOne = (sql) => {
    if (!sql.startsWith(beginnings[0])) return false
    if (beginnings.length === 1) return --left === 0
    beginnings.shift()
    return false
  }
  const kill = () => process.kill(process.pid, 'SIGKILL')

  const atStatement = (sql, execute) => {
    const now = isTheOne(sql)
    if (now && when === 'before') kill()
    const result = execute()
    if (now) kill()
    return result
  }
  // The driver's class can't be changed from outside, so the service is given one that extends it.
  const require = createRequire(import.meta.url)
  const driver = require('@photostructure/sqlite')
  require.cache[require.resolve('@photostructure/sqlite')].exports = withStatements(driver, atStatement)

  /** The service's own messages hold several statements. */
  const textsOf = (asked) => {
    if (typeof asked === 'string') return [asked]
    return (asked?.statements ?? [asked]).flatMap((one) => one?.text ?? [])
  }
  const query = pg.Client.prototype.query
  pg.Client.prototype.query = function (statement, ...more) {
    const now = textsOf(statement).filter(isTheOne).length > 0
    if (now && when === 'before') kill()
    if (now && statement.statements !== undefined) statement.callback = kill
    // A pool asks with a callback, everybody else gets a promise.
    const last = more.at(-1)
    if (now && typeof last === 'function') more[more.length - 1] = kill
    const result = query.call(this, statement, ...more)
    return now && typeof result?.then === 'function' ? result.then(kill) : result
  }
}
