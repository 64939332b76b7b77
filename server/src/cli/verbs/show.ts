import type { Command } from 'commander'
import { connected, findRoute, type Options, type Thing } from '../connection.ts'
import { type Context, idOf, type Resource } from '../resources/resource.ts'
import { describe } from '../show.ts'
import { print, type World } from '../world.ts'
import { verbOf } from './verb.ts'

/** `tessera user show`. */
export function showVerb(resource: Resource, context: Context): Command | undefined {
  const { path, parameter, argument, examples, noun } = resource
  const route = findRoute('GET', `${path}/:${parameter}`)
  if (route === undefined) return undefined
  return verbOf(resource, 'show', route, [examples.one, `${examples.one} --json`])
    .argument(`<${argument}>`, `the ${noun}`)
    .action(async (text: string, options: Options) => {
      const thing = await connected(context, options, async (connection) => {
        const id = await idOf(resource, connection, text)
        return (await connection.ask({ route, params: { [parameter]: id } })).body
      })
      printThing(context.world, thing, options)
    })
}

export function printThing(world: World, thing: Thing, { json }: Options): void {
  print(world, json === true ? JSON.stringify(thing, null, 2) : describe(thing))
}
