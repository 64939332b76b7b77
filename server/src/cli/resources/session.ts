import type { Command } from 'commander'
import { routeOf } from '../connection.ts'
import type { Context } from '../context.ts'
import { findUser } from '../references.ts'
import { endOne, type RemoveOptions } from '../verbs/remove.ts'
import { verbOf } from '../verbs/verb.ts'
import type { Resource } from './resource.ts'

export const session: Resource = {
  noun: 'session',
  description: 'Where people are signed in.',
  path: '/sessions',
  parameter: 'sid',
  columns: ['sid', 'user_uuid', 'browser', 'network', 'last_seen_at', 'expires_at'],
  examples: { one: '7d0f4f6e-2b51-4c6a-9a7b-3f5d1c2e0001', list: '--user mara.lind@acme.example' },
  removal: 'revoke',
  more: (context) => [revokeAll(context)],
}

function revokeAll(context: Context): Command {
  const route = routeOf('DELETE', '/users/:uuid/sessions')
  return verbOf('session revoke-all', route, ['mara.lind@acme.example --yes'])
    .argument('<e-mail|uuid>', 'the user')
    .option('--yes', 'do not ask')
    .action(async (text: string, options: RemoveOptions) => {
      await endOne(context, options, async (connection) => ({
        asking: { route, params: { uuid: await findUser(connection, text) } },
        question: `End every session of ${text}?`,
        done: `Every session of ${text} has ended, with its tokens.`,
      }))
    })
}

export const tokenFamily: Resource = {
  noun: 'token-family',
  description: 'The tokens that clients hold for people: those of one authorization are a family.',
  path: '/token-families',
  parameter: 'id',
  columns: ['id', 'client_id', 'user_uuid', 'scope', 'last_used_at', 'expires_at'],
  examples: {
    one: '0f6c9a2b4d8e1f3a5c7b9d0e2f4a6c8b',
    list: '--user mara.lind@acme.example --client submissions-web',
  },
  removal: 'revoke',
}
