/** The routes that are the same for all administered things. Each needs the permission `iam.<things>.<action>`. */
import * as z from 'zod'
import type { After, Page } from '../database/page.ts'
import { notFound } from '../protocol/problem.ts'
import type { Created, Repeatable } from './change.ts'
import { largestPage, paging } from './fields.ts'
import { type File, fileAnswer, fileTypes, format, pagesFrom } from './list-file.ts'
import { namesIn } from './named.ts'
import { cursorText, cursorValues } from './cursor.ts'
import { type AdministeredRow, idIn, type One, type Resource } from './resource.ts'
import {
  type RouteResponse,
  type RouteRequest,
  createdAnswer,
  type Described,
  type Documented,
  type Parsed,
  route,
  type Route,
} from './route.ts'

type RouteWords = Pick<Documented, 'summary' | 'description' | 'example' | 'columns' | 'named' | 'refusals'>
type ResourceAddress = Pick<Resource<AdministeredRow>, 'thing' | 'path' | 'key'>

const onePath = ({ path, key }: ResourceAddress) => `${path}/:${key}`
const needed = ({ path }: ResourceAddress, action: string) => `iam.${path.slice(1)}.${action}`
/** The name of the schema in the interface description. */
const schemaOf = ({ thing }: ResourceAddress) => `${thing.slice(0, 1).toUpperCase()}${thing.slice(1)}`

export const oneAnswer = <R extends AdministeredRow>({ shown }: Resource<R>, row: R): RouteResponse => ({
  status: 200,
  body: shown(row),
  version: row.version,
})

/** The answer with what was made, and where it is; `more` is shown this once. */
export const madeAnswer = <R extends AdministeredRow>(
  resource: Resource<R>,
  row: R,
  more: object = {},
): RouteResponse => ({
  status: 201,
  body: { ...resource.shown(row), ...more },
  version: row.version,
  location: `${resource.path}/${encodeURIComponent(String(row[resource.key]))}`,
})

/** What a list is asked for. */
interface ListAsked<Q extends z.ZodRawShape> extends RouteRequest {
  query: z.output<z.ZodObject<Q>>
  limit: number
  /** What is asked for beside. */
  include: readonly string[]
  /** The position where the page begins, by a cursor of `count` values. Throws for a wrong cursor. */
  after(count: number): After
}

interface List<Q extends z.ZodRawShape, R> extends RouteWords {
  /** What it can be narrowed by, beside the parameters of every list. */
  query?: Q
  rows(asked: ListAsked<Q>): Promise<Page<R>>
  /** What a file of it has: columns of its own, or those of its items, which this is the schema of. */
  file: File<R> | z.ZodObject
}

/** A list, page by page. */
export function listRoute<R, Q extends z.ZodRawShape = Record<never, never>>({
  query: filters,
  shown,
  rows,
  file,
  ...described
}: Omit<Described, 'method'> & List<Q, R> & { shown(row: R): object }): Route {
  const columnsOf = () => ('columns' in file ? file : { columns: Object.keys(file.shape), itemOf: shown })
  return route({
    ...described,
    method: 'GET',
    query: z.strictObject({ ...paging, ...filters, format }),
    files: Object.values(fileTypes),
    async handle({ query, ...asked }) {
      const sent = query as z.output<z.ZodObject<typeof paging & { format: typeof format }>>
      const { limit, cursor, include = [], format: as, ...narrowed } = sent
      const pageAt = async (most: number, after: ListAsked<Q>['after']) =>
        // The type of what is left is that of the filters.
        await rows({
          ...asked,
          query: narrowed as ListAsked<Q>['query'],
          include: as === undefined ? include : [],
          limit: most,
          after,
        })
      const after = (count: number) => cursorValues(cursor, count)
      if (as !== undefined) {
        const first = await pageAt(largestPage, after)
        const pages = pagesFrom(first, async (next) => await pageAt(largestPage, () => next), asked)
        return fileAnswer(columnsOf(), as, fileNameOf(described.path), pages)
      }
      const page = await pageAt(limit, after)
      const body = { items: page.rows.map(shown), next_cursor: cursorText(page.next) }
      if (!include.includes('names')) return { status: 200, body }
      const names = await namesIn(asked.service.store, asked.by.authority, body.items)
      return { status: 200, body: { ...body, names } }
    },
  })
}

/** Such as `deliveries` of `/webhooks/:uuid/deliveries`. */
const fileNameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1)

/** The part of a route that lists the things. */
export const listed = <R extends AdministeredRow>(resource: Resource<R>) => ({
  path: resource.path,
  permission: needed(resource, 'read'),
  answers: `${schemaOf(resource)}Page`,
  shown: resource.shown,
})

export function createRoute<R extends AdministeredRow, B extends z.ZodObject>(
  resource: Resource<R>,
  {
    make,
    ...described
  }: RouteWords & {
    body: B
    make(
      asked: RouteRequest & { body: Parsed<B> },
      repeatable: Repeatable<R> | undefined,
    ): Promise<Created<R>>
  },
): Route {
  const answer = (made: R) => madeAnswer(resource, made)
  return route({
    ...described,
    ...creation(resource),
    answers: schemaOf(resource),
    handle: async (asked) => createdAnswer(await make(asked, asked.repeatable(answer)), answer),
  })
}

/** How one is made. */
export const creation = (named: ResourceAddress) =>
  ({ method: 'POST', path: named.path, permission: needed(named, 'create') }) as const

export function readRoute<R extends AdministeredRow>(
  resource: Resource<R>,
  {
    builtIn,
    ...described
  }: RouteWords & {
    /** One that no table holds. */
    builtIn?(id: string, service: RouteRequest['service']): object | undefined
  },
): Route {
  return route({
    ...described,
    method: 'GET',
    path: onePath(resource),
    permission: needed(resource, 'read'),
    answers: schemaOf(resource),
    async handle({ service, by, param }) {
      const id = idIn(resource, param(resource.key), by.authority)
      const body = builtIn?.(id, service)
      if (body !== undefined) return { status: 200, body }
      const row = await resource.find(service.store.db, id, by.authority)
      if (row === undefined) throw notFound(resource.thing)
      return oneAnswer(resource, row)
    },
  })
}

export function changeRoute<R extends AdministeredRow, B extends z.ZodObject>(
  resource: Resource<R>,
  {
    change,
    ...described
  }: RouteWords & { body: B; change(asked: RouteRequest & { body: Parsed<B> }, one: One): Promise<R> },
): Route {
  return route({
    ...described,
    ...changing(resource),
    async handle(asked) {
      const id = idIn(resource, asked.param(resource.key), asked.by.authority)
      return oneAnswer(resource, await change(asked, { id, versions: asked.versions }))
    },
  })
}

/** How one is changed. */
export const changing = (named: ResourceAddress) =>
  ({
    method: 'PATCH',
    path: onePath(named),
    permission: needed(named, 'update'),
    answers: schemaOf(named),
  }) as const

export function removeRoute<R extends AdministeredRow>(
  resource: Resource<R>,
  { remove, ...described }: RouteWords & { remove(asked: RouteRequest, one: One): Promise<void> },
): Route {
  return route({
    ...described,
    method: 'DELETE',
    path: onePath(resource),
    permission: needed(resource, 'delete'),
    async handle(asked) {
      const id = idIn(resource, asked.param(resource.key), asked.by.authority)
      await remove(asked, { id, versions: asked.versions })
    },
  })
}
