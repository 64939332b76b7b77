import { Option, type Command } from 'commander'
import { type Method, type Route } from '../admin/route.ts'
import { adminRoutes } from '../admin/routes.ts'
import { problemDocument } from '../http/problems.ts'
import { notFound } from '../protocol/problem.ts'
import { onDatabase } from './on-database.ts'
import { overHttp } from './over-http.ts'
import { Refused, type Typed } from './refused.ts'
import type { World } from './world.ts'

/** What the API answers with. */
export type Thing = Readonly<Record<string, unknown>>

export interface Asking {
  route: Route
  /** For the parameters of its path. */
  params?: Readonly<Record<string, string>>
  query?: URLSearchParams
  body?: Thing
  /** The ETag that If-Match names. */
  match?: string | undefined
  /** Also what a declared file manages. */
  overridesFile?: boolean
}

export interface Answered {
  /** Empty where the answer has no body. */
  body: Thing
  etag: string | undefined
}

/** The administration API, over HTTP or straight on the database. `ask` throws `Refused`. */
export interface Connection {
  ask(asking: Asking): Promise<Answered>
  close(): Promise<void>
}

export type Connect = (world: World, url: string | undefined) => Promise<Connection>

/** By the API at this address, else the database that the settings name. */
export const connect: Connect = async (world, url = world.environment.TESSERA_URL) =>
  url === undefined || url === '' ? await onDatabase(world) : overHttp(url, world.environment)

/** The route of the administration API that does it. */
export function routeOf(method: Method, path: string): Route {
  const found = findRoute(method, path)
  if (found === undefined) throw new Error(`There is no route ${method} ${path}.`)
  return found
}

export const findRoute = (method: Method, path: string): Route | undefined =>
  adminRoutes.find((one) => one.method === method && one.path === path)

export interface Options {
  url?: string
  json?: boolean
  overrideFile?: boolean
}

/** The options of everything that asks the administration API. */
export function withConnectionOptions(command: Command, { refusals = [] }: Pick<Route, 'refusals'>): Command {
  if (refusals.includes('managed_by_file')) {
    command.option(
      '--override-file',
      'also what a declared file manages; its next application takes the change back',
    )
  }
  return command
    .addOption(
      new Option('--url <address>', 'by the API of this service, instead of TESSERA_URL or the database'),
    )
    .option('--json', 'print the answer as JSON')
}

/** Connects for as long as the work takes; what is refused is told as the options say, by what was typed. */
export async function connected<T>(
  { world, connect: open }: { world: World; connect: Connect },
  { url, json = false, overrideFile = false }: Options,
  work: (connection: Connection) => Promise<T>,
  typed: readonly Typed[] = [],
): Promise<T> {
  const connection = await open(world, url)
  try {
    return await work({
      close: () => connection.close(),
      async ask(asking) {
        const blank = Object.values(asking.params ?? {}).some((one) => ['', '.', '..'].includes(one))
        // They would be parts of an address that mean something else.
        if (blank) throw new Refused(problemDocument(notFound('thing')))
        return await connection.ask({ overridesFile: overrideFile, ...asking })
      },
    })
  } catch (error) {
    throw error instanceof Refused ? new Refused(error.problem, { json, typed }) : error
  } finally {
    await connection.close()
  }
}
