import { randomUUID } from 'node:crypto'
import type { Kysely } from 'kysely'
import { user } from '../catalogue/user.ts'
import { newColumns } from '../catalogue/columns.ts'
import type { Schema } from '../database/schema.ts'
import { ownedBy } from '../store/ownership.ts'
import { newUser } from '../store/write/users.ts'
import { write } from '../store/write/write.ts'
import { settable, type ToldFields } from './fields.ts'
import { type AccountSource, setterOf } from './source.ts'

export interface NewPerson {
  email: string
  /** A code that was mailed to the address was typed. */
  isConfirmed?: boolean
  fields: ToldFields
  source: AccountSource
}

/**
 * Makes an account, unproved, whose maker is the source; yields its uuid. The address has to be free. Part of the verb that
 * was told of the person.
 */
export async function makePerson(
  trx: Kysely<Schema>,
  { email, isConfirmed = false, fields, source }: NewPerson,
  now: number,
): Promise<string> {
  const uuid = randomUUID()
  const { email: _, name: said, ...others } = settable(fields)
  const parts = [others.given_name, others.family_name].filter((one) => one !== undefined).join(' ')
  const name = said ?? (parts === '' ? email.slice(0, email.lastIndexOf('@')) : parts)
  const columns = newColumns(user, { email, name, email_verified: isConfirmed, ...others })
  const owned = await ownedBy(trx, await setterOf(trx, source), { now })
  const kept = Object.fromEntries(Object.keys(settable(fields)).map((field) => [field, source.uuid]))
  const row = newUser({ uuid, ...columns, password_hash: null, ...owned, kept_by: JSON.stringify(kept) }, now)
  await write(trx, { users: { insert: [row] } }, { now, versions: 'overwritten', by: 'others', ends: 'each' })
  return uuid
}
