import type { Command } from 'commander'
import { agreed } from '../ask.ts'
import { connected, type ConnectOptions } from '../connect.ts'
import { type ApiObject, routeOf } from '../connection.ts'
import { type Context, isTerminal, note, print, printJson } from '../context.ts'
import { bodyOf, fieldsOf, withFields } from '../fields.ts'
import { findOrganisation } from '../references.ts'
import { type ListOptions, pageParameters, printList, withPages } from '../verbs/list.ts'
import { endOne, type RemoveOptions } from '../verbs/remove.ts'
import { printThing, verbOf } from '../verbs/verb.ts'

/** Set-up links, by which an organisation sets up its sign-in itself. */

const path = '/upstream-invitations'
const one = '4c1d0b7e-9a35-4f6e-8d2b-7e1f0a9c3b01'

export const setupLinkVerbs = (context: Context): Command[] => [
  inviteVerb(context),
  listVerb(context),
  showVerb(context),
  confirmVerb(context),
  withdrawVerb(context),
]

function inviteVerb(context: Context): Command {
  const route = routeOf('POST', path)
  return verbOf('upstream invite', route, ['acme'])
    .argument('<organisation>', 'the code or uuid of the organisation')
    .action(async (text: string, options: ConnectOptions) => {
      const made = await connected(context, options, async (connection): Promise<ApiObject> => {
        const body = { organisation_uuid: await findOrganisation(connection, text) }
        return (await connection.ask({ route, body })).body
      })
      if (options.json === true) printJson(context, made)
      else if (options.dryRun === true) printThing(context, made, options)
      else print(context, String(made.address))
      note(context, `The link is shown this once: pass it on now. Its uuid is ${String(made.uuid)}.`)
    })
}

function listVerb(context: Context): Command {
  const route = routeOf('GET', path)
  const fields = fieldsOf(route.query, pageParameters)
  const columns = route.columns ?? []
  return withPages(withFields(verbOf('upstream invitations', route, ['--organisation acme']), fields)).action(
    async (options: ListOptions) => await printList(context, { route, fields, columns, options }),
  )
}

function showVerb(context: Context): Command {
  const route = routeOf('GET', `${path}/:uuid`)
  return verbOf('upstream invitation', route, [one])
    .argument('<uuid>', 'the set-up link')
    .action(async (uuid: string, options: ConnectOptions) => {
      const found = await connected(
        context,
        options,
        async (connection) => (await connection.ask({ route, params: { uuid } })).body,
      )
      printThing(context, found, options)
      if (options.json !== true) noteDomain(context, found)
    })
}

/** Says what follows where no domain was proved by it. */
function noteDomain(context: Context, shown: ApiObject): void {
  const { state, entry } = shown as { state: string; entry: { domain: { found_at: string | null } | null } }
  if (state !== 'handed_in' || (entry.domain?.found_at ?? null) !== null) return
  note(
    context,
    'No domain was proved by it. Unless the organisation has one, no address counts: only who has an account and proves it comes in, and guests where the upstream lets them in.',
  )
}

/** Shows what was handed in, asks, and confirms that alone. */
function confirmVerb(context: Context): Command {
  const [reading, route] = [routeOf('GET', `${path}/:uuid`), routeOf('POST', `${path}/:uuid/confirm`)]
  const fields = fieldsOf(route.body)
  return withFields(verbOf('upstream confirm', route, [one]), fields)
    .argument('<uuid>', 'the set-up link')
    .action(async (uuid: string, options: ConnectOptions & { entryHash?: string }) => {
      const params = { uuid }
      const made = await connected(
        context,
        options,
        async (connection): Promise<ApiObject> => {
          const body = await bodyOf(connection, fields, options)
          if (options.entryHash !== undefined || options.dryRun === true)
            return (await connection.ask({ route, params, body: await shownIn(body) })).body
          if (!isTerminal(context))
            throw new Error('Nobody can be asked here: add --entry-hash of what you looked at.')
          const shown = (await connection.ask({ route: reading, params })).body
          printThing(context, shown, {})
          noteDomain(context, shown)
          await agreed(context, 'Confirm that?')
          return (await connection.ask({ route, params, body: { ...body, entry_hash: shown.entry_hash } }))
            .body

          async function shownIn(said: ApiObject): Promise<ApiObject> {
            if (said.entry_hash !== undefined) return said
            const { entry_hash } = (await connection.ask({ route: reading, params })).body
            return { ...said, entry_hash }
          }
        },
        fields,
      )
      printThing(context, made, options)
    })
}

function withdrawVerb(context: Context): Command {
  const route = routeOf('DELETE', `${path}/:uuid`)
  return verbOf('upstream withdraw', route, [`${one} --yes`])
    .argument('<uuid>', 'the set-up link')
    .option('--yes', 'do not ask')
    .action(async (uuid: string, options: RemoveOptions) => {
      await endOne(context, options, async () => ({
        asking: { route, params: { uuid } },
        question: `Withdraw the set-up link ${uuid}, with what was entered by it?`,
        done: `The set-up link ${uuid} is withdrawn.`,
      }))
    })
}
