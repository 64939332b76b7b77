/**
 * Things as they were at a moment of the past: from those of now each record since is taken back, newest first. No
 * table is read here: the caller gives all that is told of.
 */
import { isDeepStrictEqual } from 'node:util'

/** ThingValues of a thing, by the names that the API has for them. */
export type ThingValues = Readonly<Record<string, unknown>>

/** A record of the audit, as far as this asks for it. */
export interface PastRecord {
  at: number
  kind: string
  actor_kind: string
  actor_id: string | null
  target_id: string | null
  user_uuid: string | null
  organisation_uuid: string | null
  before?: ThingValues
  after?: ThingValues
  detail?: ThingValues
}

/** The records contradict what is there: from this time on it can be told. */
export class Untold extends Error {
  readonly since: number

  constructor(since: number) {
    super('The audit does not tell it.')
    this.since = since
  }
}

/** Things by what they are and what they are known by; one that is not there is absent. */
export type Things = ReadonlyMap<string, ThingValues>

export const keyOf = (thing: string, id: string): string => `${thing} ${id}`

/** Fields that must be as the records say, and those merely told. */
const fields: Readonly<Record<string, { firm: readonly string[]; told: readonly string[] }>> = {
  user: { firm: ['active'], told: ['name'] },
  profile: { firm: ['role_code', 'active', 'expires_at'], told: ['unit', 'organisation_uuid', 'user_uuid'] },
  role: { firm: ['permissions', 'active'], told: ['name'] },
  organisation: { firm: ['active'], told: ['name'] },
  unit: { firm: ['active'], told: ['name', 'code', 'organisation_uuid'] },
}

/** The things at a moment. Throws `Untold`. `records` are those since, in the order in which they happened. */
export function takenBack(now: Things, records: readonly PastRecord[]): Things {
  const things = new Map(now)
  for (const record of records.toReversed()) takeBack(things, record)
  return things
}

function takeBack(things: Map<string, ThingValues>, record: PastRecord): void {
  const { kind, target_id: id, user_uuid, before, after } = record
  if (id === null) return
  const [thing = '', action = ''] = kind.split('.')
  if (kind === 'person.provisioned') things.delete(keyOf('user', id))
  else if (thing === 'deletion' || thing === 'person') {
    const active = activeBy(action, record)
    if (active === undefined) return
    const values = { before: { active: !active }, after: { active } }
    change(things, keyOf('user', user_uuid ?? id), values, record)
  } else if (fields[thing] === undefined) return
  else if (action === 'created' || (action === 'mapped' && after !== undefined)) {
    if (!things.delete(keyOf(thing, id))) throw new Untold(record.at)
  } else if (action === 'removed' || (action === 'unmapped' && before !== undefined)) {
    if (things.has(keyOf(thing, id))) throw new Untold(record.at)
    things.set(keyOf(thing, id), named(thing, before ?? {}, record))
  } else if (action === 'changed') {
    const [old, made] = [named(thing, before ?? {}), named(thing, after ?? {})]
    change(things, keyOf(thing, id), { before: old, after: made }, record)
  }
}

/** Whether an account was enabled or disabled by what happened to its person; undefined: it stayed as it was. */
function activeBy(
  action: string,
  { after, detail }: Pick<PastRecord, 'after' | 'detail'>,
): boolean | undefined {
  if (action === 'requested') return false
  if (action === 'undone') return after?.['active'] === true ? true : undefined
  const account = detail?.['account']
  return account === 'enabled' ? true : account === 'disabled' ? false : undefined
}

function change(
  things: Map<string, ThingValues>,
  key: string,
  { before, after }: { before: ThingValues; after: ThingValues },
  { at }: PastRecord,
): void {
  const { firm = [], told = [] } = fields[key.split(' ')[0] ?? ''] ?? {}
  const changed = [...firm, ...told].filter((name) => Object.hasOwn(after, name))
  if (changed.length === 0) return
  const now = things.get(key)
  if (now === undefined) throw new Untold(at)
  for (const name of changed) if (firm.includes(name) && !isSame(now[name], after[name])) throw new Untold(at)
  const was = Object.fromEntries(changed.map((name) => [name, before[name] ?? null]))
  things.set(key, { ...now, ...was })
}

/** A declared file may name permissions in another order. */
const isSame = (one: unknown, other: unknown): boolean =>
  Array.isArray(one) && Array.isArray(other)
    ? isDeepStrictEqual(new Set(one), new Set(other))
    : isDeepStrictEqual(one, other)

/** ThingValues as a record has them, by the names of the API: a declared file has codes where that has uuids. */
function named(thing: string, values: ThingValues, record?: PastRecord): ThingValues {
  const { organisation_uuid: organisation = null, user_uuid: user = null } = record ?? {}
  const place = record === undefined ? {} : { organisation_uuid: organisation }
  if (thing === 'unit') return { ...values, ...place, ...codeOf(record) }
  if (thing !== 'profile') return values
  const { role, unit, organisation_unit_uuid: uuid, ...others } = values
  return {
    ...others,
    ...place,
    ...(record !== undefined && { uuid: record.target_id, user_uuid: user }),
    ...(role !== undefined && { role_code: role }),
    ...(unit !== undefined && { unit: unit === null ? null : { code: unit } }),
    ...(uuid !== undefined && { unit: uuid === null ? null : { uuid } }),
  }
}

/** A declared file knows a unit by its organisation and its code. */
function codeOf(record: PastRecord | undefined): ThingValues {
  const id = record?.detail?.['id']
  return typeof id === 'string' && id.includes('/') ? { code: id.slice(id.indexOf('/') + 1) } : {}
}

/** A change that a record tells of: when it was, what the thing was before, and what it became. */
export interface Turn<T> {
  at: number
  before: T
  after: T
}

/** The state at a moment: after the last turn until then, else before the first one since, else as it is now. */
export function turnedAt<T>(turns: readonly Turn<T>[], at: number, now: T): T {
  const last = turns.findLast((one) => one.at <= at)
  if (last !== undefined) return last.after
  const next = turns.find((one) => one.at > at)
  return next === undefined ? now : next.before
}
