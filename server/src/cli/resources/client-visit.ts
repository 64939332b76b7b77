import type { Command } from 'commander'
import { connected } from '../connect.ts'
import { type ApiObject, routeOf } from '../connection.ts'
import { type Context, print, printJson } from '../context.ts'
import { printFields } from '../show.ts'
import { verbOf } from '../verbs/verb.ts'
import { whoOf, type WhoOptions } from './client-preview.ts'

/** `tessera client visit`: what somebody would get at an address of an application behind a proxy. */
export function visitVerb(context: Context): Command {
  const route = routeOf('POST', '/clients/:client_id/visit')
  const examples = [
    'wiki GET https://wiki.example.com/admin/users --as mara.lind@acme.example',
    'wiki POST https://wiki.example.com/pages/start',
  ]
  return verbOf('client visit', route, examples)
    .option('--as <e-mail|uuid>', 'who visits it; without it, somebody who is not signed in')
    .option('--profile <role@organisation/unit|uuid>', 'one of their profiles, where they have several')
    .argument('<client_id>', 'the application')
    .argument('<method>', 'such as GET')
    .argument('<address>', 'with its origin')
    .action(async (client_id: string, method: string, url: string, options: WhoOptions) => {
      const body = await connected(context, options, async (connection) => {
        const sent = { method, url, ...(await whoOf(connection, options)) }
        return (await connection.ask({ route, params: { client_id }, body: sent })).body
      })
      if (options.json === true) return printJson(context, body)
      printVisit(context, body)
    })
}

const outcomes: Readonly<Record<string, string>> = {
  passes: 'The request passes.',
  sign_in: 'A browser is led to the sign-in; what is no page gets 401.',
  refused: 'The request is refused.',
}

function printVisit(context: Context, { outcome, routes, permission, headers, reason }: ApiObject): void {
  print(context, outcomes[String(outcome)] ?? String(outcome))
  if (reason !== null) print(context, String(reason))
  if (permission !== null) print(context, `Missing: ${String(permission)}`)
  for (const { route, demands } of routes as { route: string; demands: string }[])
    print(context, `  ${route} demands ${demands}`)
  if (headers !== null) printFields(context, headers as ApiObject)
}
