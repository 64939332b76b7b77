/** The profiles that go along when a person, a role or a place is removed. */
import { Problem } from '../../protocol/problem.ts'
import { rowsOf } from '../../database/rows.ts'
import type { By, Row, Transacting } from '../by.ts'

export type ProfilesOf = readonly [
  column: 'user_uuid' | 'role_code' | 'organisation_uuid' | 'unit_uuid',
  value: string,
]

/** More at once keep everybody waiting on SQLite, where 100,000 take a minute and 2 GB. */
const mostRemoved = 10_000

/** Throws `conflict` when so many profiles would be removed over HTTP that others would wait too long. */
export async function refuseTooMany(trx: Transacting, by: By, [column, value]: ProfilesOf): Promise<void> {
  if (by.authority.claims === undefined) return
  const some = trx
    .selectFrom('profiles')
    .select('uuid')
    .where(column, '=', value)
    .offset(mostRemoved)
    .limit(1)
  if ((await some.executeTakeFirst()) === undefined) return
  throw new Problem(
    'conflict',
    `More than ${mostRemoved} profiles would be removed with it, and others would wait meanwhile. Disable it: that takes the access away at once. Remove it by the command on the database itself, at a quiet time.`,
  )
}

/** The profiles of a person, a role or a place. */
export const profilesOf = async (trx: Transacting, [column, value]: ProfilesOf): Promise<Row<'profiles'>[]> =>
  await rowsOf(trx, 'profiles', { [column]: value }).execute()

/** Throws `conflict` where an upstream or a directory gives the profile: it would come back with the next sign-in or sync. */
export async function refuseGiven(trx: Transacting, { uuid }: Row<'profiles'>): Promise<void> {
  const given = trx.selectFrom('profile_sources').select('kind').where('profile_uuid', '=', uuid)
  const source = await given.where('kind', '<>', 'hand').limit(1).executeTakeFirst()
  if (source === undefined) return
  const by = source.kind === 'upstream' ? "an upstream's mapping" : "a directory's mapping"
  throw new Problem(
    'conflict',
    `It is given by ${by}, and would come back. Take the person out of the group there, change the mapping, or disable the profile: it stays disabled.`,
  )
}
