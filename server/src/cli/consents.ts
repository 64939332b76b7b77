import { Command } from 'commander'
import { connected, type Options, routeOf } from './connection.ts'
import { withFields } from './fields.ts'
import { findUser } from './references.ts'
import type { Context } from './resources/resource.ts'
import { filtersOf, type ListOptions, printList, withPages } from './verbs/list.ts'
import { verbOf } from './verbs/verb.ts'
import { print } from './world.ts'

const noun = { noun: 'consents' }

/** `tessera consents`: what people allowed applications that are not the organisation's own. */
export function consentsCommand(context: Context): Command {
  return new Command('consents')
    .description('See and withdraw what people allowed applications.')
    .addCommand(listPart(context))
    .addCommand(withdrawPart(context))
    .addHelpText('after', '\nExample:\n  $ tessera consents list')
}

function listPart(context: Context): Command {
  const route = routeOf('GET', '/consents')
  const fields = filtersOf(route)
  const columns = ['email', 'client_id', 'scope', 'granted_at']
  const examples = ['mara.lind@acme.example', '--client lakeside-portal --all']
  const options = filtersOf(route, ['user_uuid'])
  return withPages(withFields(verbOf(noun, 'list', route, examples), options))
    .argument('[e-mail|uuid]', 'of this person alone')
    .action(async (user: string | undefined, given: ListOptions) => {
      await printList(context, { route, fields, columns, options: given, given: { ...given, user } })
    })
}

function withdrawPart(context: Context): Command {
  const route = routeOf('DELETE', '/users/:uuid/consents/:client_id')
  return verbOf(noun, 'withdraw', route, ['mara.lind@acme.example lakeside-portal'])
    .argument('<e-mail|uuid>', 'the person')
    .argument('<client_id>', 'the application')
    .action(async (user: string, client: string, options: Options) => {
      await connected(context, options, async (connection) => {
        const params = { uuid: await findUser(connection, user), client_id: client }
        await connection.ask({ route, params })
      })
      if (options.json !== true) print(context.world, `${user} no longer allows ${client} anything.`)
    })
}
