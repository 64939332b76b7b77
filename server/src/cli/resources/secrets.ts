import { Command } from 'commander'
import { answerOf, connected, type ConnectOptions } from '../connect.ts'
import { routeOf, type ApiObject } from '../connection.ts'
import { type Context, note, print, printJson } from '../context.ts'
import { bodyOf, fieldsOf, withFields } from '../fields.ts'
import { printTable } from '../show.ts'
import { endOne, type RemoveOptions } from '../verbs/remove.ts'
import { verbOf } from '../verbs/verb.ts'

/** A kind of thing that has secrets. */
export interface SecretOwner {
  noun: string
  /** The path of one thing, below /admin/v1. */
  path: string
  parameter: string
  /** The field of the answer that holds a new one. */
  field: string
  examples: { one: string; add: string }
}

/** `tessera client secret` and `tessera webhook secret`. */
export function secretCommand(owner: SecretOwner, context: Context): Command {
  const { noun, examples } = owner
  return new Command('secret')
    .description('Its secrets: two count at a time, so that one is replaced without an outage.')
    .addCommand(addVerb(owner, context))
    .addCommand(listVerb(owner, context))
    .addCommand(removeVerb(owner, context))
    .addHelpText('after', `\nExample:\n  $ tessera ${noun} secret list ${examples.one}`)
}

function addVerb({ path, parameter, noun, field, examples }: SecretOwner, context: Context): Command {
  const route = routeOf('POST', `${path}/secrets`)
  const fields = fieldsOf(route.body)
  const command = verbOf(`${noun} secret add`, route, [`${examples.one} > secret`, examples.add])
  return withFields(command, fields)
    .argument(`<${parameter}>`, `the ${noun}`)
    .action(async (id: string, options: ConnectOptions) => {
      const { body } = await connected(
        context,
        options,
        async (connection) => {
          const sent = await bodyOf(connection, fields, options)
          return await connection.ask({ route, params: { [parameter]: id }, body: sent })
        },
        fields,
      )
      if (options.json === true) printJson(context, body)
      else print(context, String(body[field]))
      note(context, `The ${field} is shown this once: keep it now. Its id is ${String(body.id)}.`)
    })
}

function listVerb({ path, parameter, noun, examples }: SecretOwner, context: Context): Command {
  const route = {
    ...routeOf('GET', path),
    summary: `List the secrets of a ${noun}`,
    description: 'When each was made and ends; never the secrets themselves.',
  }
  return verbOf(`${noun} secret list`, route, [examples.one])
    .argument(`<${parameter}>`, `the ${noun}`)
    .action(async (id: string, options: ConnectOptions) => {
      const body = await answerOf(context, options, { route, params: { [parameter]: id } })
      const items = body.secrets as ApiObject[]
      if (options.json === true) return printJson(context, { items, next_cursor: null })
      printTable(context, items, ['id', 'created_at', 'expires_at'])
    })
}

function removeVerb({ path, parameter, noun, examples }: SecretOwner, context: Context): Command {
  const route = routeOf('DELETE', `${path}/secrets/:secret_id`)
  const example = `${examples.one} 01a1fe79f2bf4503141415cad11159b8 --yes`
  return verbOf(`${noun} secret remove`, route, [example])
    .argument(`<${parameter}>`, `the ${noun}`)
    .argument('<secret_id>', 'the id of the secret')
    .option('--yes', 'do not ask')
    .action(async (id: string, secret: string, options: RemoveOptions) => {
      await endOne(context, options, async () => ({
        asking: { route, params: { [parameter]: id, secret_id: secret } },
        question: `Remove the secret ${secret} of ${id}?`,
        done: `The secret ${secret} of ${id} is removed.`,
      }))
    })
}
