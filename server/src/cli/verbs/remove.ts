import type { Command } from 'commander'
import { agreed, refuseUnasked } from '../ask.ts'
import { connected, type ConnectOptions } from '../connect.ts'
import { type ApiCall, type Connection, findRoute } from '../connection.ts'
import { type Context, print } from '../context.ts'
import { paramsOf, type Resource, withArgument } from '../resources/resource.ts'
import { verbOf } from './verb.ts'

export interface RemoveOptions extends ConnectOptions {
  yes?: boolean
}

const removals = {
  delete: { asked: 'Delete', done: 'deleted' },
  revoke: { asked: 'Revoke', done: 'revoked' },
  withdraw: { asked: 'Withdraw', done: 'withdrawn' },
}

/** `tessera user delete`, or `tessera session revoke`. */
export function removeVerb(resource: Resource, context: Context): Command | undefined {
  const { noun, path, parameter, named = parameter, examples, removal = 'delete' } = resource
  const one = `${path}/:${parameter}`
  const [route, reading] = [findRoute('DELETE', one), findRoute('GET', one)]
  if (route === undefined) return undefined
  const command = verbOf(`${noun} ${removal}`, route, [examples.one, `${examples.one} --yes`])
  return withArgument(command, resource)
    .option('--yes', 'do not ask')
    .action(async (text: string, options: RemoveOptions) => {
      await endOne(context, options, async (connection) => {
        const params = await paramsOf(resource, connection, text, options)
        // What is asked about is what goes: nothing that became something else meanwhile.
        const read = reading && (await connection.ask({ route: reading, params }))
        const called = `${noun.replace('-', ' ')} ${String((read?.body ?? params)[named])}`
        return {
          asking: { route, params, match: read?.etag },
          question: `${removals[removal].asked} the ${called}?`,
          done: `The ${called} is ${removals[removal].done}.`,
        }
      })
    })
}

/** Does what can't be undone, when somebody said yes to it, and says so. */
export async function endOne(
  context: Context,
  options: RemoveOptions,
  prepared: (connection: Connection) => Promise<{ asking: ApiCall; question: string; done: string }>,
): Promise<void> {
  if (options.dryRun !== true) refuseUnasked(context, options)
  const said = await connected(context, options, async (connection) => {
    const { asking, question, done } = await prepared(connection)
    if (options.dryRun !== true) await agreed(context, question, options)
    await connection.ask(asking)
    return done
  })
  if (options.json !== true) print(context, said)
}
