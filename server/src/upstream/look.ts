/** The hourly look at the directories that people sign in by (decisions 24). */
import { recordAll } from '../audit/record.ts'
import { lockAdministration } from '../database/revision.ts'
import type { UpstreamRow } from '../database/schema-upstream.ts'
import type { Store } from '../database/store.ts'
import type { Service } from '../service.ts'
import type { Reaching } from './fetch.ts'
import { ldapLook, lookDecision, type Linked } from './ldap-look.ts'
import { mendedByAdministrators, UpstreamRefusal } from './refusal.ts'
import { openUpstream } from './secrets.ts'
import { restore, suspend } from './suspended.ts'

const hour = 3_600_000

/** An upstream of an organisation: of the whole installation, there is nowhere to suspend somebody. */
export type LookedAt = UpstreamRow & { organisation_uuid: string }

/** The LDAP upstreams that count, and that nobody has looked at for an hour. */
export async function dueLooks({ db }: Store, now: number): Promise<LookedAt[]> {
  const rows = await db
    .selectFrom('upstreams')
    .innerJoin('organisations', 'organisations.uuid', 'upstreams.organisation_uuid')
    .leftJoin('upstream_states', 'upstream_states.upstream_uuid', 'upstreams.uuid')
    .selectAll('upstreams')
    .where('upstreams.kind', '=', 'ldap')
    .where('upstreams.active', '=', 1)
    .where('organisations.active', '=', 1)
    .where((one) => one.or([one('fetched_at', 'is', null), one('fetched_at', '<=', now - hour)]))
    .execute()
  return rows.flatMap(({ organisation_uuid, ...row }) =>
    organisation_uuid === null ? [] : [{ ...row, organisation_uuid }],
  )
}

/**
 * Suspends the people whom the directory has no more or has disabled, and restores those who are back. Where it can't be
 * asked or believed nobody is suspended, and the first such look is recorded. Concurrency: one of several processes looks.
 */
export async function lookAtDirectory(
  service: Pick<Service, 'store' | 'settings' | 'now'>,
  reaching: Reaching,
  row: LookedAt,
  stopping: AbortSignal,
): Promise<void> {
  const { store, now } = service
  if (!(await claimLook(store, row.uuid, now()))) return
  const linked = await linkedTo(store, row.uuid)
  try {
    const subjects = linked.map(({ subject }) => subject)
    const seen =
      subjects.length === 0
        ? new Map()
        : await ldapLook(reaching, openUpstream(service, row), subjects, stopping)
    const decided = lookDecision(linked, seen)
    await carryOut(store, row, decided, now())
    const { tooMany } = decided
    const problem = tooMany === undefined ? null : `${tooMany} of ${linked.length} people are gone at once.`
    await noteLook(store, row, { problem, failing: false, now: now() })
  } catch (error) {
    if (stopping.aborted || !(error instanceof UpstreamRefusal)) throw error
    await noteLook(store, row, { problem: error.message, failing: true, now: now() })
  }
}

async function claimLook({ db }: Store, upstream_uuid: string, now: number): Promise<boolean> {
  const taken = await db
    .insertInto('upstream_states')
    .values({ upstream_uuid, fetched_at: now })
    .onConflict((conflict) =>
      conflict
        .column('upstream_uuid')
        .doUpdateSet({ fetched_at: now })
        .where((one) =>
          one.or([
            one('upstream_states.fetched_at', 'is', null),
            one('upstream_states.fetched_at', '<=', now - hour),
          ]),
        ),
    )
    .returning('upstream_uuid')
    .executeTakeFirst()
  return taken !== undefined
}

async function linkedTo({ db }: Store, upstream_uuid: string): Promise<Linked[]> {
  const rows = await db
    .selectFrom('upstream_links')
    .leftJoin('suspensions', (join) =>
      join
        .onRef('suspensions.user_uuid', '=', 'upstream_links.user_uuid')
        .onRef('suspensions.source_uuid', '=', 'upstream_links.upstream_uuid'),
    )
    .select(['subject', 'upstream_links.user_uuid', 'source_uuid'])
    .where('upstream_uuid', '=', upstream_uuid)
    .execute()
  return rows.map(({ source_uuid, ...one }) => ({ ...one, suspended: source_uuid !== null }))
}

async function carryOut(
  store: Store,
  { uuid, organisation_uuid }: LookedAt,
  decided: Pick<ReturnType<typeof lookDecision>, 'suspend' | 'restore'>,
  now: number,
): Promise<void> {
  if (decided.suspend.length + decided.restore.length === 0) return
  const by = { kind: 'upstream', source_uuid: uuid, organisation_uuid } as const
  await store.db.transaction().execute(async (trx) => {
    await lockAdministration(trx)
    const ended = await suspend(trx, by, decided.suspend, now)
    const lifted = await restore(trx, by, decided.restore, now)
    await recordAll(store, [...ended, ...lifted], trx)
  })
}

/**
 * Notes what a check of a directory found. That it lets us search proves that what kept us from it is mended, and nothing
 * of people who are gone at once.
 */
export async function noteDirectoryCheck(
  store: Store,
  upstream: Pick<UpstreamRow, 'uuid' | 'organisation_uuid'>,
  { problem, now }: { problem: string | null; now: number },
): Promise<void> {
  const { uuid: upstream_uuid } = upstream
  if (problem !== null) {
    const row = { upstream_uuid }
    await store.db
      .insertInto('upstream_states')
      .values(row)
      .onConflict((conflict) => conflict.column('upstream_uuid').doNothing())
      .execute()
    return await noteLook(store, upstream, { problem, failing: true, now })
  }
  await store.db
    .updateTable('upstream_states')
    .set({ problem: null, failing_since: null })
    .where('upstream_uuid', '=', upstream_uuid)
    .where((one) =>
      one.or([
        one('failing_since', 'is not', null),
        ...mendedByAdministrators.map((code) => one('problem', 'like', `${code}: %`)),
      ]),
    )
    .execute()
}

/** Notes what is wrong, or that nothing is. It is recorded once, until a look succeeds. */
async function noteLook(
  store: Store,
  { uuid, organisation_uuid }: Pick<UpstreamRow, 'uuid' | 'organisation_uuid'>,
  { problem, failing, now }: { problem: string | null; failing: boolean; now: number },
): Promise<void> {
  await store.db.transaction().execute(async (trx) => {
    const before = await trx
      .selectFrom('upstream_states')
      .select(['problem', 'failing_since'])
      .where('upstream_uuid', '=', uuid)
      .executeTakeFirst()
    const failing_since = failing ? (before?.failing_since ?? now) : null
    await trx
      .updateTable('upstream_states')
      .set({ problem, failing_since })
      .where('upstream_uuid', '=', uuid)
      .execute()
    if (problem === null || typeof before?.problem === 'string') return
    // One of the whole installation has no look that would stop.
    if (organisation_uuid === null) return
    const target = { kind: 'upstream', id: uuid }
    const detail = { reason: problem }
    await recordAll(store, [{ at: now, kind: 'sync.stopped', target, organisation_uuid, detail }], trx)
  })
}
