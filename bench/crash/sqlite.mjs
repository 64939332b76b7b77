/** The driver of SQLite, with `atStatement` around each statement that runs. */
export function withStatements(driver, atStatement) {
  class DatabaseSync extends driver.DatabaseSync {
    exec(sql) {
      return atStatement(sql, () => super.exec(sql))
    }

    prepare(sql) {
      const statement = super.prepare(sql)
      for (const method of ['run', 'get', 'all']) {
        const execute = statement[method].bind(statement)
        const value = (...parameters) => atStatement(sql, () => execute(...parameters))
        Object.defineProperty(statement, method, { value })
      }
      return statement
    }
  }
  return { ...driver, DatabaseSync }
}
