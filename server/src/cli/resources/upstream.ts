import { Command } from 'commander'
import { lineFrom, passwordFrom } from '../ask.ts'
import { connected, type ConnectOptions } from '../connect.ts'
import { type ApiObject, type Connection, pagesOf, routeOf } from '../connection.ts'
import { type Context, note, print, printJson } from '../context.ts'
import { bodyOf, fieldsOf, withFields } from '../fields.ts'
import { onDatabase } from '../on-database.ts'
import { findOrganisation } from '../references.ts'
import { noSuch } from '../suggestions.ts'
import { changed } from '../verbs/change.ts'
import { type ListOptions, pageParameters, printList, withPages } from '../verbs/list.ts'
import { endOne, type RemoveOptions } from '../verbs/remove.ts'
import { printThing, verbOf } from '../verbs/verb.ts'
import { isUuid } from '../../protocol/values.ts'
import { paramsOf, resourceOf } from './resource.ts'
import { upstreamTestVerb } from './upstream-test.ts'
import { setupLinkVerbs } from './setup-link.ts'

/** What an organisation signs people in and provisions them by, as people name it: `acme/entra`. */

/** Finds one by uuid, or by its organisation and its name there; without an organisation it is the installation's. */
const findWithin =
  (what: string, path: string, by: 'code' | 'name') =>
  async (connection: Connection, text: string): Promise<string> => {
    if (isUuid(text)) return text
    const [first = '', ...rest] = text.split('/')
    const [place, name] = rest.length > 0 ? [first, rest.join('/')] : [undefined, first]
    const owner = place === undefined ? null : await findOrganisation(connection, place)
    const query = new URLSearchParams({ [by]: name, ...(owner !== null && { organisation_uuid: owner }) })
    for await (const items of pagesOf(connection, { route: routeOf('GET', path), query })) {
      const it = items.find((one) => one[by] === name && one.organisation_uuid === owner)
      if (it !== undefined) return String(it.uuid)
    }
    throw noSuch(`There is no ${what} ${text}.`, '')
  }

const argument = 'organisation/code|uuid'

/** A secret is no option: other users of a machine see those. */
export const upstream = resourceOf('upstream', {
  alias: 'upstreams',
  argument: `[organisation/]code|uuid`,
  identify: findWithin('upstream', '/upstreams', 'code'),
  without: ['client_secret', 'bind_password'],
  creation: {
    typed: [
      { name: 'client_secret', option: 'secret-stdin' },
      { name: 'bind_password', option: 'secret-stdin' },
    ],
    options: (command) => command.option('--secret-stdin', 'read its secret from standard input'),
    body: async ({ input }, _connection, { secretStdin, kind }) =>
      secretStdin === true ? { [secretOf(kind)]: await passwordFrom(input) } : {},
  },
  more: (context) => [
    secretVerb(context),
    upstreamStateVerb(context),
    upstreamCheckVerb(context),
    testVerb(context),
    relaxVerb(context),
    ...setupLinkVerbs(context),
  ],
})

const testVerb = (context: Context): Command =>
  upstreamTestVerb(context, findWithin('upstream', '/upstreams', 'code'))

const upstreamCheckVerb = (context: Context): Command =>
  checkVerb(context, {
    noun: 'upstream',
    argument: '[organisation/]code|uuid',
    example: 'acme/entra',
    find: findWithin('upstream', '/upstreams', 'code'),
  })

interface CheckedThing {
  noun: 'upstream' | 'domain'
  argument: string
  example: string
  find: (connection: Connection, text: string) => Promise<string>
}

/** `tessera upstream check`, `tessera domain check`: what is found there now. */
function checkVerb(context: Context, { noun, argument, example, find }: CheckedThing): Command {
  const route = routeOf('POST', `/${noun}s/:uuid/check`)
  return verbOf(`${noun} check`, route, [example])
    .argument(`<${argument}>`, `the ${noun}`)
    .action(async (text: string, options: ConnectOptions) => {
      const found = await connected(
        context,
        options,
        async (connection) =>
          (await connection.ask({ route, params: { uuid: await find(connection, text) }, body: {} })).body,
      )
      printThing(context, found as ApiObject, options)
    })
}

/** `tessera upstream state`: who is linked, when somebody last came, what is wrong, what is to be registered there. */
function upstreamStateVerb(context: Context): Command {
  const route = routeOf('GET', '/upstreams/:uuid/state')
  return verbOf('upstream state', route, ['acme/entra'])
    .argument('<[organisation/]code|uuid>', 'the upstream')
    .action(async (text: string, options: ConnectOptions) => {
      const found = await connected(context, options, async (connection) => {
        const uuid = await findWithin('upstream', '/upstreams', 'code')(connection, text)
        return (await connection.ask({ route, params: { uuid } })).body
      })
      printThing(context, found as ApiObject, options)
    })
}

const secretOf = (kind: unknown) => (kind === 'ldap' ? 'bind_password' : 'client_secret')

