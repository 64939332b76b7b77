import { Command } from 'commander'
import { connected, type Options, routeOf, type Thing } from '../connection.ts'
import { fieldsOf, type Given, withFields } from '../fields.ts'
import { tableOf } from '../show.ts'
import { bodyOf } from '../verbs/create.ts'
import { agreed, refuseUnasked, type RemoveOptions } from '../verbs/remove.ts'
import { verbOf } from '../verbs/verb.ts'
import { note, print } from '../world.ts'
import type { Context } from './resource.ts'

const adding = routeOf('POST', '/clients/:client_id/secrets')
const reading = routeOf('GET', '/clients/:client_id')
const removing = routeOf('DELETE', '/clients/:client_id/secrets/:secret_id')
const noun = { noun: 'client secret' }

/** `tessera client secret`: two count at a time, so that one can be replaced without an outage. */
export function secretCommand(context: Context): Command {
  return new Command('secret')
    .description('The secrets of a machine: two at a time, so that one is replaced without an outage.')
    .addCommand(addPart(context))
    .addCommand(listPart(context))
    .addCommand(removePart(context))
    .addHelpText('after', '\nExample:\n  $ tessera client secret list nightly-import')
}

function addPart(context: Context): Command {
  const fields = fieldsOf(adding.body, [])
  const command = verbOf(noun, 'add', adding, [
    'nightly-import > secret',
    'nightly-import --expires-at 2031-12-31T00:00:00Z',
  ])
  return withFields(command, fields)
    .argument('<client_id>', 'the machine')
    .action(async (client: string, options: Options & Given) => {
      const { body } = await connected(context, options, async (connection) => {
        const sent = await bodyOf(connection, fields, options)
        return await connection.ask({ route: adding, params: { client_id: client }, body: sent })
      })
      const { world } = context
      print(world, options.json === true ? JSON.stringify(body, null, 2) : String(body.client_secret))
      note(world, `The client_secret is shown this once: keep it now. Its id is ${String(body.id)}.`)
    })
}

function listPart(context: Context): Command {
  const route = {
    ...reading,
    summary: 'List the secrets of a machine',
    description: 'Never the secrets themselves.',
  }
  return verbOf(noun, 'list', route, ['nightly-import'])
    .argument('<client_id>', 'the machine')
    .action(async (client: string, options: Options) => {
      const { body } = await connected(context, options, async (connection) =>
        connection.ask({ route: reading, params: { client_id: client } }),
      )
      const items = body.secrets as Thing[]
      const json = () => JSON.stringify({ items, next_cursor: null }, null, 2)
      print(
        context.world,
        options.json === true ? json() : tableOf(items, ['id', 'created_at', 'expires_at']),
      )
    })
}

function removePart(context: Context): Command {
  const { world } = context
  return verbOf(noun, 'remove', removing, ['nightly-import 01a1fe79f2bf4503141415cad11159b8 --yes'])
    .argument('<client_id>', 'the machine')
    .argument('<secret_id>', 'the id of the secret')
    .option('--yes', 'do not ask')
    .action(async (client: string, secret: string, options: RemoveOptions) => {
      refuseUnasked(world, options)
      await connected(context, options, async (connection) => {
        await agreed(world, `Remove the secret ${secret} of ${client}?`, options)
        const params = { client_id: client, secret_id: secret }
        await connection.ask({ route: removing, params })
      })
      if (options.json !== true) print(world, `The secret ${secret} of ${client} is removed.`)
    })
}
