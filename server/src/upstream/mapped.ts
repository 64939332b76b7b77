/** The profiles that an upstream or a directory gives by its mapping: one set-based change, whichever door tells of groups. */
import { randomUUID } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Kysely } from 'kysely'
import { byKey, groupBy } from '../access/by-key.ts'
import { settleWaiting } from '../access/waiting.ts'
import type { AuditEvent } from '../audit/record.ts'
import { shownOf } from '../catalogue/columns.ts'
import { profile as profileThing } from '../catalogue/profile.ts'
import { chunksOf } from '../database/chunks.ts'
import { deleteRows, insertRows, updateRows } from '../database/many-rows.ts'
import type { ProfileRow, Schema } from '../database/schema.ts'
import type { ProfileSourceRow } from '../database/schema-upstream.ts'
import { waitsAs } from '../store/waited.ts'
import { write } from '../store/write/write.ts'
import { recheckedUntil } from './recheck.ts'
import type { MappingRule } from './upstream.ts'

/** What gives profiles within an organisation. */
export interface Source {
  kind: 'upstream' | 'directory'
  uuid: string
  organisation_uuid: string
  mapping: readonly MappingRule[]
  /** The time until which it counts untold; null: until it says otherwise, as of a directory. */
  countsUntil: number | null
}

/** What a source says of somebody. */
export interface ToldPerson {
  user_uuid: string
  groups: ReadonlySet<string>
  claims: ReadonlyMap<string, readonly string[]>
}

type Held = Pick<ProfileRow, 'uuid' | 'user_uuid' | 'role_code' | 'unit_uuid' | 'active'> & {
  counts_until: number | null
}
type MappedPlace = Pick<ProfileRow, 'role_code' | 'unit_uuid'>

const keyOf = ({ role_code, unit_uuid }: MappedPlace) => `${role_code} ${unit_uuid ?? ''}`

/**
 * Gives these people exactly the profiles that the source's mapping says of them. A profile ends with its last source; what
 * was given by hand stays, and what another source gives. Part of the verb that was told; its rows of people are held.
 */
export async function settleMapped(
  trx: Kysely<Schema>,
  source: Source,
  people: readonly ToldPerson[],
  now: number,
): Promise<AuditEvent[]> {
  const places = await placesIn(trx, source)
  const events: AuditEvent[] = []
  for (const some of chunksOf(people)) {
    events.push(...(await settle(trx, source, { some, places, now })))
    // Others are answered meanwhile.
    await nextTurn()
  }
  if (events.length === 0) return []
  const waited = await settleWaiting(trx, { users: people.map((one) => one.user_uuid) }, now)
  return [...events, ...waited]
}

/** Each rule with the place that it gives; rules for roles or units that are gone give nothing. */
async function placesIn(
  trx: Kysely<Schema>,
  { organisation_uuid, mapping }: Source,
): Promise<{ rule: MappingRule; place: MappedPlace }[]> {
  if (mapping.length === 0) return []
  const units = await trx
    .selectFrom('units')
    .select(['uuid', 'code'])
    .where('organisation_uuid', '=', organisation_uuid)
    .execute()
  const roles = await trx.selectFrom('roles').select('code').execute()
  const unitOf = new Map(units.map(({ code, uuid }) => [code, uuid]))
  const known = new Set(roles.map(({ code }) => code))
  return mapping.flatMap((rule) => {
    const unit_uuid = rule.unit === undefined ? null : unitOf.get(rule.unit)
    if (unit_uuid === undefined || !known.has(rule.role)) return []
    return [{ rule, place: { role_code: rule.role, unit_uuid } }]
  })
}

/** Whether a rule meets what is told of somebody: exactly, letter by letter. */
const meets = (rule: MappingRule, { groups, claims }: ToldPerson): boolean =>
  rule.group !== undefined ? groups.has(rule.group) : claims.get(rule.claim)?.includes(rule.equals) === true

interface Settling {
  some: readonly ToldPerson[]
  places: readonly { rule: MappingRule; place: MappedPlace }[]
  now: number
}

