import type { Command } from 'commander'
import { isUuid } from '../../protocol/values.ts'
import { connected, type ConnectOptions } from '../connect.ts'
import { type Connection, routeOf, type ApiObject } from '../connection.ts'
import { type Context, note, print, printJson } from '../context.ts'
import { fieldsOf, valuesOf, withFields } from '../fields.ts'
import { explainedProfile } from '../profiles.ts'
import { findUser } from '../references.ts'
import { printLines } from '../show.ts'
import { verbOf } from '../verbs/verb.ts'

export interface WhoOptions extends ConnectOptions {
  as?: string
  profile?: string
}

/** `tessera client preview`: what the tokens of a client would say of somebody. */
export function previewVerb(context: Context): Command {
  const route = routeOf('POST', '/clients/:client_id/preview')
  const fields = fieldsOf(route.body, ['user_uuid', 'profile_uuid'])
  const examples = ['lakeside-portal --as mara.lind@acme.example', 'nightly-import']
  return withFields(verbOf('client preview', route, examples), fields)
    .option('--as <e-mail|uuid>', 'who signs in, with a client that acts for people')
    .option('--profile <role@organisation/unit|uuid>', 'one of their profiles, where they have several')
    .argument('<client_id>', 'the client')
    .action(async (client_id: string, options: WhoOptions) => {
      const body = await connected(
        context,
        options,
        async (connection) => {
          const sent = { ...(await whoOf(connection, options)), ...valuesOf(fields, options) }
          return (await connection.ask({ route, params: { client_id }, body: sent })).body
        },
        [...fields, { name: 'user_uuid', option: 'as' }, { name: 'profile_uuid', option: 'profile' }],
      )
      if (options.json === true) return printJson(context, body)
      printPreview(context, body)
    })
}

/** The person and the profile, as a body names them. */
export async function whoOf(connection: Connection, { as: typed, profile }: WhoOptions): Promise<ApiObject> {
  if (typed === undefined) return profile === undefined ? {} : { profile_uuid: profile }
  const user_uuid = await findUser(connection, typed)
  if (profile !== undefined && isUuid(profile)) return { user_uuid, profile_uuid: profile }
  const { uuid } = await explainedProfile(connection, { uuid: user_uuid, typed }, profile)
  return { user_uuid, profile_uuid: uuid }
}

interface Document {
  claims: { claim: string; value: unknown; source: string }[]
  absent: { claim: string; reason: string }[]
}

export function printPreview(context: Context, { scope, complete, ...documents }: ApiObject): void {
  print(context, `With the scope ${String(scope)}:`)
  for (const name of ['access_token', 'id_token', 'userinfo']) {
    const document = documents[name] as Document | null
    if (document === null) continue
    print(context, `\n${name}`)
    const there = document.claims.map((one) => [one.claim, JSON.stringify(one.value), one.source])
    const absent = document.absent.map((one) => [one.claim, '–', one.reason])
    printLines(context, [...there, ...absent])
  }
  if (documents['user_uuid'] !== null && documents['id_token'] === null)
    note(context, 'Without openid there is no ID token, and userinfo refuses the access token.')
  if (complete === false) note(context, 'It says more, by permissions that you do not hold.')
}
