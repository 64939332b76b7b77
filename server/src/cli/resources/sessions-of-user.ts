import type { Command } from 'commander'
import { connected, routeOf } from '../connection.ts'
import { findUser } from '../references.ts'
import { agreed, refuseUnasked, type RemoveOptions } from '../verbs/remove.ts'
import { verbOf } from '../verbs/verb.ts'
import { print } from '../world.ts'
import type { Context } from './resource.ts'

/** `tessera session revoke-all`. */
export function revokeAllPart(context: Context): Command {
  const { world } = context
  const route = routeOf('DELETE', '/users/:uuid/sessions')
  return verbOf({ noun: 'session' }, 'revoke-all', route, ['mara.lind@acme.example --yes'])
    .argument('<e-mail|uuid>', 'the user')
    .option('--yes', 'do not ask')
    .action(async (text: string, options: RemoveOptions) => {
      refuseUnasked(world, options)
      await connected(context, options, async (connection) => {
        const params = { uuid: await findUser(connection, text) }
        await agreed(world, `End every session of ${text}?`, options)
        await connection.ask({ route, params })
      })
      if (options.json !== true) print(world, `Every session of ${text} has ended, with its tokens.`)
    })
}
