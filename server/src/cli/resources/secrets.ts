import { Command } from 'commander'
import { connected, type Connection, type Options, routeOf, type Thing } from '../connection.ts'
import { fieldsOf, type Given, withFields } from '../fields.ts'
import { tableOf } from '../show.ts'
import { bodyOf } from '../verbs/create.ts'
import { agreed, refuseUnasked, type RemoveOptions } from '../verbs/remove.ts'
import { verbOf } from '../verbs/verb.ts'
import { note, print } from '../world.ts'
import type { Context } from './resource.ts'

/** Whose secrets they are. */
export interface SecretOwner {
  noun: string
  /** Below /admin/v1, of one. */
  path: string
  parameter: string
  /** The field of the answer that holds a new one. */
  field: string
  examples: { one: string; add: string }
}

/** `tessera client secret` and `tessera webhook secret`: two count at a time, so that one is replaced without a gap. */
export function secretCommand(owner: SecretOwner, context: Context): Command {
  const { noun, examples } = owner
  return new Command('secret')
    .description('Its secrets: two count at a time, so that one is replaced without an outage.')
    .addCommand(addPart(owner, context))
    .addCommand(listPart(owner, context))
    .addCommand(removePart(owner, context))
    .addHelpText('after', `\nExample:\n  $ tessera ${noun} secret list ${examples.one}`)
}

const nounOf = ({ noun }: SecretOwner) => ({ noun: `${noun} secret` })

function addPart(owner: SecretOwner, context: Context): Command {
  const { path, parameter, noun, field, examples } = owner
  const route = routeOf('POST', `${path}/secrets`)
  const fields = fieldsOf(route.body, [])
  const command = verbOf(nounOf(owner), 'add', route, [`${examples.one} > secret`, examples.add])
  return withFields(command, fields)
    .argument(`<${parameter}>`, `the ${noun}`)
    .action(async (id: string, options: Options & Given) => {
      const ask = async (connection: Connection) => {
        const sent = await bodyOf(connection, fields, options)
        return await connection.ask({ route, params: { [parameter]: id }, body: sent })
      }
      const { body } = await connected(context, options, ask, fields)
      const { world } = context
      print(world, options.json === true ? JSON.stringify(body, null, 2) : String(body[field]))
      note(world, `The ${field} is shown this once: keep it now. Its id is ${String(body.id)}.`)
    })
}

function listPart(owner: SecretOwner, context: Context): Command {
  const { path, parameter, noun, examples } = owner
  const route = routeOf('GET', path)
  const summary = `List the secrets of a ${noun}`
  const shown = {
    ...route,
    summary,
    description: 'When each was made and ends; never the secrets themselves.',
  }
  return verbOf(nounOf(owner), 'list', shown, [examples.one])
    .argument(`<${parameter}>`, `the ${noun}`)
    .action(async (id: string, options: Options) => {
      const { body } = await connected(context, options, async (connection) =>
        connection.ask({ route, params: { [parameter]: id } }),
      )
      const items = body.secrets as Thing[]
      const json = () => JSON.stringify({ items, next_cursor: null }, null, 2)
      const columns = ['id', 'created_at', 'expires_at']
      print(context.world, options.json === true ? json() : tableOf(items, columns))
    })
}

function removePart(owner: SecretOwner, context: Context): Command {
  const { path, parameter, noun, examples } = owner
  const { world } = context
  const route = routeOf('DELETE', `${path}/secrets/:secret_id`)
  return verbOf(nounOf(owner), 'remove', route, [`${examples.one} 01a1fe79f2bf4503141415cad11159b8 --yes`])
    .argument(`<${parameter}>`, `the ${noun}`)
    .argument('<secret_id>', 'the id of the secret')
    .option('--yes', 'do not ask')
    .action(async (id: string, secret: string, options: RemoveOptions) => {
      refuseUnasked(world, options)
      await connected(context, options, async (connection) => {
        await agreed(world, `Remove the secret ${secret} of ${id}?`, options)
        await connection.ask({ route, params: { [parameter]: id, secret_id: secret } })
      })
      if (options.json !== true) print(world, `The secret ${secret} of ${id} is removed.`)
    })
}