/** `tessera upstream secret`: what it is registered with there. */
function secretVerb(context: Context): Command {
  const route = {
    ...routeOf('PATCH', '/upstreams/:uuid'),
    summary: 'Set the secret of an upstream',
    description:
      'Read from standard input: of the client there, or of the account that searches. Nothing removes it.',
  }
  return verbOf('upstream secret', route, ['acme/entra < secret'])
    .argument('<[organisation/]code|uuid>', 'the upstream')
    .action(async (text: string, options: ConnectOptions) => {
      const secret = await lineFrom(context.input)
      const after = await connected(context, options, async (connection) =>
        changed(upstream, connection, text, {}, async ({ kind }) => ({
          [secretOf(kind)]: secret === '' ? null : secret,
        })),
      )
      if (options.json === true) return printJson(context, after)
      print(
        context,
        `The secret of ${String(after.code)} is ${after.client_secret === true ? 'set' : 'removed'}.`,
      )
    })
}

/** `tessera upstreams relax`: the last resort where nobody gets in any more. Always on the database itself. */
function relaxVerb(context: Context): Command {
  return new Command('relax')
    .description('Let people of an organisation sign in otherwise again: its policy.sign_in becomes any.')
    .argument('<organisation>', 'the code or uuid of the organisation')
    .addHelpText(
      'after',
      `
The last resort where the upstream does not work and nobody in break_glass gets in: it needs the database of
TESSERA_DATABASE_URL and no service. The audit names who ran it. A policy of the installation, of a role or of a client
that says upstream goes on: change that by itself.

Example:
  $ tessera upstreams relax acme`,
    )
    .action(async (text: string) => {
      const connection = await onDatabase(context)
      try {
        const params = { uuid: await findOrganisation(connection, text) }
        const route = routeOf('PATCH', '/organisations/:uuid')
        const body = { policy: { sign_in: 'any' } }
        await connection.ask({ route, params, body, match: '*', overridesFile: true })
      } finally {
        await connection.close()
      }
      print(context, `People of ${text} may sign in otherwise again.`)
    })
}

const findDomain = findWithin('domain', '/domains', 'name')

export const domain = resourceOf('domain', {
  argument: 'organisation/name|uuid',
  identify: findDomain,
  more: (context) => [
    checkVerb(context, {
      noun: 'domain',
      argument: 'organisation/name|uuid',
      example: 'acme/acme.example',
      find: findDomain,
    }),
  ],
})

export const directory = resourceOf('directory', {
  argument,
  identify: findWithin('directory', '/directories', 'code'),
  more: (context) => [resourcesVerb(context), tokensVerb(context), tokenVerb(context), revokeVerb(context)],
})

function resourcesVerb(context: Context): Command {
  const route = routeOf('GET', '/directories/:uuid/resources')
  const fields = fieldsOf(route.query, pageParameters)
  const columns = ['kind', 'name', 'external_id', 'active', 'state', 'id']
  return withFields(withPages(verbOf('directory resources', route, ['acme/scim --kind User'])), fields)
    .argument(`<${argument}>`, 'the directory')
    .action(async (text: string, options: ListOptions) => {
      const params = await connected(context, options, (connection) => paramsOf(directory, connection, text))
      await printList(context, { route, fields, columns, options, params })
    })
}

function tokensVerb(context: Context): Command {
  const route = routeOf('GET', '/directories/:uuid/tokens')
  const fields = fieldsOf(route.query, pageParameters)
  const columns = ['id', 'created_at', 'expires_at', 'last_used_at']
  return withPages(verbOf('directory tokens', route, ['acme/scim']))
    .argument(`<${argument}>`, 'the directory')
    .action(async (text: string, options: ListOptions) => {
      const params = await connected(context, options, (connection) => paramsOf(directory, connection, text))
      await printList(context, { route, fields, columns, options, params })
    })
}

function tokenVerb(context: Context): Command {
  const route = routeOf('POST', '/directories/:uuid/tokens')
  const fields = fieldsOf(route.body)
  const example = 'acme/scim --expires-at 2027-12-31T00:00:00Z > token'
  return withFields(verbOf('directory token', route, [example]), fields)
    .argument(`<${argument}>`, 'the directory')
    .action(async (text: string, options: ConnectOptions) => {
      const made = await connected(
        context,
        options,
        async (connection): Promise<ApiObject> => {
          const params = await paramsOf(directory, connection, text)
          const body = await bodyOf(connection, fields, options)
          return (await connection.ask({ route, params, body })).body
        },
        fields,
      )
      if (options.json === true) printJson(context, made)
      else print(context, String(made.token))
      note(context, `The token is shown this once: keep it now. Its id is ${String(made.id)}.`)
    })
}

function revokeVerb(context: Context): Command {
  const route = routeOf('DELETE', '/directories/:uuid/tokens/:id')
  return verbOf('directory revoke-token', route, ['acme/scim 01a1fe79f2bf4503141415cad11159b8 --yes'])
    .argument(`<${argument}>`, 'the directory')
    .argument('<id>', 'the id of the token')
    .option('--yes', 'do not ask')
    .action(async (text: string, id: string, options: RemoveOptions) => {
      await endOne(context, options, async (connection) => ({
        asking: { route, params: { ...(await paramsOf(directory, connection, text)), id } },
        question: `Revoke the token ${id} of ${text}?`,
        done: `The token ${id} of ${text} is revoked.`,
      }))
    })
}
