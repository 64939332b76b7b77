/** Filters of lists (RFC 7644 §3.4.2.2), as conditions on what the tables have an index for. */
import { type RawBuilder, sql } from 'kysely'
import type { Filter } from 'scim2-parse-filter'
import { emailKey } from '../protocol/email-address.ts'
import { nameKey } from '../protocol/values.ts'
import { invalidFilter, parsedFilter } from './expression.ts'
import type { Kind, KindName } from './schemas.ts'
import { readFlag } from './values.ts'

type RowCondition = RawBuilder<boolean>
type Literal = string | number | boolean | null
type Test = (value: Literal, op: string) => RowCondition

/** The condition on a row of `scim_resources`. Throws `invalidFilter` where none of its columns answers. */
export async function listCondition(kind: Kind, text: string): Promise<RowCondition> {
  return conditionOf(kind, await parsedFilter(text))
}

function conditionOf(kind: Kind, filter: Filter): RowCondition {
  // The parser takes some other words for an operator between two filters.
  if ('filters' in filter) {
    if (filter.op !== 'and' && filter.op !== 'or') throw unanswered()
    const all = filter.op === 'and' ? joined(filter.filters) : filter.filters
    const conditions = all.map((one) => conditionOf(kind, one))
    return sql<boolean>`(${sql.join(conditions, filter.op === 'and' ? sql` and ` : sql` or `)})`
  }
  if (filter.op === '[]') return conditionInList(kind, filter.attrPath, filter.valFilter)
  if (!('compValue' in filter)) throw unanswered()
  const test = tests[kind.name].get(plainName(kind, filter.attrPath))
  if (test === undefined) throw unanswered()
  return test(filter.compValue, filter.op)
}

const unanswered = () =>
  invalidFilter(
    'A filter compares userName, externalId, id, emails.value, displayName of groups, active or members.value by eq, and meta.lastModified also by gt, ge, lt and le.',
  )

/** The name without the schema of the kind before it. */
function plainName({ schema }: Kind, path: string): string {
  const lower = path.toLowerCase()
  const prefix = `${schema.id.toLowerCase()}:`
  return lower.startsWith(prefix) ? lower.slice(prefix.length) : lower
}

/** The parser makes two filters of `emails[type eq "work"].value eq "…"`, which is about one address. */
function joined(filters: readonly Filter[]): Filter[] {
  const [first, second, ...rest] = filters
  if (first?.op !== '[]' || second?.op !== 'eq' || second.attrPath !== `${first.attrPath}.value`)
    return [...filters]
  const valFilter: Filter = {
    op: 'and',
    filters: [first.valFilter, { ...second, attrPath: 'value' }],
  }
  return [{ ...first, valFilter }, ...rest]
}

/** `emails[type eq "work" and value eq "…"]`, `members[value eq "…"]`. */
function conditionInList(kind: Kind, path: string, filter: Filter): RowCondition {
  const all = 'filters' in filter && filter.op === 'and' ? filter.filters : [filter]
  const said = new Map(
    all.map((one) => {
      if (!('compValue' in one) || one.op !== 'eq') throw unanswered()
      return [one.attrPath.toLowerCase(), textOf(one.compValue)]
    }),
  )
  const [value, type] = [said.get('value'), said.get('type')]
  const name = plainName(kind, path)
  const known = [value, type].filter((one) => one !== undefined).length
  if (known < all.length) throw unanswered()
  if (name === 'members' && value !== undefined && type === undefined) return hasMember(value)
  if (name === 'emails' && kind.name === 'User') return hasEmail({ value, type })
  throw unanswered()
}

function textOf(value: Literal): string {
  if (typeof value === 'string') return value
  throw invalidFilter('It is compared with a text.')
}

const same =
  (column: string, key = (text: string) => text): Test =>
  (value, op) => {
    if (op !== 'eq') throw unanswered()
    return sql<boolean>`${sql.ref(`scim_resources.${column}`)} = ${key(textOf(value))}`
  }

const inList =
  (has: (value: string) => RowCondition): Test =>
  (value, op) => {
    if (op !== 'eq') throw unanswered()
    return has(textOf(value))
  }

const hasEmail = ({
  value,
  type,
}: {
  value?: string | undefined
  type?: string | undefined
}): RowCondition => {
  const conditions = [
    ...(value === undefined ? [] : [sql`email_key = ${emailKey(value)}`]),
    ...(type === undefined ? [] : [sql`type = ${type.toLowerCase()}`]),
  ]
  return sql<boolean>`scim_resources.id in (
    select user_id from scim_emails where ${sql.join(conditions, sql` and `)})`
}

const hasMember = (id: string): RowCondition => sql<boolean>`scim_resources.id in (
  select group_id from scim_members join scim_resources as person on person.id = scim_members.user_id
  where scim_members.user_id = ${id} and person.deleted_at is null)`

const isActive: Test = (value, op) => {
  if (op !== 'eq') throw unanswered()
  return sql<boolean>`scim_resources.active = ${readFlag(value, 'active') ? 1 : 0}`
}

const comparisons = new Map([
  ['eq', sql`=`],
  ['gt', sql`>`],
  ['ge', sql`>=`],
  ['lt', sql`<`],
  ['le', sql`<=`],
])

const changedAt: Test = (value, op) => {
  const [comparison, at] = [comparisons.get(op), Date.parse(textOf(value))]
  if (comparison === undefined) throw unanswered()
  if (Number.isNaN(at)) throw invalidFilter('meta.lastModified: it is compared with a time.')
  return sql<boolean>`scim_resources.updated_at ${comparison} ${at}`
}

const common: readonly [string, Test][] = [
  ['id', same('id')],
  ['externalid', same('external_id')],
  ['meta.lastmodified', changedAt],
]
const byEmail = inList((value) => hasEmail({ value }))
const byMember = inList(hasMember)

/** The attributes that filters may name, in small letters. */
const tests: Readonly<Record<KindName, ReadonlyMap<string, Test>>> = {
  User: new Map([
    ...common,
    ['username', same('name_key', nameKey)],
    ['active', isActive],
    ['emails', byEmail],
    ['emails.value', byEmail],
  ]),
  Group: new Map([
    ...common,
    ['displayname', same('name_key', nameKey)],
    ['members', byMember],
    ['members.value', byMember],
  ]),
}
