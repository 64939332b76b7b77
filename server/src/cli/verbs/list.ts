import { Command, InvalidArgumentError, Option } from 'commander'
import type { Route } from '../../administration/route.ts'
import { connected, type ConnectOptions } from '../connect.ts'
import { type Connection, findRoute, type ApiObject } from '../connection.ts'
import { type Context, note, printJson } from '../context.ts'
import { bodyOf, type Field, fieldsOf, type Given, withFields } from '../fields.ts'
import { withNames } from '../names.ts'
import { references } from '../references.ts'
import type { Resource } from '../resources/resource.ts'
import { printTable } from '../show.ts'
import { suggestion } from '../suggestions.ts'
import { verbOf } from './verb.ts'

const pageSize = 200
/** Parameters of a list that are no filters. */
export const pageParameters = ['limit', 'cursor', 'include', 'format']

export interface ListOptions extends ConnectOptions {
  limit: number
  all?: boolean
  cursor?: string
}

/** `tessera user list`. */
export function listVerb(resource: Resource, context: Context): Command | undefined {
  const { noun, path, examples, columns } = resource
  const route = findRoute('GET', path)
  if (route === undefined) return undefined
  const fields = fieldsOf(route.query, pageParameters)
  const command = verbOf(`${noun} list`, route, [examples.list, '--all --json'])
  return withPages(withFields(command, fields)).action(async (options: ListOptions) => {
    await printList(context, { route, fields, columns, options })
  })
}

export function withPages(command: Command): Command {
  return command
    .addOption(
      new Option('--limit <number>', 'how many at the most').default(50).argParser((text) => {
        if (/^[1-9]\d{0,8}$/.test(text)) return Number(text)
        throw new InvalidArgumentError('Give a whole number above 0.')
      }),
    )
    .option('--all', 'all of them, however many')
    .option('--cursor <text>', 'go on after the list that ended with this next_cursor')
}

interface Listing {
  route: Route
  fields: readonly Field[]
  columns: readonly string[]
  options: ListOptions
  /** What was typed for the fields, where these are not the options alone. */
  given?: Given
  /** Parameters that are no options. */
  fixed?: Record<string, string>
  /** Parameters of the path. */
  params?: Record<string, string>
}

/** Prints what a list answers, page after page. */
export async function printList(context: Context, listing: Listing): Promise<void> {
  const { options, fields, columns, given = options } = listing
  const json = options.json === true
  const ask = async (connection: Connection) => {
    const filter = await bodyOf(connection, fields, given)
    const { items, next } = await pages(connection, listing, filter)
    if (json) return { items, next, missing: [] }
    const missing = items.length === 0 ? await missingIn(connection, filter) : []
    return { items: await withNames(connection, items, columns), next, missing }
  }
  const { items, next, missing } = await connected(context, options, ask, fields)
  if (json) return printJson(context, { items, next_cursor: next })
  printTable(context, items, columns)
  for (const said of missing) note(context, said)
  if (next !== null) note(context, `There are more: add --all, or --cursor ${next}`)
}

/** Which code of a filter was probably mistyped: the API finds nothing by it, and says no more. */
async function missingIn(connection: Connection, filter: ApiObject): Promise<string[]> {
  const said: string[] = []
  for (const [name, value] of Object.entries(filter)) {
    const { listed, option, find } = references[name] ?? {}
    if (listed === undefined || find !== undefined || typeof value !== 'string') continue
    const meant = await suggestion(connection, listed, value)
    if (meant !== '') said.push(`There is no ${option} ${value}.${meant}`)
  }
  return said
}

async function pages(
  connection: Connection,
  { route, options, fixed = {}, params = {} }: Listing,
  filter: ApiObject,
): Promise<{ items: ApiObject[]; next: string | null }> {
  const most = options.all === true ? Infinity : options.limit
  const items: ApiObject[] = []
  let next: string | null = options.cursor ?? null
  do {
    const query = new URLSearchParams(fixed)
    for (const [name, value] of Object.entries(filter)) query.set(name, String(value))
    query.set('limit', String(Math.min(pageSize, most - items.length)))
    if (next !== null) query.set('cursor', next)
    const { body } = await connection.ask({ route, params, query })
    const page = body as { items: ApiObject[]; next_cursor: string | null }
    items.push(...page.items)
    next = page.next_cursor
  } while (next !== null && items.length < most)
  return { items, next }
}
