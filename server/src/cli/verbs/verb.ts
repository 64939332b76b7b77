import { Command } from 'commander'
import type { Route } from '../../admin/route.ts'
import { withConnectionOptions } from '../connection.ts'
import type { Resource } from '../resources/resource.ts'

/** A verb as its route describes it. */
export function verbOf(
  { noun }: Pick<Resource, 'noun'>,
  verb: string,
  route: Route,
  examples: readonly string[],
): Command {
  return withConnectionOptions(new Command(verb).description(`${route.summary}.`), route).addHelpText(
    'after',
    helpOf(
      route,
      examples.map((one) => `tessera ${noun} ${verb} ${one}`),
    ),
  )
}

/** What the API says of it, and how it is typed. */
export function helpOf({ description }: Pick<Route, 'description'>, examples: readonly string[]): string {
  const said = description === undefined ? '' : `\n${description.replaceAll('`', '')}\n`
  const lines = examples.map((one) => `\n  $ ${one.trimEnd()}`).join('')
  return `${said}\n${examples.length === 1 ? 'Example' : 'Examples'}:${lines}`
}
