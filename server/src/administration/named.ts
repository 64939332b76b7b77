/** The names of the people and places that an answer mentions by their uuids. */
import { unitsFrom } from '../access/reach.ts'
import { rowsOf } from '../database/rows.ts'
import type { Store } from '../database/store.ts'
import { isUuid } from '../protocol/values.ts'
import type { Authority } from './authority.ts'
import type { Names } from './fields.ts'

type NamedKind = Names[string]['kind']

/** The fields that hold a uuid of a kind. */
const fields: Readonly<Record<string, NamedKind>> = {
  user_uuid: 'user',
  organisation_uuid: 'organisation',
  organisation_unit_uuid: 'unit',
  unit_uuid: 'unit',
  parent_uuid: 'unit',
}

/** Values of audit records can mention any number. */
const most = 1000

type Mentioned = Readonly<Record<NamedKind, Set<string>>>

function collect(value: unknown, mentioned: Mentioned): void {
  if (typeof value !== 'object' || value === null) return
  // An actor or a target of the audit.
  const { kind, id } = value as Record<string, unknown>
  for (const [name, inner] of [...Object.entries(value), [`${String(kind)}_uuid`, id] as const]) {
    const of = fields[name]
    if (of === undefined) collect(inner, mentioned)
    else if (typeof inner === 'string' && isUuid(inner) && mentioned[of].size < most) mentioned[of].add(inner)
  }
}

/** One query for each kind that is mentioned: within the reach, and where the caller may read that kind. */
export async function namesIn({ db }: Store, authority: Authority, body: unknown): Promise<Names> {
  const mentioned: Mentioned = { user: new Set(), organisation: new Set(), unit: new Set() }
  collect(body, mentioned)
  const { permissions, reach } = authority
  const asked = (kind: NamedKind) => (permissions.has(`iam.${kind}s.read`) ? [...mentioned[kind]] : [])
  const found: Names = {}
  const people = asked('user')
  if (people.length > 0) {
    const place = reach.unit_uuid ?? reach.organisation_uuid
    const members = db
      .selectFrom('members')
      .select('user_uuid')
      .where('place_uuid', '=', place ?? '')
    const rows = await rowsOf(db, 'users', { uuid: people })
      .$if(place !== undefined, (query) => query.where('uuid', 'in', members))
      .execute()
    for (const { uuid, name, email } of rows) found[uuid] = { kind: 'user', name, email }
  }
  const organisations = asked('organisation').filter((one) => one === (reach.organisation_uuid ?? one))
  if (organisations.length > 0) {
    const rows = await rowsOf(db, 'organisations', { uuid: organisations }).execute()
    for (const { uuid, name, code } of rows) found[uuid] = { kind: 'organisation', name, code }
  }
  const units = asked('unit')
  if (units.length > 0) {
    const below = reach.unit_uuid === undefined ? undefined : await unitsFrom(db, reach.unit_uuid)
    const rows = await rowsOf(db, 'units', {
      uuid: units,
      organisation_uuid: reach.organisation_uuid,
    }).execute()
    for (const { uuid, name, code } of rows)
      if (below?.has(uuid) !== false) found[uuid] = { kind: 'unit', name, code }
  }
  return found
}
