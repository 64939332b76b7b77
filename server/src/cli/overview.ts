import type { Command } from 'commander'
import { answerOf, connected, type ConnectOptions } from './connect.ts'
import { routeOf, type ApiObject } from './connection.ts'
import { type Context, note, print, printJson } from './context.ts'
import { bodyOf, fieldsOf, withFields } from './fields.ts'
import { printTable } from './show.ts'
import { verbOf } from './verbs/verb.ts'

/** `tessera statistics`: how much there is, as the console's overview shows it. */
export function statisticsCommand(context: Context): Command {
  const route = routeOf('GET', '/statistics')
  const fields = fieldsOf(route.query, ['metric'])
  const examples = ['people', 'sign_ins --step day', 'refused_sign_ins --client lakeside-portal --json']
  return withFields(verbOf('statistics', route, examples), fields)
    .argument('<metric>', 'people, clients, sign_ins or refused_sign_ins')
    .action(async (metric: string, options: ConnectOptions) => {
      const ask = async (connection: Parameters<typeof bodyOf>[0]) => {
        const asked = (await bodyOf(connection, fields, options)) as Record<string, string>
        return (await connection.ask({ route, query: new URLSearchParams({ metric, ...asked }) })).body
      }
      const body = await connected(context, options, ask, fields)
      if (options.json === true) return printJson(context, body)
      const { series, total, more } = body as { series: ApiObject[]; total: number; more: boolean }
      if (series.length > 0) printTable(context, series, ['at', 'count'])
      print(context, `${more ? 'more than ' : ''}${total}`)
    })
}

/** `tessera attention`: what needs somebody, as the console's overview shows it. */
export function attentionCommand(context: Context): Command {
  const route = routeOf('GET', '/attention')
  return verbOf('attention', route, ['', '--json']).action(async (options: ConnectOptions) => {
    const body = await answerOf(context, options, { route })
    if (options.json === true) return printJson(context, body)
    const { items, more } = body as { items: (ApiObject & { target: ApiObject })[]; more: string[] }
    const rows = items.map(({ target, ...item }) => ({ ...item, name: target.name, id: target.id }))
    printTable(context, rows, ['kind', 'name', 'id', 'since', 'cure'])
    if (more.length > 0) note(context, `There are more of ${more.join(', ')}.`)
  })
}

/** `tessera settings`: what the environment of a service sets. */
export function settingsCommand(context: Context): Command {
  const route = routeOf('GET', '/settings')
  return verbOf('settings', route, ['', '--json']).action(async (options: ConnectOptions) => {
    const body = await answerOf(context, options, { route })
    if (options.json === true) return printJson(context, body)
    const { items } = body as { items: ApiObject[] }
    printTable(context, items, ['name', 'value', 'set'])
  })
}
