import { Command } from 'commander'
import { thingNames } from '../../protocol/things.ts'
import type { Context } from '../context.ts'
import { changeVerb, switchVerb } from '../verbs/change.ts'
import { createVerb } from '../verbs/create.ts'
import { listVerb } from '../verbs/list.ts'
import { removeVerb } from '../verbs/remove.ts'
import { showVerb } from '../verbs/show.ts'
import { invitation } from './invitation.ts'
import { organisation, profile, unit } from './places.ts'
import { type Resource, resourceOf } from './resource.ts'
import { client } from './client.ts'
import { session, tokenFamily } from './session.ts'
import { directory, domain, upstream } from './upstream.ts'
import { user } from './user.ts'
import { webhook } from './webhook.ts'

const known: readonly Resource[] = [
  user,
  invitation,
  organisation,
  unit,
  profile,
  ...(['role', 'permission', 'service'] as const).map((thing) => resourceOf(thing)),
  client,
  session,
  tokenFamily,
  webhook,
  upstream,
  domain,
  directory,
]

const others = thingNames.filter((thing) => known.every(({ noun }) => noun !== thing))

/** Everything that is administered by nouns and verbs: what is new in the list of things comes last. */
export const resources: readonly Resource[] = [...known, ...others.map((thing) => resourceOf(thing))]

/** `tessera user` and the like: a verb for each route that there is. */
export function resourceCommand(resource: Resource, context: Context): Command {
  const { noun, alias, description, more, examples } = resource
  const command = new Command(noun).description(description)
  if (alias !== undefined) command.alias(alias)
  const verbs = [
    listVerb(resource, context),
    showVerb(resource, context),
    createVerb(resource, context),
    changeVerb(resource, context),
    switchVerb(resource, context, 'disable'),
    switchVerb(resource, context, 'enable'),
    removeVerb(resource, context),
    ...(more?.(context) ?? []),
  ]
  for (const verb of verbs) if (verb !== undefined) command.addCommand(verb)
  return command.addHelpText(
    'after',
    `
By the API of the service at --url or TESSERA_URL, else straight on the database of TESSERA_DATABASE_URL.

Example:
  $ tessera ${noun} list ${examples.list}`,
  )
}
