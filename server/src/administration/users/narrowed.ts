import { sql } from 'kysely'
import { type At, isProfileAt } from '../../access/reach.ts'
import type { Set } from '../narrowing.ts'

/** People by something that an index finds. */

export function ofRole(role: string, at: At | undefined): Set {
  const held = sql`role_code = ${role} and ${at === undefined ? sql`true` : isProfileAt(at)}`
  return {
    all: sql`select user_uuid as id from profiles where ${held}`,
    // No index fits a case. SQLite would otherwise go through all of the role or the place for each person.
    has: (id) =>
      sql`(select max(case when ${held} then 1 else 0 end) from profiles where user_uuid = ${id}) > 0`,
  }
}

export const managedBy = (file: string): Set => ({
  all: sql`select uuid as id from users where managed_by = ${file}`,
  has: (id) =>
    sql`(select case when managed_by = ${file} then 1 else 0 end from users as own where own.uuid = ${id}) > 0`,
})

export const disabledAt = (place: string | undefined): Set => ({
  all:
    place === undefined
      ? sql`select uuid as id from users where active = 0`
      : sql`select user_uuid as id from members where place_uuid = ${place} and active = 0`,
  has: (id) => sql`(select active from users as own where own.uuid = ${id}) <= 0`,
})
