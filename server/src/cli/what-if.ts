import type { Command } from 'commander'
import { connected, type ConnectOptions } from './connect.ts'
import { routeOf } from './connection.ts'
import { type Context, note, printJson } from './context.ts'
import { printTried } from './dry-run.ts'
import { jsonFrom } from './json-file.ts'
import { verbOf } from './verbs/verb.ts'

/** `tessera access what-if`: what several changes would do together. */
export function whatIfVerb(context: Context): Command {
  const route = routeOf('POST', '/access/what-if')
  return verbOf('access what-if', route, ['draft.json'])
    .argument(
      '<file>',
      'the changes as JSON, {"changes":[{"method","path","body"}]}; - for the standard input',
    )
    .action(async (file: string, options: ConnectOptions) => {
      const draft = await jsonFrom(context, file)
      await connected(context, options, async (connection) => {
        const { body } = await connection.ask({ route, body: draft })
        if (options.json === true) return printJson(context, body)
        await printTried(context, connection, { ...body, would: null }, false)
        const { refused } = body as { refused: { index: number; problem: { detail: string } } | null }
        if (refused !== null)
          note(context, `Change ${refused.index + 1} would be refused: ${refused.problem.detail}`)
      })
    })
}
