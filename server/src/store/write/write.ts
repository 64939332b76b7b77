/**
 * `write` is the one writer of what is administered, whichever door a change comes by: the API, a command, a declared
 * file, an import, an invitation, the setup, or the person's own account. It writes the rows, moves their versions, and
 * does all that follows from the change. The door decides who may make it, and tells the audit.
 */
import type { Kysely } from 'kysely'
import { moveRevision } from '../../database/revision.ts'
import { rowOf } from '../../database/rows.ts'
import type { Schema } from '../../database/schema.ts'
import { emailKey, isSameEmail } from '../../protocol/email-address.ts'
import { withdrawServices } from '../consents.ts'
import { forgetAddresses } from '../addresses.ts'
import { keepingAdministrators } from '../administrators.ts'
import type { Ended } from '../ending.ts'
import { stillRemoved } from '../entry.ts'
import { keepingBreakGlass } from '../gets-in.ts'
import { forgetNamed, settleHolders } from './domains.ts'
import { both, type Endings, endWithChanges, endWithRemovals } from './endings.ts'
import { goneIn, noteGone } from './gone.ts'
import { withoutGiven } from './given.ts'
import { index, unindex } from './index-changes.ts'
import { keepRemoved } from './removed-users.ts'
import { markSuspended } from './suspended-profiles.ts'
import { unmapRoles } from './unmapped.ts'
import { touchedEntries } from './touched-entries.ts'
import {
  type Changes,
  isTouched,
  keyColumns,
  type Row,
  type Versions,
  type WrittenRow,
  type WrittenTable,
  type Writes,
  writeRows,
  writtenTables,
} from './rows.ts'

export interface How extends Endings {
  versions: Versions
  /** What ends so that nobody else comes in: it goes on, even if nobody is left who gets in without an upstream. */
  forSafety?: true
}

/**
 * Writes these changes; yields what ended with them. Throws `last_administrator` where nobody would be left who
 * administers the whole installation, `NobodyGetsIn` where nobody would be who gets in without an upstream that is
 * demanded, and `precondition_failed` where versions are compared and another change came before. Concurrency: part of a transaction, which has locked the administration or holds the rows.
 */
export async function write(trx: Kysely<Schema>, changes: Changes, how: How): Promise<Ended> {
  const writes = completed(changes)
  const touched = touchedEntries(writes, how)
  if (touched === undefined) return await writeAll(trx, writes, how)
  return await keepingBreakGlass(trx, how.now, touched, async () => await writeAll(trx, writes, how))
}

async function writeAll(trx: Kysely<Schema>, writes: Writes, how: How): Promise<Ended> {
  writes.profiles.insert = await withoutGiven(trx, writes.profiles.insert)
  const gone = await endWithRemovals(trx, writes, how)
  await unindex(trx, writes)
  const going = await goneIn(trx, writes)
  const rows = async () => await writeRows(trx, writes, how.versions)
  await keepRemoved(trx, writes.users.remove)
  await (touchesAdministrators(writes) ? keepingAdministrators(trx, how.now, rows) : rows())
  if (how.by === 'others') await forgetAddresses(trx, movedUsers(writes), how.now)
  await markSuspended(trx, writes.profiles.insert)
  await noteGone(trx, going, how.now)
  await unmapRoles(trx, going.roles)
  await withdrawServices(
    trx,
    writes.services.remove.map(({ code }) => code),
  )
  await settleHolders(trx, writes)
  await forgetNamed(trx, writes)
  await index(trx, writes)
  if (kept.some((table) => isTouched(writes[table]))) await moveRevision(trx)
  return both(gone, await endWithChanges(trx, writes, how))
}

/** Adds one; yields its row. */
export async function writeNew<T extends WrittenTable>(
  trx: Kysely<Schema>,
  table: T,
  row: WrittenRow<T>,
  how: How,
): Promise<Row<T>> {
  await write(trx, { [table]: { insert: [row] } }, how)
  return await written(trx, table, row)
}

/** Changes one; yields its row. */
export async function writeChange<T extends WrittenTable>(
  trx: Kysely<Schema>,
  table: T,
  before: WrittenRow<T>,
  set: Partial<WrittenRow<T>>,
  how: How,
): Promise<Row<T>> {
  await write(trx, { [table]: { update: [{ before, set }] } }, how)
  return await written(trx, table, before)
}

/** Removes one. */
export async function writeRemoval<T extends WrittenTable>(
  trx: Kysely<Schema>,
  table: T,
  row: WrittenRow<T>,
  how: How,
): Promise<void> {
  await write(trx, { [table]: { remove: [row] } }, how)
}

async function written<T extends WrittenTable>(trx: Kysely<Schema>, table: T, row: object): Promise<Row<T>> {
  const values = row as Readonly<Record<string, unknown>>
  const key = Object.fromEntries(keyColumns[table].map((column) => [column, values[column]]))
  const found = await rowOf(trx, table, key as Parameters<typeof rowOf<T>>[2])
  if (found === undefined) throw new Error(`The row of ${table} that was written is not there.`)
  return found
}

/** Processes keep these in memory, as long as their revision stays. */
const kept = [
  'installation',
  'services',
  'permissions',
  'roles',
  'role_permissions',
  'organisations',
  'units',
  'clients',
  'client_secrets',
  'upstreams',
  'domains',
  'directories',
] as const satisfies WrittenTable[]

/** Whether the changes could take the last administrator away. */
const touchesAdministrators = ({ users, profiles, roles, role_permissions: held }: Writes): boolean =>
  users.update.some(({ set }) => set.active === 0) ||
  users.remove.length + profiles.update.length + profiles.remove.length > 0 ||
  roles.update.length + roles.remove.length + held.remove.length > 0

/** The people to whom somebody else gives another address. */
const movedUsers = ({ users }: Writes): string[] =>
  users.update
    .filter(({ before, set }) => set.email !== undefined && !isSameEmail(set.email, before.email))
    .map(({ before }) => before.uuid)

/** The key of an address is written with it, and with who may enter what of that was removed. */
function completed(changes: Changes): Writes {
  const none = noWrites()
  const all = writtenTables.map((table) => [table, { ...none[table], ...changes[table] }])
  const writes = Object.fromEntries(all) as Writes
  writes.users.update = writes.users.update.map(({ before, set }) => ({
    before,
    set: {
      ...set,
      ...(set.email !== undefined && { email_key: emailKey(set.email) }),
      ...endedBy(set),
      ...reachOf(set),
    },
  }))
  // No token of an earlier client of the same id is of such a generation.
  writes.clients.insert = writes.clients.insert.map((row) => ({ ...row, token_generation: row.created_at }))
  writes.clients.update = writes.clients.update.map(({ before, set }) => ({
    before,
    set:
      set.allowed === undefined
        ? set
        : { ...set, allowed_removed: stillRemoved(set.allowed, before.allowed_removed) },
  }))
  return writes
}

/** An account that a person disables or enables is no longer a directory's to enable. */
const endedBy = ({ active, disabled_by }: Partial<Row<'users'>>): Partial<Row<'users'>> =>
  active === undefined || disabled_by !== undefined ? {} : { disabled_by: null }

/** A password reaches everywhere, unless whoever writes it says otherwise. */
const reachOf = ({ password_hash, password_reach }: Partial<Row<'users'>>): Partial<Row<'users'>> =>
  password_hash === undefined || password_reach !== undefined ? {} : { password_reach: null }

export function noWrites(): Writes {
  const none = writtenTables.map((table) => [table, { insert: [], update: [], remove: [] }])
  return Object.fromEntries(none) as Writes
}
