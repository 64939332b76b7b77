import { Command } from 'commander'
import type { Route } from '../../administration/route.ts'
import { type RouteTraits, type ConnectOptions, withConnectionOptions } from '../connect.ts'
import type { ApiObject } from '../connection.ts'
import { type Context, printJson } from '../context.ts'
import { printFields } from '../show.ts'

type Described = Pick<Route, 'summary' | 'description'> & RouteTraits

/** A verb, such as `user list`, as its route describes it. */
export function verbOf(words: string, route: Described, examples: readonly string[]): Command {
  const { summary, description } = route
  const said = description === undefined ? '' : `\n${description.replaceAll('`', '')}\n`
  const lines = examples.map((one) => `\n  $ ${`tessera ${words} ${one}`.trimEnd()}`).join('')
  const command = new Command(words.split(' ').at(-1)).description(`${summary}.`)
  return withConnectionOptions(command, route).addHelpText(
    'after',
    `${said}\n${examples.length === 1 ? 'Example' : 'Examples'}:${lines}`,
  )
}

export function printThing(context: Context, thing: ApiObject, { json }: ConnectOptions): void {
  if (json === true) printJson(context, thing)
  else printFields(context, thing)
}
