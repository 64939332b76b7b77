import type { Command } from 'commander'
import { answerOf, type Options } from './connect.ts'
import { routeOf, type Thing } from './connection.ts'
import type { Context } from './context.ts'
import { printThing, verbOf } from './verbs/verb.ts'

/** `tessera me`: who asks, where they administer, and what they may do. */
export function meCommand(context: Context): Command {
  const route = routeOf('GET', '/me')
  return verbOf('me', route, ['', '--json']).action(async (options: Options) => {
    const { actor, reach, permissions } = await answerOf(context, options, { route })
    const { kind, ...place } = reach as Thing
    const { profiles, ...who } = actor as Thing
    const flat = { ...who, reach: kind, ...place, permissions, ...(profiles !== undefined && { profiles }) }
    printThing(context, options.json === true ? { actor, reach, permissions } : flat, options)
  })
}