async function settle(
  trx: Kysely<Schema>,
  source: Source,
  { some, places, now }: Settling,
): Promise<AuditEvent[]> {
  const { held, sources } = await heldBy(
    trx,
    source.organisation_uuid,
    some.map((one) => one.user_uuid),
  )
  const isOurs = (one: ProfileSourceRow) => one.kind === source.kind && one.source_uuid === source.uuid
  const insert: ProfileRow[] = []
  const begun: ProfileSourceRow[] = []
  const kept = new Set<string>()
  for (const told of some) {
    const theirs = new Map((held.get(told.user_uuid) ?? []).map((one) => [keyOf(one), one]))
    const wanted = new Map(
      places.filter(({ rule }) => meets(rule, told)).map(({ place }) => [keyOf(place), place]),
    )
    for (const [key, place] of wanted) {
      const one = theirs.get(key)
      const uuid = one?.uuid ?? randomUUID()
      if (one === undefined) insert.push(newProfile(source, told.user_uuid, place, uuid))
      const known = sources.get(uuid) ?? []
      // A profile that knows no source was given by hand, and goes on as that.
      if (one !== undefined && known.length === 0)
        begun.push({ profile_uuid: uuid, kind: 'hand', source_uuid: '' })
      if (!known.some(isOurs)) begun.push({ profile_uuid: uuid, kind: source.kind, source_uuid: source.uuid })
      kept.add(uuid)
    }
  }
  const all = [...held.values()].flat()
  const lost = all.filter((one) => !kept.has(one.uuid) && sources.get(one.uuid)?.some(isOurs) === true)
  const only = lost.filter((one) => sources.get(one.uuid)?.every(isOurs) === true)
  const over = only.filter(({ active }) => active === 1)
  // What somebody disabled by hand stays so: it is theirs from now on, and would come back otherwise.
  for (const { uuid } of only.filter(({ active }) => active === 0))
    begun.push({ profile_uuid: uuid, kind: 'hand', source_uuid: '' })
  const remove = await rowsOfProfiles(trx, over)
  const how = { now, versions: 'overwritten', by: 'others', ends: 'each' } as const
  await write(trx, { profiles: { insert, remove } }, how)
  const gone = new Set(over.map((one) => one.uuid))
  const ended = lost.filter((one) => !gone.has(one.uuid))
  await writeSources(trx, begun, ended, source)
  await writeEnds(trx, source, { kept, ended, begun, sources, all, now })
  return eventsOf(source, { begun: begun.filter(isOurs), insert, remove, all, lost, now })
}

const newProfile = (
  { organisation_uuid }: Source,
  user_uuid: string,
  place: MappedPlace,
  uuid: string,
): ProfileRow => ({ uuid, user_uuid, organisation_uuid, ...place, active: 1, expires_at: null })

async function heldBy(
  trx: Kysely<Schema>,
  organisation_uuid: string,
  users: readonly string[],
): Promise<{ held: Map<string, Held[]>; sources: Map<string, ProfileSourceRow[]> }> {
  const everywhere = await trx
    .selectFrom('profiles')
    .select(['uuid', 'user_uuid', 'organisation_uuid', 'role_code', 'unit_uuid', 'active', 'counts_until'])
    .where('user_uuid', 'in', users)
    .execute()
  // Not asked of the database, which would look for them among all of the organisation.
  const rows = everywhere.filter((row) => row.organisation_uuid === organisation_uuid)
  const held = groupBy(rows, (row) => row.user_uuid)
  const given: ProfileSourceRow[] = []
  for (const some of chunksOf(rows.map((row) => row.uuid)))
    given.push(
      ...(await trx.selectFrom('profile_sources').selectAll().where('profile_uuid', 'in', some).execute()),
    )
  return { held, sources: groupBy(given, (row) => row.profile_uuid) }
}

async function rowsOfProfiles(trx: Kysely<Schema>, profiles: readonly Held[]): Promise<ProfileRow[]> {
  const rows: ProfileRow[] = []
  for (const some of chunksOf(profiles.map((one) => one.uuid)))
    rows.push(...(await trx.selectFrom('profiles').selectAll().where('uuid', 'in', some).execute()))
  return rows
}

