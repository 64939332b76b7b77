/** What a PATCH names (RFC 7644 §3.5.2): `name.givenName`, `emails[type eq "work"].value`, `urn:…:User:manager`. */
import type { Filter } from 'scim2-parse-filter'
import { ScimError } from './errors.ts'
import { invalidFilter, parsedFilter } from './expression.ts'
import { type Attribute, attributeNamed, type Kind } from './schemas.ts'
import { readFlag, type Values } from './values.ts'

export type PatchOp = 'add' | 'replace' | 'remove'

export interface PatchPath {
  /** The complex attributes around it, from the outside. */
  within: readonly Attribute[]
  attribute: Attribute
  /** Which values of a list; undefined: all. */
  which: ValueCondition | undefined
  /** A part of each value of a list. */
  part: Attribute | undefined
}

/** A condition on one value of a list. */
export type ValueCondition =
  | { op: 'and'; all: readonly ValueCondition[] }
  | { op: 'or'; all: readonly ValueCondition[] }
  | { op: 'eq'; attribute: Attribute; value: string | boolean }

const invalidPath = (path: string) =>
  new ScimError('invalidPath', `${path.slice(0, 200)}: there is no such attribute.`)

const bracketed = /^([^[\]]*)\[([^\]]*)\](?:\.([^.[\]]+))?$/

/** Reads a path. Throws `invalidPath` or `invalidFilter`. */
export async function patchPath(kind: Kind, text: string): Promise<PatchPath> {
  const [, before = text, filter, part] = bracketed.exec(text) ?? []
  const names = namesIn(kind, before)
  const found = walked(kind.attributes, names) ?? walked(kind.attributes, names.slice(0, -1))
  if (found === undefined) throw invalidPath(text)
  const { within, attribute } = found
  const { subAttributes = [] } = attribute
  const partName = part ?? (found.depth < names.length ? names.at(-1) : undefined)
  const partly = partName === undefined ? undefined : attributeNamed(subAttributes, partName)
  const isPartly = partName !== undefined
  if (isPartly !== (partly !== undefined)) throw invalidPath(text)
  if ((isPartly || filter !== undefined) && !attribute.multiValued) throw invalidPath(text)
  if (part !== undefined && found.depth < names.length) throw invalidPath(text)
  const which = filter === undefined ? undefined : conditionOn(subAttributes, await parsedFilter(filter))
  return { within, attribute, which, part: partly }
}

/** The names of a path, without the schema of the kind itself before them; that of an extension is a name. */
export function namesIn({ schema, extensions }: Kind, text: string): string[] {
  const lower = text.toLowerCase()
  for (const { id } of [schema, ...extensions]) {
    if (lower !== id.toLowerCase() && !lower.startsWith(`${id.toLowerCase()}:`)) continue
    const rest = text.slice(id.length + 1)
    return [...(id === schema.id ? [] : [id]), ...(rest === '' ? [] : rest.split('.'))]
  }
  return text.split('.')
}

interface Walked {
  within: readonly Attribute[]
  attribute: Attribute
  depth: number
}

/** The attribute at the end of these names, none of which is a list but the last. */
function walked(attributes: readonly Attribute[], names: readonly string[]): Walked | undefined {
  const way: Attribute[] = []
  for (const name of names) {
    const inner = way.at(-1)
    if (inner?.multiValued) return undefined
    const next = attributeNamed(inner === undefined ? attributes : (inner.subAttributes ?? []), name)
    if (next === undefined) return undefined
    way.push(next)
  }
  const attribute = way.pop()
  return attribute && { within: way, attribute, depth: names.length }
}

function conditionOn(attributes: readonly Attribute[], filter: Filter): ValueCondition {
  if (filter.op === 'and' || filter.op === 'or')
    return { op: filter.op, all: filter.filters.map((one) => conditionOn(attributes, one)) }
  const attribute = 'attrPath' in filter ? attributeNamed(attributes, filter.attrPath) : undefined
  if (filter.op !== 'eq' || attribute === undefined)
    throw invalidFilter('A path takes eq, and and or, on what the value has.')
  const value = filter.compValue
  if (attribute.type === 'boolean') return { op: 'eq', attribute, value: readFlag(value, attribute.name) }
  if (typeof value !== 'string') throw invalidFilter(`${attribute.name} is a text.`)
  return { op: 'eq', attribute, value }
}

/** Whether the condition holds for a value of the list. */
export function holds(condition: ValueCondition | undefined, values: Values): boolean {
  if (condition === undefined) return true
  if (condition.op === 'and') return condition.all.every((one) => holds(one, values))
  if (condition.op === 'or') return condition.all.some((one) => holds(one, values))
  const { attribute, value } = condition
  const has = values[attribute.name]
  if (attribute.caseExact || typeof value === 'boolean' || typeof has !== 'string') return has === value
  return has.toLowerCase() === value.toLowerCase()
}

/** What a value is for which the condition holds; undefined: it says no single one. */
export function impliedBy(
  condition: ValueCondition | undefined,
): Readonly<Record<string, string | boolean>> | undefined {
  if (condition === undefined) return {}
  if (condition.op === 'eq') return { [condition.attribute.name]: condition.value }
  if (condition.op === 'or') return undefined
  const implied = new Map<string, string | boolean>()
  for (const one of condition.all) {
    const more = impliedBy(one)
    if (more === undefined) return undefined
    for (const [name, value] of Object.entries(more)) implied.set(name, value)
  }
  return Object.fromEntries(implied)
}
