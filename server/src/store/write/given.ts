/** Profiles that a source gives: a declared file says nothing of them, and whoever gives one by hand gives it as well. */
import type { Kysely } from 'kysely'
import { chunksOf } from '../../database/chunks.ts'
import { insertRows, updateRows } from '../../database/many-rows.ts'
import type { Schema } from '../../database/schema.ts'
import type { WrittenRow } from './rows.ts'

type GivenProfile = WrittenRow<'profiles'>

const noSource = async (trx: Kysely<Schema>): Promise<boolean> =>
  (await trx.selectFrom('profile_sources').select('profile_uuid').limit(1).executeTakeFirst()) === undefined

/** Profiles that somebody gave by hand: those without a source, or with `hand` among theirs. */
export async function givenByHand<P extends Pick<GivenProfile, 'uuid'>>(
  trx: Kysely<Schema>,
  profiles: readonly P[],
): Promise<P[]> {
  if (await noSource(trx)) return [...profiles]
  const others = new Set<string>()
  for (const some of chunksOf(profiles.map(({ uuid }) => uuid))) {
    const rows = await trx
      .selectFrom('profile_sources')
      .select(['profile_uuid', 'kind'])
      .where('profile_uuid', 'in', some)
      .execute()
    const byHand = new Set(rows.filter(({ kind }) => kind === 'hand').map((row) => row.profile_uuid))
    for (const { profile_uuid } of rows) if (!byHand.has(profile_uuid)) others.add(profile_uuid)
  }
  return profiles.filter(({ uuid }) => !others.has(uuid))
}

/** New profiles that are not there yet. Of one that a source gives already it is noted that it is given by hand too. */
export async function withoutGiven(
  trx: Kysely<Schema>,
  insert: readonly GivenProfile[],
): Promise<GivenProfile[]> {
  if (insert.length === 0 || (await noSource(trx))) return [...insert]
  const keyOf = ({ user_uuid, role_code, organisation_uuid, unit_uuid }: GivenProfile) =>
    [user_uuid, role_code, organisation_uuid, unit_uuid].join(' ')
  const there = new Map<string, string>()
  for (const some of chunksOf([...new Set(insert.map(({ user_uuid }) => user_uuid))])) {
    const rows = await trx.selectFrom('profiles').selectAll().where('user_uuid', 'in', some).execute()
    for (const row of rows) there.set(keyOf(row), row.uuid)
  }
  const known = insert.flatMap((one) => there.get(keyOf(one)) ?? [])
  const given = known.map((profile_uuid) => ({ profile_uuid, kind: 'hand', source_uuid: '' }))
  await insertRows(trx, 'profile_sources', ['profile_uuid', 'kind', 'source_uuid'], given)
  const lasting = known.map((uuid) => ({ uuid, counts_until: null }))
  await updateRows(trx, 'profiles', { keys: ['uuid'], columns: ['counts_until'], also: [] }, lasting)
  return insert.filter((one) => !there.has(keyOf(one)))
}
