import type { Command } from 'commander'
import { fieldsOf, valuesOf, withFields } from '../fields.ts'
import { newPassword, passwordFrom } from '../ask.ts'
import { connected, type ConnectOptions } from '../connect.ts'
import { routeOf, type ApiObject } from '../connection.ts'
import { type Context, print, printJson } from '../context.ts'
import { withNames } from '../names.ts'
import { profilesOf, withProfiles } from '../profiles.ts'
import { findUser } from '../references.ts'
import { bulkVerb } from '../long-work.ts'
import { printTable } from '../show.ts'
import { changed } from '../verbs/change.ts'
import { verbOf } from '../verbs/verb.ts'
import { factorVerbs } from './factors.ts'
import { type Creation, resourceOf } from './resource.ts'

/** Profiles and a password, which go with a new user. */
const creation: Creation = {
  typed: [{ name: 'profiles', option: 'profile' }],
  options(command) {
    withProfiles(command).option('--password-stdin', 'read a password from standard input')
  },
  async body({ input }, connection, { profile, passwordStdin }) {
    return {
      ...(await profilesOf(connection, profile)),
      ...(passwordStdin === true && { password: await passwordFrom(input) }),
    }
  },
}

export const user = resourceOf('user', {
  alias: 'users',
  argument: 'e-mail|uuid',
  identify: findUser,
  without: ['password', 'password_temporary', 'profiles'],
  creation,
  more: (context) => [
    passwordVerb(context),
    accessVerb(context),
    ...factorVerbs(context),
    bulkVerb(context, 'user bulk', '/users/bulk', '{"action":"disable","people":{"q":"temp"}}'),
  ],
})

/** `tessera user password`: never an argument, which other users of a machine see. */
function passwordVerb(context: Context): Command {
  const route = {
    ...routeOf('PATCH', '/users/:uuid'),
    summary: 'Set the password of a user',
    description:
      'Asks for it on a terminal and shows nothing of it; else it is what standard input holds. The sessions and tokens of the user end.',
  }
  return verbOf('user password', route, ['mara.lind@acme.example', 'mara.lind@acme.example < password'])
    .argument('<e-mail|uuid>', 'the user')
    .option('--temporary', 'they choose another one at the next sign-in')
    .action(async (text: string, options: ConnectOptions & { temporary?: boolean }) => {
      const after = await connected(context, options, async (connection) =>
        changed(user, connection, text, {}, async () => ({
          password: await newPassword(context),
          password_temporary: options.temporary === true,
        })),
      )
      if (options.json === true) return printJson(context, after)
      print(context, `The password of ${String(after.email)} is set.`)
    })
}

/** `tessera user access`: what somebody may do, and why. */
function accessVerb(context: Context): Command {
  const route = routeOf('GET', '/users/:uuid/access')
  const places = ['role_code', 'organisation_uuid', 'organisation_unit_uuid']
  const fields = fieldsOf(route.query)
  const examples = ['mara.lind@acme.example', 'mara.lind@acme.example --at 2026-11-20T08:00:00Z']
  return withFields(verbOf('user access', route, examples), fields)
    .argument('<e-mail|uuid>', 'the user')
    .action(async (text: string, options: ConnectOptions) => {
      const { body, profiles } = await connected(context, options, async (connection) => {
        const params = { uuid: await findUser(connection, text) }
        const query = new URLSearchParams(valuesOf(fields, options) as Record<string, string>)
        const { body } = await connection.ask({ route, params, query })
        const items = body.profiles as ApiObject[]
        return { body, profiles: options.json ? items : await withNames(connection, items, places) }
      })
      if (options.json === true) return printJson(context, body)
      const shown = profiles.map((one) => ({ ...one, because: failing(one) }))
      printTable(context, shown, [...places, 'usable', 'because', 'permissions'])
    })
}

/** Why a profile can't be used. */
const failing = ({ chain }: ApiObject): string[] =>
  (chain as { holds: boolean; detail: string }[]).filter((one) => !one.holds).map((one) => one.detail)
