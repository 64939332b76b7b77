/** Counts the people that a forced sign-on stops: none of the upstreams of the place has let them in lately. */
import { type Kysely, sql } from 'kysely'
import type { Schema } from '../database/schema.ts'
import { policyOf } from '../protocol/policy.ts'
import { usualRecheckDays } from '../store/upstreams.ts'
import { usableProfiles } from '../store/usable.ts'

/** How many people could not act where a sign-in by their organisation's upstream is demanded newly. */
export interface ForcedOut {
  people: number
  /** How many of them have never signed in through it. */
  never: number
  /** The last time that one of the others did, epoch milliseconds; null: there is none. */
  last_used_at: number | null
}

/** The place where a policy counts. None of the two: everywhere. */
export interface ForcedPlace {
  organisation_uuid?: string
  role_code?: string
}

/** Whether a policy demands the upstream, and did not before. */
export const isNewlyForced = (before: string | null, after: string | null): boolean =>
  policyOf(after)?.sign_in === 'upstream' && policyOf(before)?.sign_in !== 'upstream'

const day = 24 * 3_600_000

/**
 * People who could not act at these places: the organisation of their profile has an upstream that works, and they have
 * no sign-in through it that still counts. Break-glass people are `exempt`. Undefined: nobody.
 */
export async function forcedOut(
  trx: Kysely<Schema>,
  places: readonly ForcedPlace[],
  exempt: ReadonlySet<string>,
  now: number,
): Promise<ForcedOut | undefined> {
  if (places.length === 0) return undefined
  const until = sql`l.last_sign_in_at + coalesce(u.recheck_days, ${sql.lit(usualRecheckDays)}) * ${sql.lit(day)}`
  const people = usableProfiles(trx, now)
    .innerJoin('upstreams as u', (on) =>
      on
        .on('u.active', '=', 1)
        .on(sql<boolean>`coalesce(u.organisation_uuid, '') = coalesce(profiles.organisation_uuid, '')`),
    )
    .innerJoin('upstream_states as s', (on) =>
      on.onRef('s.upstream_uuid', '=', 'u.uuid').on('s.last_sign_in_at', 'is not', null),
    )
    .leftJoin('upstream_links as l', (on) =>
      on.onRef('l.upstream_uuid', '=', 'u.uuid').onRef('l.user_uuid', '=', 'profiles.user_uuid'),
    )
    .where(({ or, and, eb }) =>
      or(
        places.map(({ organisation_uuid, role_code }) =>
          and([
            ...(organisation_uuid === undefined
              ? []
              : [eb('profiles.organisation_uuid', '=', organisation_uuid)]),
            ...(role_code === undefined ? [] : [eb('profiles.role_code', '=', role_code)]),
          ]),
        ),
      ),
    )
    .where('profiles.user_uuid', 'not in', ['', ...exempt])
    .groupBy('profiles.user_uuid')
    .having(sql<boolean>`coalesce(max(${until}), 0) <= ${now}`)
    .select(['profiles.user_uuid', sql<number | null>`max(l.last_sign_in_at)`.as('last')])
  const counted = await trx
    .selectFrom(people.as('forced'))
    .select(({ fn }) => [
      fn.countAll<number>().as('people'),
      fn.count<number>('last').as('used'),
      fn.max('last').as('last_used_at'),
    ])
    .executeTakeFirstOrThrow()
  const [total, used] = [Number(counted.people), Number(counted.used)]
  if (total === 0) return undefined
  const last = counted.last_used_at === null ? null : Number(counted.last_used_at)
  return { people: total, never: total - used, last_used_at: last }
}
