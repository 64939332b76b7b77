/** What is found out about an upstream while people sign in through it. */
import { sql } from 'kysely'
import { agedLater } from './write/aged-later.ts'
import { moveRevision } from '../database/revision.ts'
import type { Store } from '../database/store.ts'

const minute = 60_000

/** Notes a sign-in through an upstream: it works. At most once a minute, but for the first, from which it may be demanded. */
export async function noteUpstreamSignIn(
  { db }: Pick<Store, 'db'>,
  upstream_uuid: string,
  { user_uuid, now }: { user_uuid: string; now: number },
): Promise<void> {
  const noted = {
    last_sign_in_at: now,
    last_sign_in_by: user_uuid,
    failing_since: null,
    stood_at: null,
    problem: null,
  }
  await db.transaction().execute(async (trx) => {
    const before = await trx
      .selectFrom('upstream_states')
      .select(['last_sign_in_at', 'problem', 'failing_since'])
      .where('upstream_uuid', '=', upstream_uuid)
      .executeTakeFirst()
    const last = before?.last_sign_in_at ?? null
    if (last !== null && before?.problem === null && last > now - minute) return
    await trx
      .insertInto('upstream_states')
      .values({ upstream_uuid, documents: null, fetched_at: null, ...noted })
      .onConflict((conflict) => conflict.column('upstream_uuid').doUpdateSet(noted))
      .execute()
    if (last === null || (before?.failing_since ?? null) !== null) await moveRevision(trx)
  })
}

/**
 * Notes why a sign-in through an upstream failed, for its administrators. What a visitor can bring about is noted only until
 * somebody has signed in through it, and takes the place of nothing that the service saw itself.
 */
export async function noteUpstreamProblem(
  { db }: Pick<Store, 'db'>,
  upstream_uuid: string,
  { problem, byVisitor }: { problem: string; byVisitor: boolean },
): Promise<void> {
  const counts = byVisitor
    ? sql`upstream_states.last_sign_in_at is null and upstream_states.problem is null`
    : sql`true`
  await sql`insert into upstream_states (upstream_uuid, problem)
    select uuid, ${problem} from upstreams where uuid = ${upstream_uuid}
    on conflict (upstream_uuid) do update set problem = excluded.problem where ${counts}`.execute(db)
}

/**
 * Notes that the documents of an upstream can not be fetched, or can again. `at`: their address. That they can
 * be read proves nothing of a client that was refused, which stays noted. Concurrency: one statement looks and writes.
 */
export async function noteUpstreamDocuments(
  { db }: Pick<Store, 'db'>,
  upstream_uuid: string,
  { problem, at, now }: { problem: string | null; at: string | null; now: number },
): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const before = await trx
      .selectFrom('upstream_states')
      .select(['failing_since', 'problem'])
      .where('upstream_uuid', '=', upstream_uuid)
      .executeTakeFirst()
    const wasFailing = (before?.failing_since ?? null) !== null
    // A sign-in met that they can't be read at their address.
    const wasMet = at !== null && before?.problem?.includes(at) === true
    if (problem === null ? !wasFailing && !wasMet : wasFailing) return
    const since = problem === null ? null : now
    const mended =
      problem === null
        ? sql`case when upstream_states.problem like 'client_refused: %' then upstream_states.problem end`
        : sql`excluded.problem`
    await sql`insert into upstream_states (upstream_uuid, failing_since, stood_at, problem)
      select uuid, ${since}, ${since}, ${problem} from upstreams where uuid = ${upstream_uuid}
      on conflict (upstream_uuid) do update set
        problem = ${mended}, failing_since = excluded.failing_since, stood_at = excluded.stood_at`.execute(
      trx,
    )
    await moveRevision(trx)
  })
}

/** The longest that days stand still, ms. */
export const longestStandstill = 3 * 24 * 3_600_000

/**
 * While nobody gets through an upstream and its documents can't be fetched, what rests on it grows no older, for three days
 * at most. Concurrency: one conditional statement takes the time that is added, so of several processes one adds it.
 */
export async function standStill({ db }: Pick<Store, 'db'>, now: number): Promise<void> {
  const failing = await db
    .selectFrom('upstream_states')
    .select(['upstream_uuid', 'stood_at', 'failing_since'])
    .where('failing_since', 'is not', null)
    .execute()
  for (const { upstream_uuid, stood_at: from, failing_since: since } of failing) {
    const until = Math.min(now, (since ?? now) + longestStandstill)
    if (from === null || until <= from) continue
    await db.transaction().execute(async (trx) => {
      const taken = await trx
        .updateTable('upstream_states')
        .set({ stood_at: until })
        .where('upstream_uuid', '=', upstream_uuid)
        .where('stood_at', '=', from)
        .returning('upstream_uuid')
        .executeTakeFirst()
      if (taken === undefined) return
      await agedLater(trx, upstream_uuid, { from, by: until - from })
    })
  }
}
