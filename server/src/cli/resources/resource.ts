import type { Command } from 'commander'
import { type ThingName, things } from '../../protocol/things.ts'
import { type Connection, findRoute, type ApiObject } from '../connection.ts'
import type { Context } from '../context.ts'
import type { Given } from '../fields.ts'
import type { Typed } from '../refused.ts'
import type { forProduct } from './client-for.ts'

/** A kind of thing that is administered: the verbs and their options come from its routes. */
export interface Resource {
  noun: string
  alias?: string
  /** What it is for, as the help says it. */
  description: string
  /** The path of the list, below /admin/v1. */
  path: string
  /** The parameter that names one in its path, such as `uuid`. */
  parameter: string
  /** What people name one by, where that is something else. */
  argument?: string
  /** The parameter for what people name. Throws `Refused`. */
  identify?: (connection: Connection, text: string, options: Given) => Promise<string>
  /** Adds the options that this needs. */
  beside?: (command: Command) => void
  /** The field of a creation that is its argument, such as `code`. */
  named?: string | undefined
  /** Fields that are no options. */
  without?: readonly string[]
  /** What of it a list shows people. */
  columns: readonly string[]
  /** What one is typed as, and what is done with it, in the examples. */
  examples: { one: string; list: string; create?: string | undefined; change?: string | undefined }
  /** The verb that ends one, where that is not `delete`. */
  removal?: 'revoke' | 'withdraw'
  /** More verbs. */
  more?: (context: Context) => readonly Command[]
  /** More of a creation than its fields. */
  creation?: Creation
  /** Products that one is made for, as their recipes say. */
  products?: typeof forProduct
}

export interface Creation {
  options: (command: Command) => void
  /** The fields that they become. */
  typed: readonly Typed[]
  /** What they add to the body. */
  body: (
    context: Context,
    connection: Connection,
    options: Readonly<Record<string, unknown>>,
  ) => Promise<ApiObject>
}

/** What the list of things and the routes say of a kind, with what else the command has of it. */
export function resourceOf(noun: ThingName, more: Partial<Resource> = {}): Resource {
  const { many, key: parameter, about: description } = things[noun]
  const path = `/${many}`
  const one = `${path}/:${parameter}`
  const [list, made] = [findRoute('GET', path), findRoute('POST', path)]
  const examples = {
    one: findRoute('GET', one)?.example ?? '',
    list: list?.example ?? '',
    create: made?.example,
    change: findRoute('PATCH', one)?.example,
  }
  const columns = list?.columns ?? []
  return { noun, description, path, parameter, named: made?.named, columns, examples, ...more }
}

/** The argument that names one, with the options that this needs. */
export function withArgument(command: Command, { argument, parameter, noun, beside }: Resource): Command {
  beside?.(command)
  return command.argument(`<${argument ?? parameter}>`, `the ${noun}`)
}

/** The parameters of the path of what people name. */
export async function paramsOf(
  { parameter, identify }: Resource,
  connection: Connection,
  text: string,
  options: Given = {},
): Promise<Record<string, string>> {
  return { [parameter]: (await identify?.(connection, text, options)) ?? text }
}
