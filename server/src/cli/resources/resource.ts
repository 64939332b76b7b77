import type { Command } from 'commander'
import type { Connect, Connection, Thing } from '../connection.ts'
import type { World } from '../world.ts'

/** A kind of thing that is administered: the verbs and their options come from its routes. */
export interface Resource {
  noun: string
  /** What it is for, as the help says it. */
  description: string
  /** Below /admin/v1, of the list. */
  path: string
  /** The parameter that names one in its path, such as `uuid`. */
  parameter: string
  /** What people name one by. */
  argument: string
  /** The id of what people name, where that is something else. Throws `Refused`. */
  identify?: (connection: Connection, text: string) => Promise<string>
  /** The field of a creation that is its argument, such as `code`. */
  named?: string
  /** Fields that have a way of their own. */
  without?: readonly string[]
  /** What of it a list shows people. */
  columns: readonly string[]
  /** What it is called in a sentence. */
  called: (thing: Thing) => string
  /** What one is typed as, and what is done with it, in the examples. */
  examples: { one: string; list: string; create?: string; change?: string }
  /** Instead of `delete`, where it ends rather than goes away. */
  removal?: string
  /** What else can be done. */
  more?: (context: Context) => readonly Command[]
  /** More of a creation than its fields. */
  creation?: Creation
}

export interface Creation {
  options: (command: Command) => void
  /** What they add to the body. */
  body: (
    context: Context,
    connection: Connection,
    options: Readonly<Record<string, unknown>>,
  ) => Promise<Thing>
}

/** What commands work in. */
export interface Context {
  world: World
  connect: Connect
}

/** The id of what people name. */
export async function idOf(resource: Resource, connection: Connection, text: string): Promise<string> {
  return (await resource.identify?.(connection, text)) ?? text
}
