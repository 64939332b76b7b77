/**
 * SQLSTATE classes of a database that is not to be had: connection, log-in, no such database, resources, operator
 * intervention, system.
 */
const unavailableClasses = ['08', '28', '3D', '53', '57', '58', '40', '55', '25']
const networkCodes =
  /^(ECONNREFUSED|ECONNRESET|ECONNABORTED|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|E(HOST|NET)(DOWN|UNREACH))$/
const sqliteCodes = /^SQLITE_(BUSY|LOCKED|FULL|IOERR|CANTOPEN|READONLY|CORRUPT|NOTADB|NOMEM|PROTOCOL)/

/** What the drivers say without a code. */
const messages =
  /timeout exceeded when trying to connect|query read timeout|Connection terminated|not queryable|database connection is not open/i

/** Whether an error means that the database can't answer now, rather than that a statement was wrong. */
export function isStorageFailure(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
  if (networkCodes.test(code) || sqliteCodes.test(code)) return true
  if (/^[0-9A-Z]{5}$/.test(code)) return unavailableClasses.includes(code.slice(0, 2))
  return messages.test(error.message)
}
