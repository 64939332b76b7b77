/** The driver of SQLite, with `atStatement` around each statement that runs. */
import { DatabaseSync as Original } from '@photostructure/sqlite'

export class DatabaseSync extends Original {
  prepare(sql) {
    const statement = super.prepare(sql)
    for (const method of ['run', 'get', 'all']) {
      const execute = statement[method].bind(statement)
      const value = (...parameters) => globalThis.atStatement(sql, () => execute(...parameters))
      Object.defineProperty(statement, method, { value })
    }
    return statement
  }
}
