import { type Method, type Route } from '../administration/route.ts'
import { adminRoutes } from '../administration/routes.ts'

/** An object that the API answers with. */
export type ApiObject = Readonly<Record<string, unknown>>

export interface ApiCall {
  route: Route
  /** The parameters of the path. */
  params?: Readonly<Record<string, string>>
  query?: URLSearchParams
  body?: ApiObject
  /** The ETag that If-Match names. */
  match?: string | undefined
  /** Changes also what a declared file manages. */
  overridesFile?: boolean
}

export interface Answered {
  /** Empty where the answer has no body. */
  body: ApiObject
  etag: string | undefined
  /** What a long work tells as it goes on, instead of a body. */
  lines?: AsyncIterable<ApiObject>
}

/** The objects of a text that comes in pieces, one on each line. */
export async function* linesOf(text: AsyncIterable<string>): AsyncGenerator<ApiObject> {
  let kept = ''
  for await (const piece of text) {
    const lines = (kept + piece).split('\n')
    kept = lines.pop() ?? ''
    for (const line of lines) yield JSON.parse(line) as ApiObject
  }
}

/** The administration API, over HTTP or straight on the database. `ask` throws `Refused`. */
export interface Connection {
  ask(asking: ApiCall): Promise<Answered>
  close(): Promise<void>
}

/** The route of the administration API that does it. */
export function routeOf(method: Method, path: string): Route {
  const found = findRoute(method, path)
  if (found === undefined) throw new Error(`There is no route ${method} ${path}.`)
  return found
}

export const findRoute = (method: Method, path: string): Route | undefined =>
  adminRoutes.find((one) => one.method === method && one.path === path)

/** What a list answers, page after page. */
export async function* pagesOf(connection: Connection, asking: ApiCall): AsyncGenerator<ApiObject[]> {
  const query = new URLSearchParams({ limit: '200' })
  for (const [name, value] of asking.query ?? []) query.set(name, value)
  for (;;) {
    const { body } = await connection.ask({ ...asking, query })
    const { items, next_cursor: next } = body as { items: ApiObject[]; next_cursor: string | null }
    yield items
    if (next === null) return
    query.set('cursor', next)
  }
}
