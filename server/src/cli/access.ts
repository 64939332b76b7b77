import { Command } from 'commander'
import type { Weakening } from '../protocol/weakenings.ts'
import { isUuid } from '../protocol/values.ts'
import { connected, type ConnectOptions } from './connect.ts'
import { type Connection, routeOf, type ApiObject } from './connection.ts'
import { type Context, note, print, printJson } from './context.ts'
import { type Field, fieldsOf, type Given, valuesOf, withFields } from './fields.ts'
import { plain } from './plain.ts'
import { explainedProfile } from './profiles.ts'
import { withIds } from './references.ts'
import { printRefused } from './resources/refused-addresses.ts'
import { printLines } from './show.ts'
import { listed, suggestion } from './suggestions.ts'
import { inColour, sheetOf } from './table.ts'
import { type ListOptions, pageParameters, printList, withPages } from './verbs/list.ts'
import { verbOf } from './verbs/verb.ts'
import { whatIfVerb } from './what-if.ts'

/** `tessera access`: who can do what, and why. */
export function accessCommand(context: Context): Command {
  return new Command('access')
    .description('Who can do what, and why. What one person may do: tessera user access.')
    .addCommand(whoVerb(context))
    .addCommand(explainVerb(context))
    .addCommand(whatIfVerb(context))
    .addHelpText(
      'after',
      '\nExample:\n  $ tessera access who submissions-tool.vista-import.create --organisation acme',
    )
}

function whoVerb(context: Context): Command {
  const route = routeOf('GET', '/access')
  const fields = fieldsOf(route.query, [...pageParameters, 'permission'])
  const columns = [
    ...['kind', 'email', 'client_id', 'role_code'],
    ...['organisation_uuid', 'organisation_unit_uuid', 'acting_for'],
  ]
  const command = verbOf('access who', route, [
    'submissions-tool.vista-import.create --organisation acme',
    'iam.users.delete --all --json',
  ])
  return withPages(withFields(command, fields))
    .argument('<permission>', 'such as iam.users.read')
    .action(async (permission: string, options: ListOptions) => {
      await printList(context, { route, fields, columns, options, fixed: { permission } })
    })
}

function explainVerb(context: Context): Command {
  const route = routeOf('GET', '/access/explain')
  const fields = fieldsOf(route.query, ['permission', 'include'])
  const command = verbOf('access explain', route, [
    'iam.users.read --client operations',
    'iam.users.read --user mara.lind@acme.example',
    'iam.users.read --user mara.lind@acme.example --profile importer@acme/intake',
  ])
  return withFields(command, fields)
    .argument('<permission>', 'such as iam.users.read')
    .addHelpText(
      'after',
      '\nWithout --profile it is the one that the user can act under, where there is one alone.',
    )
    .action(async (permission: string, options: ConnectOptions) => {
      const json = options.json === true
      const ask = async (connection: Connection) => {
        const asked = await askedOf(connection, fields, options)
        const query = new URLSearchParams({ permission, ...asked.ids, include: 'remedies' })
        const { body } = await connection.ask({ route, query })
        const meant = json || body.allowed === true ? '' : await meantBy(connection, body)
        return { ...asked, body, meant }
      }
      const { body, profile, meant } = await connected(context, options, ask, fields)
      if (json) return printJson(context, body)
      printExplained(context, body, meant)
      if (profile !== undefined) note(context, `This is with the profile ${profile}.`)
    })
}

/** What is asked about. `profile`: the one that was not typed, but found. */
async function askedOf(
  connection: Connection,
  fields: readonly Field[],
  given: Given,
): Promise<{ ids: Record<string, string>; profile?: string | undefined }> {
  const named = valuesOf(fields, given)
  const ids = (await withIds(connection, named)) as Record<string, string>
  const { user_uuid: user, profile_uuid: text } = ids
  if (user === undefined || (text !== undefined && isUuid(text))) return { ids }
  const { uuid, said } = await explainedProfile(
    connection,
    { uuid: user, typed: String(named.user_uuid) },
    text,
  )
  return { ids: { ...ids, profile_uuid: uuid }, profile: text === undefined ? said : undefined }
}

/** Which permission was probably meant, where there is none of this name. */
async function meantBy(connection: Connection, { chain, permission }: ApiObject): Promise<string> {
  const unknown = (chain as ExplainedLink[]).some((one) => one.check === 'permission_exists' && !one.holds)
  return unknown ? await suggestion(connection, listed.permissions, String(permission)) : ''
}

interface Remedy {
  method: string
  path: string
  body: object
  refusal: string | null
}

interface ExplainedLink {
  check: string
  holds: boolean
  detail: string
}

/** The verdict with its reason, then what fails, then the rest. */
function printExplained(
  context: Context,
  { permission, chain, would_grant: cures, weakenings, refused_addresses: refused, remedies }: ApiObject,
  meant: string,
): void {
  const links = chain as ExplainedLink[]
  const failing = links.filter((one) => !one.holds)
  const [first] = failing
  const verdict =
    first === undefined ? `Yes. A token carries ${String(permission)}.` : `No. ${first.detail}${meant}`
  const sheet = sheetOf(context, context.output)
  const [, answer = '', why = ''] = /^(\S+)(.*)$/s.exec(plain(verdict)) ?? []
  context.output.write(`${inColour(answer, first === undefined ? 'green' : 'red', sheet)}${why}\n`)
  const rest = links.filter((one) => one.holds)
  printLines(
    context,
    [...failing, ...rest].map(({ holds, detail }) => [holds ? 'yes' : 'no', detail]),
  )
  const said = (cures as string[]).map((one) => `\n  ${one}`).join('')
  if (said !== '') print(context, `What would grant it:${said}`)
  const changes = (remedies as Remedy[]).map(
    ({ method, path, body, refusal }) =>
      `\n  ${method} ${path} ${JSON.stringify(body)}${refusal === null ? '' : `\n    not by you: ${refusal}`}`,
  )
  if (changes.length > 0) print(context, `By the API, the smallest change first:${changes.join('')}`)
  const weaker = (weakenings as Weakening[]).map(({ field, detail }) => `\n  ${field}: ${detail}`).join('')
  if (weaker !== '') print(context, `A sign-in through the client is weaker than by default:${weaker}`)
  printRefused(context, refused as ApiObject[])
}
