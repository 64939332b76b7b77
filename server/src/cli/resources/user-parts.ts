import type { Command } from 'commander'
import { newPassword, passwordFrom } from '../ask-password.ts'
import { connected, type Connection, type Options, routeOf, type Thing } from '../connection.ts'
import { collecting } from '../fields.ts'
import { findOrganisation, findUnit, findUser } from '../references.ts'
import { tableOf } from '../show.ts'
import { changed } from '../verbs/change.ts'
import { verbOf } from '../verbs/verb.ts'
import { print } from '../world.ts'
import type { Context, Creation, Resource } from './resource.ts'

/** `tessera user password`: never an argument, which other users of a machine see. */
export function passwordPart(resource: Resource, context: Context): Command {
  const { description: _, ...route } = routeOf('PATCH', '/users/:uuid')
  const said = {
    ...route,
    summary: 'Set the password of a user',
    description:
      'Asks for it on a terminal and shows nothing of it; else it is what standard input holds. The sessions and tokens of the user end.',
  }
  return verbOf(resource, 'password', said, ['mara.lind@acme.example', 'mara.lind@acme.example < password'])
    .argument('<e-mail|uuid>', 'the user')
    .action(async (text: string, options: Options) => {
      const after = await connected(context, options, async (connection) =>
        changed(resource, connection, text, async () => ({ password: await newPassword(context.world) })),
      )
      const { world } = context
      if (options.json === true) return print(world, JSON.stringify(after, null, 2))
      print(world, `The password of ${String(after.email)} is set.`)
    })
}

/** `tessera user access`: what somebody may do, and why. */
export function accessPart(resource: Resource, context: Context): Command {
  const route = routeOf('GET', '/users/:uuid/access')
  return verbOf(resource, 'access', route, ['mara.lind@acme.example'])
    .argument('<e-mail|uuid>', 'the user')
    .action(async (text: string, options: Options) => {
      const { body } = await connected(context, options, async (connection) =>
        connection.ask({ route, params: { uuid: await findUser(connection, text) } }),
      )
      const { world } = context
      if (options.json === true) return print(world, JSON.stringify(body, null, 2))
      const profiles = (body.profiles as Thing[]).map((one) => ({ ...one, because: failing(one) }))
      const columns = [
        'role_code',
        'organisation_uuid',
        'organisation_unit_uuid',
        'usable',
        'because',
        'permissions',
      ]
      print(world, tableOf(profiles, columns))
    })
}

/** Why a profile can't be used. */
const failing = ({ chain }: Thing): unknown[] =>
  (chain as { holds: boolean; detail: string }[]).filter((one) => !one.holds).map((one) => one.detail)

/** Profiles and a password, which go with a new user. */
export const newUser: Creation = {
  options(command) {
    command
      .option(
        '--profile <role[@organisation[/unit]]>',
        'what they may do, and where; without an organisation everywhere; repeat it for several',
        collecting(),
      )
      .option('--password-stdin', 'read a password from standard input')
  },
  async body({ world }, connection, { profile: texts = [], passwordStdin }) {
    const profiles: Thing[] = []
    for (const text of texts as string[]) profiles.push(await profileOf(connection, text))
    return {
      ...(profiles.length > 0 && { profiles }),
      ...(passwordStdin === true && { password: await passwordFrom(world.input) }),
    }
  },
}

async function profileOf(connection: Connection, text: string): Promise<Thing> {
  const [role = '', place] = text.split(/@(.*)/s)
  if (place === undefined) return { role_code: role }
  const [organisation = '', unit] = place.split(/\/(.*)/s)
  const uuid = await findOrganisation(connection, organisation)
  const at = { role_code: role, organisation_uuid: uuid }
  if (unit === undefined) return at
  return { ...at, organisation_unit_uuid: await findUnit(connection, unit, at) }
}
