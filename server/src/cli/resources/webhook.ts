import type { Command } from 'commander'
import { answerOf, type ConnectOptions } from '../connect.ts'
import { routeOf } from '../connection.ts'
import type { Context } from '../context.ts'
import { fieldsOf, withFields } from '../fields.ts'
import { type ListOptions, pageParameters, printList, withPages } from '../verbs/list.ts'
import { printThing, verbOf } from '../verbs/verb.ts'
import { resourceOf } from './resource.ts'
import { secretCommand } from './secrets.ts'

const one = '9f3b1c5e-7a2d-4e8f-b6c4-1d0e2f3a4b5c'
const secrets = {
  noun: 'webhook',
  path: '/webhooks/:uuid',
  parameter: 'uuid',
  field: 'secret',
  examples: { one, add: `${one} --previous-expires-at 2031-12-31T00:00:00Z` },
}

export const webhook = resourceOf('webhook', {
  more: (context) => [
    secretCommand(secrets, context),
    deliveriesVerb(context),
    replayVerb(context),
    testVerb(context),
  ],
})

function deliveriesVerb(context: Context): Command {
  const route = routeOf('GET', '/webhooks/:uuid/deliveries')
  const fields = fieldsOf(route.query, pageParameters)
  const columns = ['id', 'kind', 'state', 'attempts', 'next_at', 'last_status', 'last_error']
  return withPages(withFields(verbOf('webhook deliveries', route, [`${one} --state dead`]), fields))
    .argument('<uuid>', 'the webhook')
    .action(async (uuid: string, options: ListOptions) => {
      await printList(context, { route, fields, columns, options, params: { uuid } })
    })
}

function replayVerb(context: Context): Command {
  const route = routeOf('POST', '/webhooks/:uuid/deliveries/:delivery/replay')
  return verbOf('webhook replay', route, [`${one} 01a1fe79f2bf4503141415cad11159b8`])
    .argument('<uuid>', 'the webhook')
    .argument('<delivery>', 'the id of the delivery')
    .action(async (uuid: string, delivery: string, options: ConnectOptions) => {
      await post(context, route, { uuid, delivery }, options)
    })
}

function testVerb(context: Context): Command {
  const route = routeOf('POST', '/webhooks/:uuid/test')
  return verbOf('webhook test', route, [one])
    .argument('<uuid>', 'the webhook')
    .action(async (uuid: string, options: ConnectOptions) => await post(context, route, { uuid }, options))
}

async function post(
  context: Context,
  route: ReturnType<typeof routeOf>,
  params: Record<string, string>,
  options: ConnectOptions,
): Promise<void> {
  printThing(context, await answerOf(context, options, { route, params, body: {} }), options)
}
