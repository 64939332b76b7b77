import type { UpstreamRow } from '../database/schema-upstream.ts'
import type { Reading } from './in-transaction.ts'
import type { User } from './users.ts'

/** Days that a sign-in through an upstream counts for, where it says none. */
export const usualRecheckDays = 7

/** An upstream, with whether it counts: it and its organisation are active. Its metadata is read where it is needed. */
export type UpstreamNow = Omit<UpstreamRow, 'metadata'> & {
  counts: boolean
  /** Whether somebody has signed in through it: nobody is forced through one that never worked. */
  works: boolean
  /** The level of each value of its `assurance`. */
  assures: ReadonlyMap<string, '2' | 'phr'>
  /** Since when its documents can't be fetched and nobody gets through; null: they can. */
  failing_since: number | null
}

/** What decides which proofs open what, as it is now. */
export interface UpstreamsNow {
  byUuid: ReadonlyMap<string, UpstreamNow>
  /** Organisations whose upstreams open another one too, by its uuid. */
  accepts: ReadonlyMap<string, ReadonlySet<string>>
  /** People who get in without an upstream, by the organisation's uuid, empty for the installation. */
  breakGlass: ReadonlyMap<string, ReadonlySet<string>>
  /** The organisation that has each domain. */
  holders: ReadonlyMap<string, string>
}

/** All upstreams, from memory as long as nothing changed: there are few. */
export async function upstreamsNow(store: Reading): Promise<UpstreamsNow> {
  return await store.cache.get('upstreams', () => readUpstreams(store))
}

async function readUpstreams({ db }: Reading): Promise<UpstreamsNow> {
  const upstreams = await db
    .selectFrom('upstreams')
    .leftJoin('organisations', 'organisations.uuid', 'upstreams.organisation_uuid')
    .leftJoin('upstream_states', 'upstream_states.upstream_uuid', 'upstreams.uuid')
    .selectAll('upstreams')
    .select([
      'organisations.active as organisation_active',
      'upstream_states.last_sign_in_at',
      'upstream_states.failing_since',
    ])
    .execute()
  const accepting = await db
    .selectFrom('organisations')
    .select(['uuid', 'accepts', 'break_glass'])
    .where((of) => of.or([of('accepts', '<>', '[]'), of('break_glass', '<>', '[]')]))
    .execute()
  const disabled = await db.selectFrom('organisations').select('uuid').where('active', '=', 0).execute()
  const isDisabled = new Set(disabled.map(({ uuid }) => uuid))
  const kept = await db
    .selectFrom('installation')
    .select('kept')
    .where('name', '=', 'break_glass')
    .executeTakeFirst()
  const held = await db
    .selectFrom('domains')
    .innerJoin('organisations', 'organisations.uuid', 'domains.organisation_uuid')
    .select(['domains.name', 'domains.organisation_uuid'])
    .where('holds', '=', 1)
    .where('organisations.active', '=', 1)
    .execute()
  return {
    byUuid: new Map(
      upstreams.map((row) => {
        // Metadata may be long, and is not kept in memory.
        const { metadata: _, ...kept } = row
        const counts = row.active === 1 && row.organisation_active !== 0
        const works = row.last_sign_in_at !== null
        const levels = JSON.parse(row.assurance ?? '{}') as Record<string, '2' | 'phr'>
        return [row.uuid, { ...kept, counts, works, assures: new Map(Object.entries(levels)) }]
      }),
    ),
    accepts: new Map(
      accepting.map(({ uuid, accepts }) => [
        uuid,
        new Set((JSON.parse(accepts) as string[]).filter((one) => !isDisabled.has(one))),
      ]),
    ),
    breakGlass: new Map([
      ['', new Set((JSON.parse(kept?.kept ?? '{}') as { people?: string[] }).people)],
      ...accepting.map(
        ({ uuid, break_glass: people }) => [uuid, new Set(JSON.parse(people) as string[])] as const,
      ),
    ]),
    holders: new Map(held.map(({ name, organisation_uuid }) => [name, organisation_uuid])),
  }
}

/** The upstreams that count, of an organisation, or of the whole installation. */
export const upstreamsOf = ({ byUuid }: UpstreamsNow, organisation_uuid: string | null): UpstreamNow[] =>
  [...byUuid.values()].filter((one) => one.counts && one.organisation_uuid === organisation_uuid)

/**
 * Whether somebody gets in when the upstreams of an organisation, or of the whole installation, do not. Of an unproved
 * account nobody knows whether it is the person who was named.
 */
export const isBreakGlass = (
  { breakGlass }: Pick<UpstreamsNow, 'breakGlass'>,
  organisation_uuid: string | null,
  { uuid, limited_reach }: Pick<User, 'uuid' | 'limited_reach'>,
): boolean => limited_reach === 0 && breakGlass.get(organisation_uuid ?? '')?.has(uuid) === true
