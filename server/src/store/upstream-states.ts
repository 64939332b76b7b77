/** What is found out about an upstream while people sign in through it. */
import { sql } from 'kysely'
import { moveRevision } from '../database/revision.ts'
import type { Store } from '../database/store.ts'

const minute = 60_000

/** Notes a sign-in through an upstream: it works. At most once a minute, but for the first, from which it may be demanded. */
export async function noteUpstreamSignIn(
  { db }: Pick<Store, 'db'>,
  upstream_uuid: string,
  { user_uuid, now }: { user_uuid: string; now: number },
): Promise<void> {
  const noted = { last_sign_in_at: now, last_sign_in_by: user_uuid, failing_since: null, problem: null }
  await db.transaction().execute(async (trx) => {
    const before = await trx
      .selectFrom('upstream_states')
      .select(['last_sign_in_at', 'problem'])
      .where('upstream_uuid', '=', upstream_uuid)
      .executeTakeFirst()
    const last = before?.last_sign_in_at ?? null
    if (last !== null && before?.problem === null && last > now - minute) return
    await trx
      .insertInto('upstream_states')
      .values({ upstream_uuid, documents: null, fetched_at: null, ...noted })
      .onConflict((conflict) => conflict.column('upstream_uuid').doUpdateSet(noted))
      .execute()
    if (last === null) await moveRevision(trx)
  })
}

/** Notes why a sign-in through an upstream failed, and since when it does. */
export async function noteUpstreamFailure(
  { db }: Pick<Store, 'db'>,
  upstream_uuid: string,
  { problem, now }: { problem: string; now: number },
): Promise<void> {
  await sql`insert into upstream_states (upstream_uuid, failing_since, problem)
    select uuid, ${now}, ${problem} from upstreams where uuid = ${upstream_uuid}
    on conflict (upstream_uuid) do update set
      problem = excluded.problem, failing_since = coalesce(upstream_states.failing_since, excluded.failing_since)`.execute(
    db,
  )
}
