import type { Command } from 'commander'
import { confirmed } from '../confirm.ts'
import { connected, findRoute, type Options } from '../connection.ts'
import { type Context, idOf, type Resource } from '../resources/resource.ts'
import { isTerminal, print, type World } from '../world.ts'
import { verbOf } from './verb.ts'

export interface RemoveOptions extends Options {
  yes?: boolean
}

/** `tessera user delete`, or `tessera session revoke`. */
export function removeVerb(resource: Resource, context: Context): Command | undefined {
  const { path, parameter, argument, noun, examples, removal = 'delete', called } = resource
  const one = `${path}/:${parameter}`
  const [route, reading] = [findRoute('DELETE', one), findRoute('GET', one)]
  if (route === undefined) return undefined
  const { world } = context
  return verbOf(resource, removal, route, [examples.one, `${examples.one} --yes`])
    .argument(`<${argument}>`, `the ${noun}`)
    .option('--yes', 'do not ask')
    .action(async (text: string, options: RemoveOptions) => {
      refuseUnasked(world, options)
      const name = await connected(context, options, async (connection) => {
        const params = { [parameter]: await idOf(resource, connection, text) }
        // What is asked about is what goes: nothing that became something else meanwhile.
        const read = reading && (await connection.ask({ route: reading, params }))
        const asked = called(read?.body ?? params)
        await agreed(world, `${removal === 'delete' ? 'Delete' : 'Revoke'} ${asked}?`, options)
        await connection.ask({ route, params, match: read?.etag })
        return asked
      })
      if (options.json !== true) {
        print(world, `${name.slice(0, 1).toUpperCase()}${name.slice(1)} is ${removal}d.`)
      }
    })
}

/** Throws where nobody can be asked and nobody said yes. */
export function refuseUnasked(world: World, { yes }: RemoveOptions): void {
  if (yes === true || isTerminal(world)) return
  throw new Error('It can not be undone, and nobody can be asked here: add --yes.')
}

/** Asks on a terminal. Throws when the answer is no. */
export async function agreed(
  { input, errors }: World,
  question: string,
  { yes }: RemoveOptions,
): Promise<void> {
  if (yes === true || (await confirmed(question, { input, output: errors }))) return
  throw new Error('Nothing was changed.')
}
