import { Command } from 'commander'
import { setup } from '../admin/setup.ts'
import { newPassword, passwordFrom } from './ask-password.ts'
import { connected, type Thing } from './connection.ts'
import { onDatabase } from './on-database.ts'
import type { Context } from './resources/resource.ts'
import { isTerminal, note, print, type World } from './world.ts'

interface Options {
  email: string
  name: string
  role?: string
  passwordStdin?: boolean
  json?: boolean
}

/** `tessera setup`: the first administrator of an empty installation. */
export function setupCommand({ world }: Pick<Context, 'world'>): Command {
  return new Command('setup')
    .description('Make the first administrator of an installation that has none.')
    .requiredOption('--email <e-mail>', 'their address, with which they sign in')
    .option('--name <text>', 'their name', 'Administrator')
    .option('--role <code>', 'the role that gives them everything; it is made when it is missing')
    .option('--password-stdin', 'read the password from standard input, and ask nobody')
    .option('--json', 'print the user as JSON')
    .addHelpText(
      'after',
      `
On the database of TESSERA_DATABASE_URL, whose tables it makes when they are missing; a running service follows at
once. The person, the role with iam.* and the profile are made together or not at all. It is refused when somebody
administers everything already.

Examples:
  $ tessera setup --email lena.hoff@acme.example
  $ tessera setup --email lena.hoff@acme.example --name 'Lena Hoff' --password-stdin < password`,
    )
    .action(async (options: Options) => {
      const { email, name, role, json = false } = options
      // Before anything is made.
      const password = await passwordOf(world, options)
      const connect = async () => await onDatabase(world, { make: true })
      const { body } = await connected({ world, connect }, { json }, async (connection) => {
        const sent = { email, name, password, ...(role !== undefined && { role_code: role }) }
        return await connection.ask({ route: setup, body: sent })
      })
      if (json) return print(world, JSON.stringify(body, null, 2))
      const [profile] = body.profiles as Thing[]
      print(world, `${email} administers the whole installation, by the role ${String(profile?.role_code)}.`)
      note(world, 'They sign in through a client with the service iam: see docs/command.md.')
    })
}

async function passwordOf(world: World, { passwordStdin }: Options): Promise<string> {
  if (passwordStdin === true) return await passwordFrom(world.input)
  if (isTerminal(world)) return await newPassword(world)
  throw new Error('Nobody can be asked for a password here: add --password-stdin, and send it there.')
}
