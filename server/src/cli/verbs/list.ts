import { Command, InvalidArgumentError, Option } from 'commander'
import type { Route } from '../../admin/route.ts'
import { connected, type Connection, findRoute, type Options, type Thing } from '../connection.ts'
import { type Field, fieldsOf, type Given, valueOf, withFields } from '../fields.ts'
import { withIds } from '../references.ts'
import type { Context, Resource } from '../resources/resource.ts'
import { tableOf } from '../show.ts'
import { note, print } from '../world.ts'
import { verbOf } from './verb.ts'

const pageSize = 200

export interface ListOptions extends Options {
  limit: number
  all?: boolean
  cursor?: string
}

/** `tessera user list`. */
export function listVerb(resource: Resource, context: Context): Command | undefined {
  const { path, examples, columns } = resource
  const route = findRoute('GET', path)
  if (route === undefined) return undefined
  const fields = filtersOf(route)
  const command = verbOf(resource, 'list', route, [examples.list, '--all --json'])
  return withPages(withFields(command, fields)).action(async (options: ListOptions) => {
    await printList(context, { route, fields, columns, options, given: { ...options } })
  })
}

/** The parameters of a list, but for those of its pages. */
export const filtersOf = (route: Route, without: readonly string[] = []): Field[] =>
  fieldsOf(route.query, ['limit', 'cursor', ...without])

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
  given: Given
  /** Parameters that are no options. */
  fixed?: Record<string, string>
  /** Of the path. */
  params?: Record<string, string>
}

/** Prints what a list answers, page after page. */
export async function printList(context: Context, listing: Listing): Promise<void> {
  const { options, columns } = listing
  const ask = async (connection: Connection) => await pages(connection, listing)
  const { items, next } = await connected(context, options, ask, listing.fields)
  const { world } = context
  if (options.json === true) return print(world, JSON.stringify({ items, next_cursor: next }, null, 2))
  print(world, tableOf(items, columns))
  if (next !== null) note(world, `There are more: add --all, or --cursor ${next}`)
}

async function pages(
  connection: Connection,
  { route, fields, options, given, fixed = {}, params = {} }: Listing,
): Promise<{ items: Thing[]; next: string | null }> {
  const values = fields
    .map((field) => [field.name, valueOf(field, given)] as const)
    .filter(([, value]) => value !== undefined)
  const filter = await withIds(connection, Object.fromEntries(values))
  const most = options.all === true ? Infinity : options.limit
  const items: Thing[] = []
  let next: string | null = options.cursor ?? null
  do {
    const query = new URLSearchParams(fixed)
    for (const [name, value] of Object.entries(filter)) query.set(name, String(value))
    query.set('limit', String(Math.min(pageSize, most - items.length)))
    if (next !== null) query.set('cursor', next)
    const { body } = await connection.ask({ route, params, query })
    const page = body as { items: Thing[]; next_cursor: string | null }
    items.push(...page.items)
    next = page.next_cursor
  } while (next !== null && items.length < most)
  return { items, next }
}
