import type { Command } from 'commander'
import { connected, type ConnectOptions } from '../connect.ts'
import { findRoute } from '../connection.ts'
import type { Context } from '../context.ts'
import { asShown } from '../names.ts'
import { paramsOf, type Resource, withArgument } from '../resources/resource.ts'
import { printThing, verbOf } from './verb.ts'

/** `tessera user show`. */
export function showVerb(resource: Resource, context: Context): Command | undefined {
  const { noun, path, parameter, examples } = resource
  const route = findRoute('GET', `${path}/:${parameter}`)
  if (route === undefined) return undefined
  const command = verbOf(`${noun} show`, route, [examples.one, `${examples.one} --json`])
  return withArgument(command, resource).action(async (text: string, options: ConnectOptions) => {
    const thing = await connected(context, options, async (connection) => {
      const params = await paramsOf(resource, connection, text, options)
      const { body } = await connection.ask({ route, params })
      return await asShown(connection, body, options)
    })
    printThing(context, thing, options)
  })
}
