import { code } from '../catalogue/kinds.ts'
import type { SaidOf } from '../catalogue/thing.ts'
import { Fields, type Read, type Reading } from './fields.ts'
import { type ChangeKind, fieldsOf, type ThingOf } from './kinds.ts'
import { readerOf } from './values.ts'

/** A mapping of keys, of which `read` asks for all that there may be. */
export function mapping<T>(what: string, read: (fields: Fields, reading: Reading) => T): Read<T> {
  return (place, reading) => {
    const fields = Fields.of(place, what, reading)
    const value = fields && read(fields, reading)
    fields?.done()
    return value
  }
}

/**
 * What the file says of the thing's own fields, as bodies of the API have them. What is missing or wrong is left out; it
 * was reported. `readers` are of fields with rules of their own.
 */
export function readThing<K extends ChangeKind>(
  kind: K,
  fields: Fields,
  readers: { readonly [N in keyof ThingOf<K>]?: Read<unknown> } = {},
): SaidOf<ThingOf<K>> {
  const own = readers as Readonly<Record<string, Read<unknown>>>
  const said: Record<string, unknown> = {}
  for (const { name, field, isReference } of fieldsOf(kind)) {
    if (isReference) continue
    const read = own[name] ?? readerOf(field.kind)
    const isNeeded = field.nullable === undefined && field.initial === undefined
    const value = isNeeded ? fields.required(name, read) : fields.optional(name, read)
    if (value !== undefined) said[name] = value
  }
  return said as SaidOf<ThingOf<K>>
}

/** The code of something that the file declares elsewhere. */
export const codeOf = readerOf(code) as Read<string>
