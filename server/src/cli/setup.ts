import { Command, Option } from 'commander'
import { setup, setupLink } from '../setup/routes.ts'
import { consoleClient } from '../protocol/built-in-clients.ts'
import { readEntrance, readIssuer } from '../settings.ts'
import { newPassword, passwordFrom } from './ask.ts'
import { connected } from './connect.ts'
import type { ApiObject } from './connection.ts'
import { type Context, isTerminal, note, print, printJson } from './context.ts'
import { onDatabase } from './on-database.ts'
import type { Typed } from './refused.ts'

interface SetupOptions {
  link?: boolean
  email?: string
  name: string
  role?: string
  passwordStdin?: boolean
  json?: boolean
}

/** `tessera setup`: the first administrator of an empty installation. */
export function setupCommand(context: Context): Command {
  const command = new Command('setup')
    .description('Make the first administrator of an installation that has none.')
    .option('--email <e-mail>', 'their address, with which they sign in')
    .addOption(
      new Option('--link', 'print a link instead, at which they set name, address and password').conflicts([
        'email',
        'name',
        'role',
        'passwordStdin',
      ]),
    )
    .option('--name <text>', 'their name', 'Administrator')
    .option('--role <code>', 'the role that gives them everything; it is made when it is missing')
    .option('--password-stdin', 'read the password from standard input, and ask nobody')
    .option('--json', 'print the user, or the link, as JSON')
    .addHelpText(
      'after',
      `
On the database of TESSERA_DATABASE_URL, whose tables it makes when they are missing; a running service follows at
once. The person, the role with iam.* and the profile are made together or not at all. It is refused when somebody
administers everything already.

The link is of the service at TESSERA_ISSUER. It is good for an hour and once; whoever opens it first is the
administrator, so give it to nobody else.

Examples:
  $ tessera setup --email lena.hoff@acme.example
  $ tessera setup --email lena.hoff@acme.example --name 'Lena Hoff' --password-stdin < password
  $ TESSERA_ISSUER=https://id.example.com tessera setup --link`,
    )
  return command.action(async (options: SetupOptions) => {
    if (options.link === true) return await printLink(context, options)
    if (options.email === undefined) {
      command.error('error: say who it is with --email, or add --link to let them say so in the browser')
    }
    await makeAdministrator(context, options)
  })
}

async function makeAdministrator(context: Context, options: SetupOptions): Promise<void> {
  const { email = '', name, role, json = false } = options
  // The password is asked for before anything is made.
  const password = await passwordOf(context, options)
  const sent = { email, name, password, ...(role !== undefined && { role_code: role }) }
  const body = await asked(context, json, { route: setup, body: sent })
  if (json) return printJson(context, body)
  const [profile] = body.profiles as ApiObject[]
  print(context, `${email} administers the whole installation, by the role ${String(profile?.role_code)}.`)
  sayWhere(context, body.console)
}

/** Says where they administer, the console last: at the service that ran on this database, if any did. */
function sayWhere(context: Context, known?: unknown): void {
  const { issuer, console } = readEntrance(context.environment)
  const [path, unknown] = [consoleClient.path, 'ISSUER']
  const at = typeof known === 'string' ? known.slice(0, -path.length) : (issuer ?? unknown)
  if (at === unknown) note(context, `With the address of the service in the place of ${unknown}:`)
  note(context, `By the command: tessera login ${at}`)
  if (console) note(context, `In the console: ${at}${path}`)
}

async function printLink(context: Context, { json = false }: SetupOptions): Promise<void> {
  // A link needs an issuer, which is checked before anything is made.
  readIssuer(context.environment)
  const body = await asked(context, json, { route: setupLink })
  if (json) return printJson(context, body)
  print(context, String(body.link))
  note(
    context,
    `Good once, until ${String(body.expires_at)}: whoever opens it first can become the administrator.`,
  )
  sayWhere(context)
}

/** What people type for the fields of the request. */
const typed: readonly Typed[] = [
  { name: 'email', option: 'email' },
  { name: 'name', option: 'name' },
  { name: 'role_code', option: 'role' },
]

async function asked(
  context: Context,
  json: boolean,
  asking: { route: typeof setup; body?: ApiObject },
): Promise<ApiObject> {
  return await connected(
    context,
    { json },
    async (connection) => (await connection.ask(asking)).body,
    typed,
    async () => await onDatabase(context, { make: true }),
  )
}

async function passwordOf(context: Context, { passwordStdin }: SetupOptions): Promise<string> {
  if (passwordStdin === true) return await passwordFrom(context.input)
  if (isTerminal(context)) return await newPassword(context)
  throw new Error('Nobody can be asked for a password here: add --password-stdin, and send it there.')
}
