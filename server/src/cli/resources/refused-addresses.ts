import type { Command } from 'commander'
import { answerOf, type ConnectOptions } from '../connect.ts'
import { routeOf, type ApiObject } from '../connection.ts'
import { type Context, note, print, printJson } from '../context.ts'
import { printLines } from '../show.ts'
import { verbOf } from '../verbs/verb.ts'

/** `tessera client refused`: where a client wanted to return, and what it has registered. */
export function refusedVerb(context: Context): Command {
  const route = routeOf('GET', '/clients/:client_id/refused-addresses')
  return verbOf('client refused', route, ['lakeside-portal'])
    .argument('<client_id>', 'the client')
    .action(async (client_id: string, options: ConnectOptions) => {
      const body = await answerOf(context, options, { route, params: { client_id } })
      if (options.json === true) return printJson(context, body)
      const items = body.items as ApiObject[]
      if (items.length === 0)
        note(context, 'No address was refused within a week that is not registered by now.')
      printRefused(context, items)
    })
}

export function printRefused(context: Context, refused: readonly ApiObject[]): void {
  for (const { parameter, came, nearest, differs_at: at, detail, cure, command } of refused) {
    print(context, String(detail))
    if (typeof came === 'string') {
      const mark = typeof nearest === 'string' ? [['', `${' '.repeat(Number(at))}^ here`]] : []
      const registered = typeof nearest === 'string' ? [['registered', nearest]] : []
      printLines(context, [[String(parameter), came], ...registered, ...mark])
    }
    print(context, String(cure))
    if (command !== null) print(context, `  ${String(command)}`)
  }
}
