import { Command } from 'commander'
import { connected, type Options } from './connect.ts'
import { routeOf } from './connection.ts'
import type { Context } from './context.ts'
import { fieldsOf, valuesOf, withFields } from './fields.ts'
import { printThing, verbOf } from './verbs/verb.ts'

const reading = routeOf('GET', '/policy')
const setting = routeOf('PUT', '/policy')

/** `tessera policy`: how strongly everybody signs in, at the least. */
export function policyCommand(context: Context): Command {
  return new Command('policy')
    .description('The policy of the installation: how strongly everybody signs in, at the least.')
    .addCommand(showCommand(context))
    .addCommand(changeCommand(context))
    .addHelpText(
      'after',
      `
By the API of the service at --url or TESSERA_URL, else straight on the database of TESSERA_DATABASE_URL.

Example:
  $ tessera policy change --second-factor required --grace-days 7`,
    )
}

const showCommand = (context: Context): Command =>
  verbOf('policy show', reading, ['']).action(async (options: Options) => {
    const policy = await connected(context, options, async (connection) => connection.ask({ route: reading }))
    printThing(context, policy.body, options)
  })

function changeCommand(context: Context): Command {
  const fields = fieldsOf(setting.body)
  const description = setting.description?.replace(/^[^.]*\./, 'What is not named stays.') ?? ''
  const route = { ...setting, summary: 'Change the policy of the installation', description }
  const command = verbOf('policy change', route, [
    '--second-factor required --grace-days 7',
    '--unset trusted-device-days',
  ])
  return withFields(command, fields, true).action(async (options: Options) => {
    const change = async (connection: Parameters<Parameters<typeof connected>[2]>[0]) => {
      const { body: before, etag: match } = await connection.ask({ route: reading })
      const said = valuesOf(fields, options)
      if (Object.keys(said).length === 0)
        throw new Error('Say what to change: tessera policy change --help lists it.')
      const stays = Object.fromEntries(fields.map(({ name }) => [name, before[name]]))
      return await connection.ask({ route: setting, body: { ...stays, ...said }, match })
    }
    printThing(context, (await connected(context, options, change, fields)).body, options)
  })
}
