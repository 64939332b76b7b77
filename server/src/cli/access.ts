import { Command } from 'commander'
import { connected, type Connection, type Options, routeOf, type Thing } from './connection.ts'
import { type Given, valueOf, withFields } from './fields.ts'
import { withIds } from './references.ts'
import type { Context } from './resources/resource.ts'
import { tableOf } from './show.ts'
import { filtersOf, type ListOptions, printList, withPages } from './verbs/list.ts'
import { verbOf } from './verbs/verb.ts'
import { print } from './world.ts'

const noun = { noun: 'access' }

/** `tessera access`: who can do what, and why. */
export function accessCommand(context: Context): Command {
  return new Command('access')
    .description('Who can do what, and why. What one person may do: tessera user access.')
    .addCommand(whoPart(context))
    .addCommand(explainPart(context))
    .addHelpText(
      'after',
      '\nExample:\n  $ tessera access who submissions-tool.vista-import.create --organisation acme',
    )
}

function whoPart(context: Context): Command {
  const route = routeOf('GET', '/access')
  const fields = filtersOf(route, ['permission'])
  const columns = ['kind', 'email', 'client_id', 'role_code', 'organisation_uuid', 'organisation_unit_uuid']
  const command = verbOf(noun, 'who', route, [
    'submissions-tool.vista-import.create --organisation acme',
    'iam.users.delete --all --json',
  ])
  return withPages(withFields(command, fields))
    .argument('<permission>', 'such as iam.users.read')
    .action(async (permission: string, options: ListOptions) => {
      const given = { ...options }
      await printList(context, { route, fields, columns, options, given, fixed: { permission } })
    })
}

function explainPart(context: Context): Command {
  const route = routeOf('GET', '/access/explain')
  const fields = filtersOf(route, ['permission'])
  const command = verbOf(noun, 'explain', route, [
    'iam.users.read --client operations',
    'iam.users.read --user mara.lind@acme.example --profile 4a6d2c10-91f3-4e0b-8d57-0b1c2d3e0101',
  ])
  return withFields(command, fields)
    .argument('<permission>', 'such as iam.users.read')
    .action(async (permission: string, options: Options & Given) => {
      const ask = async (connection: Connection) => {
        const values = fields.map((field) => [field.name, valueOf(field, options)] as const)
        const given = values.filter(([, value]) => value !== undefined)
        const asked = await withIds(connection, Object.fromEntries(given))
        const query = new URLSearchParams({ permission, ...(asked as Record<string, string>) })
        return await connection.ask({ route, query })
      }
      const { body } = await connected(context, options, ask, fields)
      print(context.world, options.json === true ? JSON.stringify(body, null, 2) : explained(body))
    })
}

function explained({ allowed, chain, would_grant: cures }: Thing): string {
  const verdict = allowed === true ? 'It is allowed.' : 'It is not allowed.'
  const cure = (cures as string[]).map((one) => `\n  ${one}`).join('')
  const said = cure === '' ? '' : `\nWhat would grant it:${cure}`
  return `${tableOf(chain as Thing[], ['check', 'holds', 'detail'])}\n${verdict}${said}`
}
