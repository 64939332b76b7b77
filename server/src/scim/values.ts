/** The values of a resource, as they are kept: by the names of the schema, and by no other. */
import { invalidValue } from './errors.ts'
import { type Attribute, attributeNamed } from './schemas.ts'

export type Value = string | boolean | Values | readonly Values[]
/** An object without a prototype, so that no name of one is ever met. */
export interface Values {
  [name: string]: Value
}

export const noValues = (): Values => Object.create(null) as Values

export const isObject = (sent: unknown): sent is Readonly<Record<string, unknown>> =>
  typeof sent === 'object' && sent !== null && !Array.isArray(sent)

export const isList = (value: Value | undefined): value is readonly Values[] => Array.isArray(value)

export const isValues = (value: Value | undefined): value is Values =>
  typeof value === 'object' && !isList(value)

/** What these attributes are in what was sent. Names that are unknown here, and what nobody sets, are left out. */
export function readValues(attributes: readonly Attribute[], sent: object, path = ''): Values {
  const values = noValues()
  for (const [name, one] of Object.entries(sent)) {
    const attribute = attributeNamed(attributes, name)
    if (attribute === undefined || attribute.mutability === 'readOnly') continue
    const value = readValue(attribute, one, path)
    if (value !== undefined) values[attribute.name] = value
  }
  return values
}

/** A value as it was sent; undefined: none was. Throws `invalidValue`. */
export function readValue(attribute: Attribute, sent: unknown, within = ''): Value | undefined {
  const path = within === '' ? attribute.name : `${within}.${attribute.name}`
  // RFC 7643 §2.5
  if (sent === null || sent === undefined || sent === '') return undefined
  if (attribute.multiValued) return readList(attribute, [sent].flat(), path)
  if (attribute.type === 'complex') return readComplex(attribute, sent, path)
  if (attribute.type === 'boolean') return readFlag(sent, path)
  return readText(attribute, sent, path)
}

/** Values of one name, such as addresses: each is compared with the others, and shown in every list. */
export const mostValues = 100

function readList(attribute: Attribute, sent: readonly unknown[], path: string): Value | undefined {
  // A group tells only the members that change: see `member-changes`.
  if (attribute.name !== 'members' && sent.length > mostValues)
    throw invalidValue(path, `it has at most ${mostValues} values.`)
  const values = sent.map((one) => readComplex(attribute, one, path)).filter((one) => one !== undefined)
  return values.length === 0 ? undefined : onePrimary(distinct(values))
}

/** A text stands for the `value`, as providers send a manager. */
function readComplex(attribute: Attribute, sent: unknown, path: string): Values | undefined {
  const { subAttributes = [] } = attribute
  const isBare = typeof sent === 'string' && attributeNamed(subAttributes, 'value') !== undefined
  const object = isBare ? { value: sent } : sent
  if (!isObject(object)) throw invalidValue(path, 'it is an object.')
  const values = readValues(subAttributes, object, path)
  return Object.keys(values).length === 0 ? undefined : values
}

/** Providers send `"True"` and `"False"`. */
export function readFlag(sent: unknown, path: string): boolean {
  if (typeof sent === 'boolean') return sent
  const text = typeof sent === 'string' ? sent.toLowerCase() : ''
  if (text === 'true' || text === 'false') return text === 'true'
  throw invalidValue(path, 'it is true or false.')
}

const longest = { text: 1000, binary: 20_000 }

function readText({ type }: Attribute, sent: unknown, path: string): string {
  if (typeof sent !== 'string') throw invalidValue(path, 'it is a text.')
  if (sent.length > (type === 'binary' ? longest.binary : longest.text))
    throw invalidValue(path, 'it is too long.')
  // PostgreSQL can't store NUL or half of a surrogate pair.
  if (/\0|\p{Cs}/u.test(sent)) throw invalidValue(path, 'it holds a character that no text has.')
  return sent
}

/** Each value once. */
export const distinct = (values: readonly Values[]): Values[] => [
  ...new Map(values.map((one) => [JSON.stringify(one), one])).values(),
]

/** One value is primary at the most (RFC 7643 §2.4): the last that says so. */
export function onePrimary(values: readonly Values[]): Values[] {
  const last = values.findLastIndex((one) => one.primary === true)
  return values.map((one, index) =>
    one.primary === true && index !== last ? withValues(one, { primary: false }) : one,
  )
}

export const withValues = (values: Values, more: Readonly<Record<string, Value>>): Values =>
  Object.assign(noValues(), values, more)

/** What was kept, which was read before. */
export const keptValues = (attributes: readonly Attribute[], text: string): Values =>
  readValues(attributes, JSON.parse(text) as object)
