import { type Command, Option } from 'commander'
import type { ApiObject } from '../connection.ts'
import { collecting } from '../fields.ts'

const lists = [
  ['role', 'roles', 'only people with this role may enter'],
  ['organisation', 'organisations', 'only people of this organisation, or of a unit such as acme/berlin'],
  ['permission', 'permissions', 'only people whose role gives this permission'],
] as const

/** The entry lists of a new client, one option each. */
export function allowOptions(command: Command): void {
  for (const [name, , said] of lists) {
    const option = new Option(`--allow-${name} <code>`, `${said}; repeat it for several`)
    command.addOption(option.argParser(collecting()).conflicts('allowed'))
  }
}

/** What these options say, as a body has it. */
export function allowedBy(options: object): ApiObject {
  const given = new Map<string, unknown>(Object.entries(options))
  const said = lists.flatMap(([name, list]) => {
    const codes = given.get(`allow${name.slice(0, 1).toUpperCase()}${name.slice(1)}`)
    return codes === undefined ? [] : [[list, codes]]
  })
  return said.length === 0 ? {} : { allowed: Object.fromEntries(said) as object }
}
