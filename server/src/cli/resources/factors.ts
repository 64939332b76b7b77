import { Command } from 'commander'
import { connected, type ConnectOptions } from '../connect.ts'
import { routeOf, type ApiObject } from '../connection.ts'
import { type Context, note, print, printJson } from '../context.ts'
import { findUser } from '../references.ts'
import { printTable } from '../show.ts'
import { endOne, type RemoveOptions } from '../verbs/remove.ts'
import { verbOf } from '../verbs/verb.ts'

const one = 'mara.lind@acme.example'
const argument = ['<e-mail|uuid>', 'the user'] as const

/** `tessera user factor`, `trusted-device`, `unlock` and `recover`: on the database itself they are the last resort. */
export const factorVerbs = (context: Context): Command[] => [
  new Command('factor')
    .alias('factors')
    .description('Their second factors: authenticator apps, passkeys and security keys.')
    .addCommand(listOf(context, factors))
    .addCommand(removeFactor(context))
    .addHelpText('after', `\nExample:\n  $ tessera user factor list ${one}`),
  new Command('trusted-device')
    .description('The browsers that they trust, which are not asked for a second factor for a while.')
    .addCommand(listOf(context, devices))
    .addCommand(removeDevices(context))
    .addHelpText('after', `\nExample:\n  $ tessera user trusted-device list ${one}`),
  unlock(context),
  recover(context),
]

/** A short list of what one user has. */
interface UserList {
  words: string
  path: string
  columns: readonly string[]
}

const factors: UserList = {
  words: 'user factor',
  path: '/users/:uuid/factors',
  columns: ['id', 'kind', 'name', 'created_at', 'last_used_at', 'backup_state', 'suspended_at'],
}
const devices: UserList = {
  words: 'user trusted-device',
  path: '/users/:uuid/trusted-devices',
  columns: ['label', 'proved_at', 'last_used_at'],
}

function listOf(context: Context, { words, path, columns }: UserList): Command {
  const route = routeOf('GET', path)
  return verbOf(`${words} list`, route, [one, `${one} --json`])
    .argument(...argument)
    .action(async (text: string, options: ConnectOptions) => {
      const body = await connected(context, options, async (connection) => {
        const params = { uuid: await findUser(connection, text) }
        const query = new URLSearchParams({ limit: '200' })
        return (await connection.ask({ route, params, query })).body
      })
      if (options.json === true) return printJson(context, body)
      printTable(context, body.items as ApiObject[], columns)
    })
}

function removeFactor(context: Context): Command {
  const [route, every] = [routeOf('DELETE', `${factors.path}/:id`), routeOf('DELETE', factors.path)]
  const examples = [`${one} 01a1fe79f2bf4503141415cad11159b8`, `${one} --all --yes`]
  return verbOf('user factor remove', { ...route, summary: 'Remove second factors of a user' }, examples)
    .argument(...argument)
    .argument('[id]', 'the id of the factor')
    .option('--all', 'all of them, with the recovery codes')
    .option('--yes', 'do not ask')
    .action(async (text: string, id: string | undefined, options: RemoveOptions & { all?: boolean }) => {
      if ((id === undefined) === (options.all !== true))
        throw new Error('Name one factor, or say --all: tessera user factor list shows them.')
      await endOne(context, options, async (connection) => {
        const uuid = await findUser(connection, text)
        const [what, done] = id === undefined ? ['all factors', 'are'] : [`the factor ${id}`, 'is']
        return {
          asking: id === undefined ? { route: every, params: { uuid } } : { route, params: { uuid, id } },
          question: `Remove ${what} of ${text}?`,
          done: `${what[0]?.toUpperCase()}${what.slice(1)} of ${text} ${done} removed.`,
        }
      })
    })
}

function removeDevices(context: Context): Command {
  const route = routeOf('DELETE', devices.path)
  return verbOf('user trusted-device remove', route, [`${one} --yes`])
    .argument(...argument)
    .option('--yes', 'do not ask')
    .action(async (text: string, options: RemoveOptions) => {
      await endOne(context, options, async (connection) => ({
        asking: { route, params: { uuid: await findUser(connection, text) } },
        question: `Forget every browser that ${text} trusts?`,
        done: `${text} trusts no browser any more.`,
      }))
    })
}

function unlock(context: Context): Command {
  const route = routeOf('POST', '/users/:uuid/unlock')
  return verbOf('user unlock', route, [one])
    .argument(...argument)
    .action(async (text: string, options: ConnectOptions) => {
      await connected(context, options, async (connection) => {
        await connection.ask({ route, params: { uuid: await findUser(connection, text) }, body: {} })
      })
      if (options.json !== true) print(context, `${text} may try again.`)
    })
}

interface RecoverOptions extends ConnectOptions {
  showLink?: boolean
  endFactors?: boolean
  fromTheft?: boolean
}

function recover(context: Context): Command {
  const route = routeOf('POST', '/users/:uuid/recovery')
  return verbOf('user recover', route, [one, `${one} --show-link`, `${one} --from-theft`])
    .argument(...argument)
    .option('--show-link', 'print it instead of mailing it to them')
    .option('--end-factors', 'for a person who can show no second factor: using the link ends all of them')
    .option('--from-theft', 'end all of an account that was taken over, at once; look at its address first')
    .action(async (text: string, options: RecoverOptions) => {
      const body = await connected(context, options, async (connection) => {
        const params = { uuid: await findUser(connection, text) }
        const body = {
          ...(options.showLink === true && { delivery: 'link' }),
          ...(options.endFactors === true && { factors: 'end' }),
          ...(options.fromTheft === true && { from_theft: true }),
        }
        return (await connection.ask({ route, params, body })).body
      })
      if (options.json === true) return printJson(context, body)
      const until = String(body.expires_at)
      if (options.fromTheft === true) print(context, `All that was set up for ${text} has ended.`)
      if (body.link === null)
        return print(context, `A link is on its way to ${String(body.sent_to)}. Good once, until ${until}.`)
      print(context, String(body.link))
      note(context, `Good once, until ${until}. Pass it on to ${text} alone.`)
    })
}
