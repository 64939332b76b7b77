import type { Command } from 'commander'
import { shownOnce } from '../../administration/dry-run.ts'
import { connected, type ConnectOptions } from '../connect.ts'
import { type Connection, findRoute, type ApiObject } from '../connection.ts'
import { type Context, note } from '../context.ts'
import { bodyOf, fieldsOf, withFields } from '../fields.ts'
import { asShown } from '../names.ts'
import type { Resource } from '../resources/resource.ts'
import { printThing, verbOf } from './verb.ts'

/** `tessera user create`. */
export function createVerb(resource: Resource, context: Context): Command | undefined {
  const { noun, path, named, without = [], examples, creation, products } = resource
  const route = findRoute('POST', path)
  if (route === undefined) return undefined
  const all = fieldsOf(route.body, without)
  const fields = all.filter(({ name }) => name !== named)
  const command = withFields(verbOf(`${noun} create`, route, [examples.create ?? '']), fields)
  creation?.options(command)
  products?.options(command)
  const create = async (own: ApiObject, options: ConnectOptions): Promise<void> => {
    const ask = async (connection: Connection) => {
      const more = (await creation?.body(context, connection, { ...options })) ?? {}
      const body = { ...own, ...(await bodyOf(connection, fields, options)), ...more }
      const { body: made } = await connection.ask({ route, body })
      return await asShown(connection, made, options)
    }
    const made = await connected(context, options, ask, [...fields, ...(creation?.typed ?? [])])
    printThing(context, made, options)
    const secret = shownOnce.find((name) => typeof made[name] === 'string')
    if (secret !== undefined) note(context, `The ${secret} is shown this once: keep it now.`)
  }
  if (named === undefined) return command.action(async (options: ConnectOptions) => await create({}, options))
  const described = all.find(({ name }) => name === named)?.description || 'what it is known by'
  if (products === undefined) {
    return command
      .argument(`<${named}>`, described)
      .action(async (name: string, options: ConnectOptions) => await create({ [named]: name }, options))
  }
  return command
    .argument(`[${named}]`, `${described}; with --for, that of the product unless you say another`)
    .action(async (name: string | undefined, options: ConnectOptions) => {
      if (products.isAsked(options)) return await products.create(context, name, options, fields)
      if (name === undefined) return command.error(`error: missing required argument '${named}'`)
      await create({ [named]: name }, options)
    })
}
