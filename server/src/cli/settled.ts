import { Command } from 'commander'
import type { Settled } from '../catalogue/settled.ts'
import { administered } from '../protocol/things.ts'
import { connected, type ConnectOptions } from './connect.ts'
import { routeOf } from './connection.ts'
import type { Context } from './context.ts'
import { fieldsOf, valuesOf, withFields } from './fields.ts'
import { printThing, verbOf } from './verbs/verb.ts'

/** What the installation has one of, with an example of a change and of what can be taken away. */
const words: Record<Settled, { description: string; example: string; unset: string }> = {
  policy: {
    description: 'The policy of the installation: how strongly everybody signs in, at the least.',
    example: '--second-factor required --grace-days 7',
    unset: '--unset trusted-device-days',
  },
  branding: {
    description: 'The branding of the installation: how its pages and mails look.',
    example: "--name Acme --accent-color '#7a1f5c'",
    unset: '--unset logo-dark',
  },
  break_glass: {
    description: 'The break-glass people of the installation: they get in when its upstreams do not work.',
    example: '--people 0198c0de-0000-7000-8000-000000000001',
    unset: '--unset people',
  },
  assertion_issuers: {
    description: 'The issuers whose tokens prove clients that have neither a secret nor a key of their own.',
    example: `--issuers '[{"issuer":"https://token.actions.githubusercontent.com"}]'`,
    unset: '--unset issuers',
  },
}

/** `tessera policy`, `tessera branding` and `tessera break-glass`. */
export function settledCommand(context: Context, what: Settled): Command {
  return new Command(administered[what].many)
    .description(words[what].description)
    .addCommand(showCommand(context, what))
    .addCommand(changeCommand(context, what))
    .addHelpText(
      'after',
      `
By the API of the service at --url or TESSERA_URL, else straight on the database of TESSERA_DATABASE_URL.

Example:
  $ tessera ${administered[what].many} change ${words[what].example}`,
    )
}

function showCommand(context: Context, what: Settled): Command {
  const reading = routeOf('GET', `/${administered[what].many}`)
  return verbOf(`${administered[what].many} show`, reading, ['']).action(async (options: ConnectOptions) => {
    const shown = await connected(context, options, async (connection) => connection.ask({ route: reading }))
    printThing(context, shown.body, options)
  })
}

function changeCommand(context: Context, what: Settled): Command {
  const reading = routeOf('GET', `/${administered[what].many}`)
  const setting = routeOf('PUT', `/${administered[what].many}`)
  const fields = fieldsOf(setting.body)
  const description = setting.description?.replace(/^[^.]*\./, 'What is not named stays.') ?? ''
  const route = { ...setting, summary: `Change the ${administered[what].settled}`, description }
  const command = verbOf(`${administered[what].many} change`, route, [words[what].example, words[what].unset])
  return withFields(command, fields, true).action(async (options: ConnectOptions) => {
    const change = async (connection: Parameters<Parameters<typeof connected>[2]>[0]) => {
      const { body: before, etag: match } = await connection.ask({ route: reading })
      const said = valuesOf(fields, options)
      if (Object.keys(said).length === 0)
        throw new Error(`Say what to change: tessera ${administered[what].many} change --help lists it.`)
      const stays = Object.fromEntries(fields.map(({ name }) => [name, before[name]]))
      return await connection.ask({ route: setting, body: { ...stays, ...said }, match })
    }
    printThing(context, (await connected(context, options, change, fields)).body, options)
  })
}
