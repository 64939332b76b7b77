import type { Command } from 'commander'
import type { Route } from '../../admin/route.ts'
import { connected, type Connection, findRoute, type Options, routeOf, type Thing } from '../connection.ts'
import { fieldsOf, type Given, listsHelp, withFields } from '../fields.ts'
import { type Context, idOf, type Resource } from '../resources/resource.ts'
import { bodyOf } from './create.ts'
import { printThing } from './show.ts'
import { verbOf } from './verb.ts'

/** `tessera user change`. */
export function changeVerb(resource: Resource, context: Context): Command | undefined {
  const { without = [], argument, noun, examples } = resource
  const route = changeRoute(resource)
  if (route === undefined) return undefined
  const fields = fieldsOf(route.body, without)
  const command = verbOf(resource, 'change', route, [examples.change ?? '']).addHelpText(
    'after',
    listsHelp(fields),
  )
  return withFields(command.argument(`<${argument}>`, `the ${noun}`), fields, true).action(
    async (text: string, options: Options & Given) => {
      const change = async (connection: Connection) =>
        await changed(resource, connection, text, async (before) => {
          const body = await bodyOf(connection, fields, options, before)
          if (Object.keys(body).length > 0) return body
          throw new Error(`Say what to change: tessera ${noun} change --help lists it.`)
        })
      printThing(context.world, await connected(context, options, change, fields), options)
    },
  )
}

/** `tessera user disable` and `enable`. */
export function switchVerb(
  resource: Resource,
  context: Context,
  verb: 'disable' | 'enable',
): Command | undefined {
  const { noun, argument, examples } = resource
  const route = changeRoute(resource)
  if (route?.body === undefined || !('active' in route.body.shape)) return undefined
  const description = verb === 'disable' ? route.description : undefined
  const summary = verb === 'disable' ? `Disable the ${noun}` : `Enable the ${noun} again`
  const { description: _, ...rest } = route
  const described = { ...rest, summary, ...(description !== undefined && { description }) }
  return verbOf(resource, verb, described, [examples.one])
    .argument(`<${argument}>`, `the ${noun}`)
    .action(async (text: string, options: Options) => {
      const after = await connected(context, options, async (connection) =>
        changed(resource, connection, text, async () => ({ active: verb === 'enable' })),
      )
      printThing(context.world, after, options)
    })
}

const changeRoute = ({ path, parameter }: Resource): Route | undefined =>
  findRoute('PATCH', `${path}/:${parameter}`)

/** Changes what was read, and nothing that somebody else changed meanwhile. Yields what it is then. */
export async function changed(
  resource: Resource,
  connection: Connection,
  text: string,
  bodyFor: (before: Thing) => Promise<Thing>,
): Promise<Thing> {
  const { path, parameter } = resource
  const one = `${path}/:${parameter}`
  const params = { [parameter]: await idOf(resource, connection, text) }
  const { body: before, etag: match } = await connection.ask({ route: routeOf('GET', one), params })
  const body = await bodyFor(before)
  // What is built in has no version, and says so itself.
  return (await connection.ask({ route: routeOf('PATCH', one), params, body, match: match ?? '*' })).body
}
