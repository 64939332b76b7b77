import { Option, type Command } from 'commander'
import { isChange, type Route } from '../administration/route.ts'
import { notFound, problemDocument } from '../protocol/problem.ts'
import type { ApiCall, Connection, ApiObject } from './connection.ts'
import type { Connect, Context } from './context.ts'
import { printTried } from './dry-run.ts'
import { DryRunOver } from './fail.ts'
import { onDatabase } from './on-database.ts'
import { overHttp } from './over-http.ts'
import { betterWords } from './refusal-words.ts'
import { Refused, type Typed } from './refused.ts'

/** Connects to the API at this address, else to the database that the settings name. */
export const connect: Connect = async (context, url = context.environment.TESSERA_URL) =>
  url === undefined || url === '' ? await onDatabase(context) : overHttp(url, context)

export interface ConnectOptions {
  url?: string
  json?: boolean
  overrideFile?: boolean
  dryRun?: boolean
}

/** The parts of a route that decide which options there are. */
export type RouteTraits = Pick<Route, 'refusals'> & Partial<Pick<Route, 'method' | 'changes'>>

/** The options of everything that asks the administration API. */
export function withConnectionOptions(command: Command, route: RouteTraits): Command {
  const { refusals = [], method = 'GET', changes } = route
  if (isChange({ method, ...(changes !== undefined && { changes }) }))
    command.option('--dry-run', 'tell what it would do, and change nothing')
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

/** Connects for as long as the work takes. A refusal names the options that were typed, unless JSON is wanted. */
export async function connected<T>(
  context: Context,
  { url, json = false, overrideFile = false, dryRun = false }: ConnectOptions,
  work: (connection: Connection) => Promise<T>,
  typed: readonly Typed[] = [],
  connect: Connect = context.connect,
): Promise<T> {
  const connection = await connect(context, url)
  const ask = async (asking: ApiCall) => {
    const blank = Object.values(asking.params ?? {}).some((one) => ['', '.', '..'].includes(one))
    // A blank parameter, `.` or `..` would change the path.
    if (blank) throw new Refused(problemDocument(notFound('thing')))
    try {
      if (!dryRun || !isChange(asking.route))
        return await connection.ask({ overridesFile: overrideFile, ...asking })
      const query = new URLSearchParams(asking.query)
      query.set('dry_run', 'true')
      const answered = await connection.ask({ overridesFile: overrideFile, ...asking, query })
      if (answered.lines !== undefined) return answered
      await printTried(context, connection, answered.body, json)
      throw new DryRunOver()
    } catch (error) {
      if (json || !(error instanceof Refused)) throw error
      throw new Refused(error.problem, { words: await betterWords(connection, asking, error) })
    }
  }
  try {
    return await work({ ask, close: () => connection.close() })
  } catch (error) {
    throw error instanceof Refused ? new Refused(error.problem, { json, typed, words: error.words }) : error
  } finally {
    await connection.close()
  }
}

/** What the API answers when there is one thing to ask alone. */
export const answerOf = async (
  context: Context,
  options: ConnectOptions,
  asking: ApiCall,
): Promise<ApiObject> =>
  await connected(context, options, async (connection) => (await connection.ask(asking)).body)
