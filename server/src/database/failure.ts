/**
 * SQLSTATE classes of a database that is not to be had: connection, log-in, no such database, resources, operator
 * intervention, system, and PostgreSQL's own failures, among them a file that it may not make longer.
 */
const unavailableClasses = ['08', '28', '3D', '53', '57', '58', '40', '55', '25', 'XX']
/**
 * The role that serves lacks a right until somebody grants it, and a table is gone while somebody restores it: of a
 * class that otherwise means a wrong statement.
 */
const untilMended = ['42501', '42P01']
const networkCodes =
  /^(ECONNREFUSED|ECONNRESET|ECONNABORTED|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|E(HOST|NET)(DOWN|UNREACH))$/

/** The primary result codes of SQLite of the same kind (sqlite.org/rescode.html), and what it says of each. */
const sqliteCodes: readonly (readonly [code: number, kind: string, says: string])[] = [
  [5, 'busy', 'database is locked'],
  [6, 'locked', 'database table is locked'],
  [7, 'no memory', 'out of memory'],
  [8, 'readonly', 'attempt to write a readonly database'],
  [10, 'i/o', 'disk I/O error'],
  [11, 'corrupt', 'database disk image is malformed'],
  [13, 'full', 'database or disk is full'],
  [14, 'cannot open', 'unable to open database file'],
  [15, 'protocol', 'locking protocol'],
  [26, 'not a database', 'file is not a database'],
]

/** Why SQLite can't answer now; undefined: it can, or the error is not its. */
export function sqliteFailure(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error) || error.code !== 'ERR_SQLITE_ERROR') return undefined
  // The low byte: what stands above it says more of the same (an extended code). A statement that yields rows
  // fails without a code at all in the driver, version 1.
  const primary = 'errcode' in error && typeof error.errcode === 'number' ? error.errcode & 0xff : undefined
  const known = sqliteCodes.find(([code, , says]) =>
    primary === undefined ? error.message.startsWith(says) : primary === code,
  )
  return known?.[1]
}

/** What a full disk is to SQLite, and a file that may not grow. */
const sqliteLacksRoom = ['full', 'i/o']
/** SQLSTATE of PostgreSQL, which has one for a full disk alone, and of the files that this process writes itself. */
const lacksRoomCodes = ['53100', '58030', 'ENOSPC', 'EFBIG', 'EDQUOT']
const lacksRoomMessages = /^could not (extend|write)/

/** Whether something could not be written, as on a full disk: to be told apart from what nobody can mend so simply. */
export function lacksRoom(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if (sqliteLacksRoom.includes(sqliteFailure(error) ?? '')) return true
  return (
    ('code' in error && lacksRoomCodes.includes(String(error.code))) || lacksRoomMessages.test(error.message)
  )
}

/** SQLSTATE: a statement that waited for longer than it may, for a lock as a rule. */
const heldCodes = ['55P03', '57014']
const heldMessage = /query read timeout/i

/** Whether another process held what was needed for longer than this one waits. */
export function isHeld(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if (['busy', 'locked'].includes(sqliteFailure(error) ?? '')) return true
  return ('code' in error && heldCodes.includes(String(error.code))) || heldMessage.test(error.message)
}

/** Another file, or none, stands where the embedded database was opened. */
export class FileIsAnother extends Error {
  constructor(path: string) {
    super(
      `${path} is not the file that was opened: it was moved, or another one was put in its place. Put it back, or start anew; backups are put back by tessera restore.`,
    )
  }
}

/** What was written may be lost with the server that has it, so it counts as not written. */
export class NotReplicated extends Error {
  constructor() {
    super(
      'Commits wait for a synchronous standby that does not answer: see "Synchronous standbys" in docs/operations.md.',
    )
  }
}

/** The database answers, and what it answers must not be used: another one has been promoted, or it lost something. */
export class UnusableDatabase extends Error {}

/** Something in the database was encrypted with another secret than this process has; its message says what to set. */
export class OtherSecret extends Error {}

/** What the drivers say without a code. */
const messages =
  /timeout exceeded when trying to connect|query read timeout|Connection terminated|not queryable|database connection is not open/i

/** Whether an error means that the database can't answer now, rather than that a statement was wrong. */
export function isStorageFailure(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
  if (networkCodes.test(code) || sqliteFailure(error) !== undefined) return true
  const ours = [FileIsAnother, NotReplicated, UnusableDatabase]
  if (ours.some((one) => error instanceof one)) return true
  if (untilMended.includes(code)) return true
  if (/^[0-9A-Z]{5}$/.test(code)) return unavailableClasses.includes(code.slice(0, 2))
  return messages.test(error.message)
}
