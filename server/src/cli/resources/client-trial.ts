import type { Command } from 'commander'
import { answerOf, connected, type ConnectOptions } from '../connect.ts'
import { routeOf, type ApiObject } from '../connection.ts'
import { type Context, note, print, printJson } from '../context.ts'
import { fieldsOf, valuesOf, withFields } from '../fields.ts'
import { printFields } from '../show.ts'
import { verbOf } from '../verbs/verb.ts'
import { printPreview } from './client-preview.ts'

/** `tessera client try`: begins a trial, and prints the address to open. */
export function tryVerb(context: Context): Command {
  const route = routeOf('POST', '/clients/:client_id/trials')
  const fields = fieldsOf(route.body)
  const examples = ['lakeside-portal', 'lakeside-portal --prompt consent']
  return withFields(verbOf('client try', route, examples), fields)
    .argument('<client_id>', 'the client')
    .action(async (client_id: string, options: ConnectOptions) => {
      const body = valuesOf(fields, options)
      const ask = async (connection: Parameters<Parameters<typeof connected>[2]>[0]) =>
        (await connection.ask({ route, params: { client_id }, body })).body
      const made = await connected(context, options, ask, fields)
      if (options.json === true) return printJson(context, made)
      print(context, String(made.url))
      note(
        context,
        'Open it once, within ten minutes, in the browser that you signed in with. What came of it:',
      )
      note(context, `tessera client tried ${client_id} ${String(made.trial)}`)
    })
}

/** `tessera client tried`: what came of it. */
export function triedVerb(context: Context): Command {
  const route = routeOf('GET', '/clients/:client_id/trials/:trial')
  return verbOf('client tried', route, ['lakeside-portal vT0x…'])
    .argument('<client_id>', 'the client')
    .argument('<trial>', 'as tessera client try printed it')
    .action(async (client_id: string, trial: string, options: ConnectOptions) => {
      const body = await answerOf(context, options, { route, params: { client_id, trial } })
      if (options.json === true) return printJson(context, body)
      const { state, signed_in, refusal, tokens } = body as Record<string, ApiObject | null>
      printFields(context, { state, ...signed_in, ...refusal })
      if (tokens !== null && tokens !== undefined) printPreview(context, tokens)
    })
}
