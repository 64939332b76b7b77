import type { Command } from 'commander'
import { connected, type ConnectOptions } from '../connect.ts'
import { type Connection, findRoute, routeOf, type ApiObject } from '../connection.ts'
import type { Context } from '../context.ts'
import { bodyOf, fieldsOf, type Given, listsHelp, withFields } from '../fields.ts'
import { asShown } from '../names.ts'
import { paramsOf, type Resource, withArgument } from '../resources/resource.ts'
import { printThing, verbOf } from './verb.ts'

/** `tessera user change`. */
export function changeVerb(resource: Resource, context: Context): Command | undefined {
  const { path, parameter, without = [], noun, examples } = resource
  const route = findRoute('PATCH', `${path}/:${parameter}`)
  if (route === undefined) return undefined
  const fields = fieldsOf(route.body, without)
  const command = verbOf(`${noun} change`, route, [examples.change ?? '']).addHelpText(
    'after',
    listsHelp(fields),
  )
  return withFields(withArgument(command, resource), fields, true).action(
    async (text: string, options: ConnectOptions) => {
      const change = async (connection: Connection) => {
        const after = await changed(resource, connection, text, options, async (before) => {
          const body = await bodyOf(connection, fields, options, before)
          if (Object.keys(body).length > 0) return body
          throw new Error(`Say what to change: tessera ${noun} change --help lists it.`)
        })
        return await asShown(connection, after, options)
      }
      printThing(context, await connected(context, options, change, fields), options)
    },
  )
}

/** `tessera user disable` and `enable`. */
export function switchVerb(
  resource: Resource,
  context: Context,
  verb: 'disable' | 'enable',
): Command | undefined {
  const { path, parameter, noun, examples } = resource
  const route = findRoute('PATCH', `${path}/:${parameter}`)
  if (route?.body === undefined || !('active' in route.body.shape)) return undefined
  const { description: _, ...rest } = route
  const described =
    verb === 'disable'
      ? { ...route, summary: `Disable the ${noun}` }
      : { ...rest, summary: `Enable the ${noun} again` }
  const command = verbOf(`${noun} ${verb}`, described, [examples.one])
  return withArgument(command, resource).action(async (text: string, options: ConnectOptions) => {
    const shown = await connected(context, options, async (connection) => {
      const body = { active: verb === 'enable' }
      const after = await changed(resource, connection, text, options, async () => body)
      return await asShown(connection, after, options)
    })
    printThing(context, shown, options)
  })
}

/** Changes what was read, and nothing that somebody else changed meanwhile. Yields what it is then. */
export async function changed(
  resource: Resource,
  connection: Connection,
  text: string,
  options: Given,
  bodyFor: (before: ApiObject) => Promise<ApiObject>,
): Promise<ApiObject> {
  const one = `${resource.path}/:${resource.parameter}`
  const params = await paramsOf(resource, connection, text, options)
  const { body: before, etag: match } = await connection.ask({ route: routeOf('GET', one), params })
  const body = await bodyFor(before)
  // What is built in has no version, and says so itself.
  return (await connection.ask({ route: routeOf('PATCH', one), params, body, match: match ?? '*' })).body
}
