import { setTimeout as wait } from 'node:timers/promises'
import type { Command } from 'commander'
import { connected, type ConnectOptions } from '../connect.ts'
import { type ApiObject, type Connection, routeOf } from '../connection.ts'
import { type Context, note, printJson } from '../context.ts'
import { printFields } from '../show.ts'
import { verbOf } from '../verbs/verb.ts'

/** How often it is asked what came of it, ms. */
const pause = 1000

/** `tessera upstream test`: prints the address to open, waits until somebody came back, and says what came of it. */
export function upstreamTestVerb(
  context: Context,
  find: (connection: Connection, text: string) => Promise<string>,
): Command {
  const route = routeOf('POST', '/upstreams/:uuid/test')
  return verbOf('upstream test', route, ['acme/entra', 'acme/entra --json'])
    .argument('<[organisation/]code|uuid>', 'the upstream')
    .action(async (text: string, options: ConnectOptions) => {
      const tried = await connected(context, options, async (connection) => {
        const params = { uuid: await find(connection, text) }
        const { body } = await connection.ask({ route, params, body: {} })
        // What came of it is the answer of the command; this is for the person who waits.
        note(
          context,
          `Open this within 15 minutes, in the browser that is to sign in there:\n${String(body.address)}`,
        )
        return await outcomeOf(connection, { ...params, id: String(body.id) })
      })
      if (options.json === true) printJson(context, tried)
      else printTrial(context, tried)
    })
}

/** Asks until it has come to something. The service forgets it where nobody opens it, and says so. */
async function outcomeOf(connection: Connection, params: Record<string, string>): Promise<ApiObject> {
  const route = routeOf('GET', '/upstreams/:uuid/test/:id')
  for (;;) {
    const { body } = await connection.ask({ route, params })
    if (body.state !== 'waiting') return body
    await wait(pause)
  }
}

function printTrial(context: Context, tried: ApiObject): void {
  const { state, problem, came, would } = tried as Record<string, ApiObject | null>
  const { claims: _, fields, ...rest } = came ?? {}
  printFields(context, { state, ...(fields as ApiObject | undefined), ...rest, ...would, ...problem })
  if (Array.isArray(came?.groups) && came.groups.length === 0)
    note(
      context,
      'It told no groups. Where there should be some: at the provider, let it send them as groups, or name their claim in attributes (of a directory it is memberOf).',
    )
}
