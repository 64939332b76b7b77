/** What is written of a person's row by the person, or by a verb that says itself what ends with it. */
import type { Kysely } from 'kysely'
import type { Schema } from '../../database/schema.ts'
import type { Row } from './rows.ts'
import { writeChange } from './write.ts'

export type OwnChange = Partial<Row<'users'>>

/** The person, held before the sessions, as by every verb that ends them. */
export async function holdPerson(trx: Kysely<Schema>, user_uuid: string): Promise<Row<'users'> | undefined> {
  return await trx
    .selectFrom('users')
    .selectAll()
    .where('uuid', '=', user_uuid)
    .forUpdate()
    .executeTakeFirst()
}

/** Writes columns of a person whose row is held. */
export async function writeOwn(
  trx: Kysely<Schema>,
  before: Row<'users'>,
  set: OwnChange,
  now: number,
): Promise<Row<'users'>> {
  const how = { now, versions: 'overwritten', by: 'person', ends: 'each' } as const
  return await writeChange(trx, 'users', before, { ...set, updated_at: now }, how)
}
