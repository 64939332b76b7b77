import { type Kysely, sql } from 'kysely'
import { preparedRow } from '../database/prepared.ts'
import type { Schema } from '../database/schema.ts'
import type { UpstreamSessionRow } from '../database/schema-upstream.ts'
import type { Proof } from './start-session.ts'
import { maySignIn } from './usable.ts'

/** The proof by an upstream, as long as its person is linked to the subject and it counts. */
export const upstreamProof = (
  { upstream_uuid, subject }: { upstream_uuid: string; subject: string },
  proved: Omit<Proof['proved'], 'method' | 'credential'>,
): Proof => ({
  proved: { ...proved, method: 'upstream', credential: upstream_uuid },
  *stillHolds(user_uuid) {
    return (yield* holdLink({ user_uuid, upstream_uuid, subject })) !== undefined
  },
})

const holdLink = preparedRow<{ user_uuid: string; upstream_uuid: string; subject: string }, { uuid: string }>(
  (db, slot) =>
    db
      .selectFrom('users')
      .innerJoin('upstream_links', 'upstream_links.user_uuid', 'users.uuid')
      .innerJoin('upstreams', 'upstreams.uuid', 'upstream_links.upstream_uuid')
      .select('users.uuid')
      .where('users.uuid', '=', slot('user_uuid'))
      .where('upstream_uuid', '=', slot('upstream_uuid'))
      .where('upstream_links.subject', '=', slot('subject'))
      .where(maySignIn)
      .where('upstreams.active', '=', 1)
      .where(
        sql<boolean>`(upstreams.organisation_uuid is null or exists (select 1 from organisations
        where organisations.uuid = upstreams.organisation_uuid and organisations.active = 1))`,
      )
      .forShare(),
)

/** Notes by which session at an upstream a session here was proved: signing out there ends it. */
export async function noteUpstreamSession(db: Kysely<Schema>, row: UpstreamSessionRow): Promise<void> {
  await db
    .insertInto('upstream_sessions')
    .values(row)
    .onConflict((conflict) => conflict.columns(['sid', 'upstream_uuid']).doUpdateSet(row))
    .execute()
}
