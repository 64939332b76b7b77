/** A resource as it is shown (RFC 7643 §3), or the part of it that was asked for (RFC 7644 §3.9). */
import { ScimError } from './errors.ts'
import { namesIn } from './path.ts'
import { type ResourceRow, valuesOf } from './rows.ts'
import { type Kind, users } from './schemas.ts'
import { versionTag } from './version.ts'

export const resourceAddress = (base: string, { endpoint }: Kind, id: string): string =>
  `${base}${endpoint}/${id}`

type Shown = Readonly<Record<string, unknown>>

/** `members`: of a group, the ids; undefined: they are not asked for. */
export function shownResource(
  kind: Kind,
  row: ResourceRow,
  { base, members }: { base: string; members?: readonly string[] | undefined },
): Shown {
  const values = valuesOf(row)
  const extensions = kind.extensions.map(({ id }) => id).filter((id) => id in values)
  return {
    schemas: [kind.schema.id, ...extensions],
    id: row.id,
    ...values,
    ...(members !== undefined &&
      members.length > 0 && {
        members: members.map((value) => ({
          value,
          $ref: resourceAddress(base, users, value),
          type: users.name,
        })),
      }),
    meta: {
      resourceType: kind.name,
      created: new Date(row.created_at).toISOString(),
      lastModified: new Date(row.updated_at).toISOString(),
      location: resourceAddress(base, kind, row.id),
      version: versionTag(row.version),
    },
  }
}

/** Names in `attributes` or `excludedAttributes`: there are fewer than these. */
const mostNames = 100

type NamePath = readonly string[]

/** Which attributes are shown. */
export interface Selection {
  kind: 'these' | 'others'
  paths: readonly NamePath[]
}

const always = new Set(['schemas', 'id'])

/** What a query asks for; without anything, all but nothing is left out. */
export function selectionIn(kind: Kind, query: URLSearchParams): Selection {
  const listed = (name: string) =>
    (query.get(name) ?? '')
      .split(',')
      .map((one) => one.trim())
      .filter((one, index, all) => one !== '' && all.indexOf(one) === index)
      .slice(0, mostNames + 1)
      .map((one) => namesIn(kind, one).map((part) => part.toLowerCase()))
  const [these, others] = [listed('attributes'), listed('excludedAttributes')]
  if (these.length + others.length > mostNames)
    throw new ScimError('invalidValue', `attributes: at most ${mostNames} names.`)
  if (these.length > 0 && others.length > 0)
    throw new ScimError('invalidValue', 'attributes and excludedAttributes are not sent together.')
  return these.length > 0 ? { kind: 'these', paths: these } : { kind: 'others', paths: others }
}

/** Whether anything of an attribute is shown. */
export function selects({ kind, paths }: Selection, name: string): boolean {
  const ofIt = paths.filter(([first]) => first === name.toLowerCase())
  return kind === 'these' ? ofIt.length > 0 : !ofIt.some((path) => path.length === 1)
}

/** The part of a resource that was asked for. */
export const selected = (shown: Shown, selection: Selection): Shown =>
  Object.fromEntries(
    Object.entries(shown).flatMap(([name, value]) => {
      if (always.has(name)) return [[name, value]]
      if (!selects(selection, name)) return []
      return [[name, within(value, inner(selection, name))]]
    }),
  )

/** The selection within an attribute; undefined: all of it. */
function inner({ kind, paths }: Selection, name: string): Selection | undefined {
  const ofIt = paths.filter(([first]) => first === name.toLowerCase())
  if (ofIt.length === 0 || ofIt.some((path) => path.length === 1)) return undefined
  return { kind, paths: ofIt.map((path) => path.slice(1)) }
}

function within(value: unknown, selection: Selection | undefined): unknown {
  if (selection === undefined || typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((one: unknown) => within(one, selection))
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, one]: [string, unknown]) =>
      selects(selection, name) ? [[name, within(one, inner(selection, name))]] : [],
    ),
  )
}
