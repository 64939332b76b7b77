import { Command } from 'commander'
import { connected, type ConnectOptions } from './connect.ts'
import { routeOf } from './connection.ts'
import { type Context, print } from './context.ts'
import { fieldsOf, withFields } from './fields.ts'
import { findUser } from './references.ts'
import { type ListOptions, pageParameters, printList, withPages } from './verbs/list.ts'
import { verbOf } from './verbs/verb.ts'

/** `tessera consents`: what people allowed applications that are not the organisation's own. */
export function consentsCommand(context: Context): Command {
  return new Command('consents')
    .description('See and withdraw what people allowed applications.')
    .addCommand(listVerb(context))
    .addCommand(withdrawVerb(context))
    .addHelpText('after', '\nExample:\n  $ tessera consents list')
}

function listVerb(context: Context): Command {
  const route = routeOf('GET', '/consents')
  const fields = fieldsOf(route.query, pageParameters)
  const columns = ['email', 'client_id', 'scope', 'granted_at']
  const examples = ['mara.lind@acme.example', '--client lakeside-portal --all']
  const filters = fields.filter(({ name }) => name !== 'user_uuid')
  return withPages(withFields(verbOf('consents list', route, examples), filters))
    .argument('[e-mail|uuid]', 'of this person alone')
    .action(async (user: string | undefined, options: ListOptions) => {
      await printList(context, { route, fields, columns, options, given: { ...options, user } })
    })
}

function withdrawVerb(context: Context): Command {
  const route = routeOf('DELETE', '/users/:uuid/consents/:client_id')
  return verbOf('consents withdraw', route, ['mara.lind@acme.example lakeside-portal'])
    .argument('<e-mail|uuid>', 'the person')
    .argument('<client_id>', 'the application')
    .action(async (user: string, client: string, options: ConnectOptions) => {
      await connected(context, options, async (connection) => {
        const params = { uuid: await findUser(connection, user), client_id: client }
        await connection.ask({ route, params })
      })
      if (options.json !== true) print(context, `${user} no longer allows ${client} anything.`)
    })
}
