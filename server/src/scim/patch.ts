/** PATCH as providers send it (RFC 7644 §3.5.2). All of its operations count, or none does. */
import { ScimError } from './errors.ts'
import { type MemberChanges, membersAfter, noMemberChanges } from './member-changes.ts'
import { holds, impliedBy, type PatchOp, type PatchPath, patchPath } from './path.ts'
import type { Kind } from './schemas.ts'
import {
  distinct,
  isList,
  isObject,
  isValues,
  mostValues,
  noValues,
  onePrimary,
  readValue,
  readValues,
  type Value,
  type Values,
  withValues,
} from './values.ts'

export interface Patched {
  values: Values
  /** What becomes of the members of a group, which are no part of its values. */
  members: MemberChanges
}

interface Operation {
  op: PatchOp
  path: string | undefined
  value: unknown
}

/** What becomes of a resource. What it was stays as it is. */
export async function patched(kind: Kind, before: Values, body: unknown): Promise<Patched> {
  const after: Patched = { values: readValues(kind.attributes, before), members: noMemberChanges() }
  for (const { op, path, value } of operationsIn(body)) {
    if (path !== undefined) apply(after, op, await patchPath(kind, path), value)
    else await applyEach(kind, after, op, value)
  }
  // Reads again what has come of it: what has become empty goes.
  return { ...after, values: readValues(kind.attributes, after.values) }
}

function operationsIn(body: unknown): Operation[] {
  const listed = isObject(body) ? named(body, 'operations') : undefined
  if (!Array.isArray(listed)) throw invalidSyntax('Operations: it is a list.')
  if (listed.length > mostOperations)
    throw new ScimError('tooMany', `Operations: at most ${mostOperations} at once; send several requests.`)
  return listed.map((one: unknown) => {
    if (!isObject(one)) throw invalidSyntax('Operations: each is an object.')
    const [op, path] = [named(one, 'op'), named(one, 'path')]
    const known = ops.find((name) => typeof op === 'string' && name === op.toLowerCase())
    if (known === undefined) throw invalidSyntax('op: it is add, replace or remove.')
    if (typeof path !== 'string' && path !== undefined && path !== null)
      throw invalidSyntax('path: it is a text.')
    return { op: known, path: path === '' || path === null ? undefined : path, value: named(one, 'value') }
  })
}

/** What one request may ask: each operation goes through the values that there are. */
const mostOperations = 1000

const ops: readonly PatchOp[] = ['add', 'replace', 'remove']
const invalidSyntax = (detail: string) => new ScimError('invalidSyntax', detail)
const named = (object: Readonly<Record<string, unknown>>, key: string): unknown =>
  Object.entries(object).find(([name]) => name.toLowerCase() === key)?.[1]

/** An operation without a path: each name of the value is one. As in a whole resource, unknown names are left out. */
async function applyEach(kind: Kind, after: Patched, op: PatchOp, value: unknown): Promise<void> {
  if (op === 'remove') throw new ScimError('noTarget', 'path: a removal names what it removes.')
  if (!isObject(value)) throw new ScimError('invalidValue', 'value: without a path it is an object.')
  for (const [name, one] of Object.entries(value)) {
    const path = await patchPath(kind, name).catch((error: unknown) => {
      if (error instanceof ScimError && error.scimType === 'invalidPath') return undefined
      throw error
    })
    if (path !== undefined && !isReadOnly(path)) apply(after, op, path, one)
  }
}

const isReadOnly = ({ within, attribute, part }: PatchPath): boolean =>
  [...within, attribute, part].some((one) => one?.mutability === 'readOnly')

function apply(after: Patched, op: PatchOp, path: PatchPath, sent: unknown): void {
  const { within, attribute } = path
  if (isReadOnly(path)) throw new ScimError('mutability', `${attribute.name}: nobody sets it.`)
  if (attribute.name === 'members') after.members = membersAfter(after.members, op, path, sent)
  else {
    let around = after.values
    for (const { name } of within) around = innerValues(around, name)
    const value = applied(around[attribute.name], op, path, sent)
    if (value === undefined) delete around[attribute.name]
    else around[attribute.name] = value
  }
}

/** The complex value of this name, which is there from now on. */
function innerValues(around: Values, name: string): Values {
  const had = around[name]
  const inner = isValues(had) ? had : noValues()
  around[name] = inner
  return inner
}

/** What becomes of one value; undefined: it goes. */
function applied(had: Value | undefined, op: PatchOp, path: PatchPath, sent: unknown): Value | undefined {
  const { attribute, which, part } = path
  if (attribute.multiValued) {
    const list = isList(had) ? had : []
    return which === undefined && part === undefined
      ? wholeList(list, op, path, sent)
      : chosenValues(list, op, path, sent)
  }
  if (op === 'remove') return undefined
  const value = readValue(attribute, sent)
  if (value === undefined) return op === 'add' ? had : undefined
  return isValues(value) && isValues(had) ? withValues(had, value) : value
}

function wholeList(
  list: readonly Values[],
  op: PatchOp,
  { attribute }: PatchPath,
  sent: unknown,
): Value | undefined {
  const value = readValue(attribute, sent)
  const values = isList(value) ? value : []
  if (list.length + values.length > mostValues)
    throw new ScimError('tooMany', `${attribute.name}: at most ${mostValues} values.`)
  if (op === 'add') return onePrimary(distinct([...list, ...values]))
  if (op === 'replace') return values
  // Entra removes with values what is to go, and nothing else.
  return sent === undefined || sent === null ? undefined : list.filter((one) => !values.some(isSame(one)))
}

const isSame = (one: Values) => (other: Values) =>
  other.value === undefined
    ? JSON.stringify(one) === JSON.stringify(other)
    : one.value === other.value && (other.type === undefined || one.type === other.type)

/** What a filter chooses of a list, or a part of it. What is not there is made. */
function chosenValues(
  list: readonly Values[],
  op: PatchOp,
  { attribute, which, part }: PatchPath,
  sent: unknown,
): Value | undefined {
  const chosen = new Set(list.filter((one) => holds(which, one)))
  if (op === 'remove') {
    if (part === undefined) return list.filter((one) => !chosen.has(one))
    return list.map((one) => (chosen.has(one) ? without(one, part.name) : one))
  }
  const { multiValued: _, ...single } = attribute
  const read = part === undefined ? readValue(single, sent) : readValue(single, { [part.name]: sent })
  const set = isValues(read) ? read : {}
  const made = chosen.size === 0 ? [withValues(impliedValues(which), set)] : []
  const others = set.primary === true ? { primary: false } : {}
  const changed = list.map((one) => withValues(one, chosen.has(one) ? set : one.primary ? others : {}))
  return onePrimary([...changed, ...made])
}

function impliedValues(which: PatchPath['which']): Values {
  const implied = impliedBy(which)
  if (implied === undefined) throw new ScimError('noTarget', 'path: no value is like that.')
  return withValues(noValues(), implied)
}

function without(values: Values, name: string): Values {
  const left = withValues(values, {})
  delete left[name]
  return left
}
