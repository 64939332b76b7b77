import type { Command } from 'commander'
import { answerOf, type ConnectOptions } from './connect.ts'
import { routeOf, type ApiObject } from './connection.ts'
import type { Context } from './context.ts'
import { printThing, verbOf } from './verbs/verb.ts'

/** `tessera me`: who asks, where they administer, and what they may do. */
export function meCommand(context: Context): Command {
  const route = routeOf('GET', '/me')
  return verbOf('me', route, ['', '--json']).action(async (options: ConnectOptions) => {
    const { actor, reach, permissions } = await answerOf(context, options, { route })
    const { kind, ...place } = reach as ApiObject
    const { profiles, ...who } = actor as ApiObject
    const flat = { ...who, reach: kind, ...place, permissions, ...(profiles !== undefined && { profiles }) }
    printThing(context, options.json === true ? { actor, reach, permissions } : flat, options)
  })
}