async function writeSources(
  trx: Kysely<Schema>,
  begun: readonly ProfileSourceRow[],
  ended: readonly Held[],
  { kind, uuid: source_uuid }: Source,
): Promise<void> {
  const keys = ['profile_uuid', 'kind', 'source_uuid']
  await insertRows(trx, 'profile_sources', keys, begun)
  const gone = ended.map(({ uuid: profile_uuid }) => ({ profile_uuid, kind, source_uuid }))
  await deleteRows(trx, 'profile_sources', keys, gone)
}

/** The ends of these profiles: one that an upstream alone gives ages, any other source stands in for it. */
async function writeEnds(
  trx: Kysely<Schema>,
  source: Source,
  {
    kept,
    ended,
    begun,
    sources,
    all,
    now,
  }: {
    now: number
    all: readonly Held[]
    kept: ReadonlySet<string>
    ended: readonly Held[]
    begun: readonly ProfileSourceRow[]
    sources: ReadonlyMap<string, readonly ProfileSourceRow[]>
  },
): Promise<void> {
  const added = groupBy(begun, (one) => one.profile_uuid)
  const others = (uuid: string) =>
    [...(sources.get(uuid) ?? []), ...(added.get(uuid) ?? [])].filter(
      (one) => one.kind !== source.kind || one.source_uuid !== source.uuid,
    )
  const ages = (uuid: string) => others(uuid).every((one) => one.kind === 'upstream')
  const of = (uuid: string) => ({ uuid, counts_until: ages(uuid) ? source.countsUntil : null })
  // What upstreams alone give from now on ages from now on.
  const left = (one: Held) => ({
    uuid: one.uuid,
    counts_until: ages(one.uuid) ? (one.counts_until ?? recheckedUntil({ recheck_days: null }, now)) : null,
  })
  const before = new Map(all.map((one) => [one.uuid, one.counts_until]))
  const rows = [...[...kept].map(of), ...ended.map(left)].filter(
    ({ uuid, counts_until }) => counts_until !== (before.get(uuid) ?? null),
  )
  await updateRows(trx, 'profiles', { keys: ['uuid'], columns: ['counts_until'], also: [] }, rows)
}

function eventsOf(
  { kind, uuid, organisation_uuid }: Source,
  {
    begun,
    insert,
    remove,
    all,
    lost,
    now,
  }: {
    begun: readonly ProfileSourceRow[]
    insert: readonly ProfileRow[]
    remove: readonly ProfileRow[]
    all: readonly Held[]
    lost: readonly Held[]
    now: number
  },
): AuditEvent[] {
  const byUuid = new Map([...all, ...insert].map((one) => [one.uuid, one]))
  const made = byKey(insert, (one) => one.uuid)
  const gone = byKey(remove, (one) => one.uuid)
  const eventOf = (
    of: 'profile.mapped' | 'profile.unmapped',
    profile: MappedPlace & { uuid: string; user_uuid: string },
  ) => ({
    at: now,
    kind: of,
    actor: { kind, id: uuid },
    target: { kind: 'profile', id: profile.uuid },
    user_uuid: profile.user_uuid,
    organisation_uuid,
    detail: { role_code: profile.role_code, unit_uuid: profile.unit_uuid },
  })
  // What it alone gave is told whole.
  const whole = (row: ProfileRow | undefined) => row && { ...shownOf(profileThing, row), ...waitsAs(row) }
  return [
    ...begun.flatMap(({ profile_uuid }) => {
      const profile = byUuid.get(profile_uuid)
      const after = whole(made.get(profile_uuid))
      return profile === undefined ? [] : [{ ...eventOf('profile.mapped', profile), ...(after && { after }) }]
    }),
    ...lost.map((profile) => {
      const before = whole(gone.get(profile.uuid))
      return { ...eventOf('profile.unmapped', profile), ...(before && { before }) }
    }),
  ]
}
