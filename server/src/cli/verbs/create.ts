import type { Command } from 'commander'
import { connected, type Connection, findRoute, type Options, type Thing } from '../connection.ts'
import { type Field, fieldsOf, type Given, valueOf, withFields } from '../fields.ts'
import { withIds } from '../references.ts'
import type { Context, Resource } from '../resources/resource.ts'
import { note } from '../world.ts'
import { printThing } from './show.ts'
import { verbOf } from './verb.ts'

/** `tessera user create`. */
export function createVerb(resource: Resource, context: Context): Command | undefined {
  const { path, named, without = [], examples, creation } = resource
  const route = findRoute('POST', path)
  if (route === undefined) return undefined
  const all = fieldsOf(route.body, without)
  const fields = all.filter(({ name }) => name !== named)
  const command = withFields(verbOf(resource, 'create', route, [examples.create ?? '']), fields)
  if (named !== undefined)
    command.argument(
      `<${named}>`,
      all.find(({ name }) => name === named)?.description || 'what it is known by',
    )
  creation?.options(command)
  const create = async (own: Thing, options: Options & Given): Promise<void> => {
    const ask = async (connection: Connection) => {
      const more = (await creation?.body(context, connection, options)) ?? {}
      const body = { ...own, ...(await bodyOf(connection, fields, options)), ...more }
      return (await connection.ask({ route, body })).body
    }
    const made = await connected(context, options, ask, fields)
    printThing(context.world, made, options)
    const secret = ['client_secret', 'secret'].find((name) => name in made)
    if (secret !== undefined) note(context.world, `The ${secret} is shown this once: keep it now.`)
  }
  return named === undefined
    ? command.action(async (options: Options & Given) => await create({}, options))
    : command.action(async (name: string, options: Options & Given) => {
        await create({ [named]: name }, options)
      })
}

/** What was given for the fields, with ids for what people name. */
export async function bodyOf(
  connection: Connection,
  fields: readonly Field[],
  given: Given,
  before: Thing = {},
): Promise<Thing> {
  const values = fields.map((field) => [field.name, valueOf(field, given, before)] as const)
  const sent = Object.fromEntries(values.filter(([, value]) => value !== undefined))
  return await withIds(connection, sent, before)
}
