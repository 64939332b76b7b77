/**
 * SQLSTATE classes of a database that is not to be had: connection, log-in, no such database, resources, operator
 * intervention, system, and PostgreSQL's own failures, among them a file that it may not make longer.
 */
const unavailableClasses = ['08', '28', '3D', '53', '57', '58', '40', '55', '25', 'XX']
const networkCodes =
  /^(ECONNREFUSED|ECONNRESET|ECONNABORTED|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|E(HOST|NET)(DOWN|UNREACH))$/

/** The primary result codes of SQLite of the same kind (sqlite.org/rescode.html). */
const sqliteCodes: ReadonlyMap<number, string> = new Map([
  [5, 'busy'],
  [6, 'locked'],
  [7, 'no memory'],
  [8, 'readonly'],
  [10, 'i/o'],
  [11, 'corrupt'],
  [13, 'full'],
  [14, 'cannot open'],
  [15, 'protocol'],
  [26, 'not a database'],
])

/** Why SQLite can't answer now; undefined: it can, or the error is not its. */
export function sqliteFailure(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('errcode' in error) || typeof error.errcode !== 'number')
    return undefined
  // The low byte: what stands above it says more of the same (an extended code).
  return sqliteCodes.get(error.errcode & 0xff)
}

/** What the drivers say without a code. */
const messages =
  /timeout exceeded when trying to connect|query read timeout|Connection terminated|not queryable|database connection is not open/i

/** Whether an error means that the database can't answer now, rather than that a statement was wrong. */
export function isStorageFailure(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
  if (networkCodes.test(code) || sqliteFailure(error) !== undefined) return true
  if (/^[0-9A-Z]{5}$/.test(code)) return unavailableClasses.includes(code.slice(0, 2))
  return messages.test(error.message)
}
