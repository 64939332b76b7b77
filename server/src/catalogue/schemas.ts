import * as z from 'zod'
import { supportedScopes } from '../protocol/scope.ts'
import { dayProblem, instantOf, textProblem } from '../protocol/values.ts'
import { checked } from './checked.ts'
import type { FieldKind, ListKind, TextKind } from './kinds.ts'
import type { Changeable, Field, Needed, OfKind, Settable, ShownOf, Thing, ValueOf } from './thing.ts'

/** How bodies and answers have the things: schemas, of which the interface description and the command are made. */

type BodyOf<T extends Thing, Required extends keyof T, Optional extends keyof T> = z.ZodObject<
  { [N in Required]: z.ZodType<ValueOf<T[N]>> } & {
    [N in Optional]: z.ZodOptional<z.ZodType<ValueOf<T[N]>>>
  },
  z.core.$strict
>

type RowOf<T extends Thing> = z.ZodObject<
  { [N in Needed<T>]: z.ZodType<OfKind<T[N]['kind']>> } & {
    [N in Exclude<Settable<T>, Needed<T>>]: z.ZodOptional<z.ZodType<OfKind<T[N]['kind']>>>
  },
  z.core.$strict
>

/** What makes a new one. */
export function newBody<T extends Thing>(thing: T): BodyOf<T, Needed<T>, Exclude<Settable<T>, Needed<T>>> {
  return strictBody(thing, ({ set }) => set !== 'never', newValue) as ReturnType<typeof newBody<T>>
}

/** What makes a row or a thing of a declared file. What is absent is left out there, and never null. */
export function newRow<T extends Thing>(thing: T): RowOf<T> {
  const valueOfRow = ({ kind, nullable, initial }: Field) =>
    nullable === undefined && initial === undefined ? schemaOf(kind) : schemaOf(kind).optional()
  return strictBody(thing, ({ set }) => set !== 'never', valueOfRow) as RowOf<T>
}

/** What changes one. */
export function patchBody<T extends Thing>(thing: T): BodyOf<T, never, Changeable<T>> {
  const value = (field: Field) => valueOf(field).optional()
  return strictBody(thing, ({ set }) => set === undefined, value) as ReturnType<typeof patchBody<T>>
}

/** What is shown of one. */
export function shownSchema<T extends Thing>(
  thing: T,
): z.ZodObject<{ [N in keyof T]: z.ZodType<ShownOf<T>[N]> }, z.core.$strip> {
  const shape = shapeOf(Object.entries(thing), (field) => valueOf(field, 'shown'))
  return z.object(shape) as unknown as ReturnType<typeof shownSchema<T>>
}

function strictBody(
  thing: Thing,
  has: (field: Field) => boolean,
  value: (field: Field) => z.ZodType,
): unknown {
  const fields = Object.entries(thing).filter(([, field]) => has(field))
  return z.strictObject(shapeOf(fields, value))
}

/** Values are made when they are first asked for, which zod does late: a start makes few of all that there are. */
function shapeOf(
  fields: readonly (readonly [string, Field])[],
  value: (field: Field) => z.ZodType,
): Record<string, z.ZodType> {
  const shape: Record<string, z.ZodType> = {}
  for (const [name, field] of fields) {
    let made: z.ZodType | undefined
    Object.defineProperty(shape, name, { enumerable: true, get: () => (made ??= value(field)) })
  }
  return shape
}

function newValue(field: Field): z.ZodType {
  const value = valueOf(field)
  const { nullable, initial, tellsInitial } = field
  if (tellsInitial) return value.default(initial)
  return nullable === undefined && initial === undefined ? value : value.optional()
}

function valueOf({ kind, nullable, description }: Field, use?: 'shown'): z.ZodType {
  const bare = use === 'shown' && kind.is === 'instant' ? z.iso.datetime() : schemaOf(kind)
  const value: z.ZodType = nullable === true ? bare.nullable() : bare
  return description === undefined ? value : value.describe(description)
}

/** The schema of a kind of values: one for all fields that have it, for a schema takes long to make. */
export function schemaOf<K extends FieldKind>(kind: K): z.ZodType<OfKind<K>>
export function schemaOf(kind: FieldKind): z.ZodType {
  const made = schemas.get(kind) ?? newSchema(kind)
  schemas.set(kind, made)
  return made
}

const schemas = new WeakMap<FieldKind, z.ZodType>()

function newSchema(kind: FieldKind): z.ZodType {
  switch (kind.is) {
    case 'text':
      return textSchema(kind)
    case 'flag':
    case 'presence':
      return z.boolean()
    case 'instant':
      return instant
    case 'day':
      return day
    case 'seconds':
      return z.int().min(1).max(kind.most)
    case 'choice':
      return z.enum(kind.among)
    case 'scope':
      return scope
    case 'json':
      return kind.schema
    case 'list':
      return listSchema(kind)
  }
}

function textSchema({ problem, most, lower, format, pattern }: TextKind): z.ZodType {
  const text = checked(problem, most)
  const kept = lower === true ? text.overwrite((value) => value.toLowerCase()) : text
  if (format === undefined && pattern === undefined) return kept
  return kept.meta({ ...(format !== undefined && { format }), ...(pattern !== undefined && { pattern }) })
}

const instant = checked(
  (value) => (instantOf(value) === undefined ? 'is no time; write 2031-01-31T12:00:00Z' : undefined),
  40,
).meta({ format: 'date-time' })

const day = checked(dayProblem, 10).meta({ format: 'date' })

const scope = checked((value) => textProblem(200)(value) ?? unknownScope(value), 200)

function unknownScope(value: string): string | undefined {
  const named = value.split(' ').filter((one) => one !== '')
  const unknown = named.find((one) => supportedScopes.every((known) => known !== one))
  if (unknown === undefined) return undefined
  return `has the unknown scope ${JSON.stringify(unknown)}; there are ${supportedScopes.join(', ')}`
}

function listSchema({ of, most, emptyProblem }: ListKind): z.ZodType {
  const list = z.array(schemaOf(of)).max(most)
  const filled = emptyProblem === undefined ? list : list.min(1, { error: emptyProblem })
  return filled.refine((all) => new Set(all).size === all.length, {
    error: 'Something stands in it twice.',
    params: { isTwice: true },
  })
}
