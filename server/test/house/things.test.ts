/** What the list of things names is everywhere that it belongs. A failure names the place. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { adminRoutes, adminSchemas } from '../../dist/administration/routes.js'
import { tesseraProgram } from '../../dist/cli/program.js'
import { auditKinds } from '../../dist/protocol/audit-kinds.js'
import { iamPermissions } from '../../dist/protocol/permission.js'
import { type ThingName, thingNames, things } from '../../dist/protocol/things.js'
import { read, root, sourceFiles } from './support.ts'

type Thing = (typeof things)[ThingName]

/** A place, what is missing there, and whether it is there after all. */
type Place = readonly [file: string, what: string, isThere: boolean]

const list = 'server/src/protocol/things.ts'
const table = 'server/src/administration/routes.ts'
const migrations = sourceFiles('server/src/database/migrations').map(read).join('\n')
const command = await tesseraProgram()

const schemaOf = (name: string) => `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`

const routeOf = (method: string, path: string) =>
  adminRoutes.find((one) => one.method === method && one.path === path)

/** Its definition, its table and its permissions. */
function itself(name: string, { many }: Thing): Place[] {
  const file = `server/src/catalogue/${name}.ts`
  const defines = existsSync(join(root, file)) && read(file).includes(`export const ${name} = defined(`)
  const makes = new RegExp(`create table ${many} \\(|^  ${many}: \``, 'm').test(migrations)
  const permissions = ['read', 'create', 'update', 'delete'].map((action) => `iam.${many}.${action}`)
  return [
    [file, `the definition of ${name}`, defines],
    ['server/src/database/migrations', `a migration that makes the table ${many}`, makes],
    ...permissions.map((one): Place => [list, `the permission ${one}`, iamPermissions.includes(one)]),
  ]
}

/** Its routes, with what the interface description and the command say of them. */
function itsRoutes(name: string, { many, key }: Thing): Place[] {
  const [all, one] = [`/${many}`, `/${many}/:${key}`]
  const needed = [`GET ${all}`, `POST ${all}`, `GET ${one}`, `DELETE ${one}`]
  const routes = [...needed, `PATCH ${one}`].map((said) => {
    const [method = '', path = ''] = said.split(' ')
    return { said, route: routeOf(method, path) }
  })
  const [listing, making] = routes.map(({ route }) => route)
  const fields = Object.keys((adminSchemas[schemaOf(name)] as z.ZodObject | undefined)?.shape ?? {})
  const file = `server/src/administration/${many}`
  return [
    ...routes
      .filter(({ said }) => needed.includes(said))
      .map(({ said, route }): Place => [table, `a route ${said}`, route !== undefined]),
    ...[schemaOf(name), `${schemaOf(name)}Page`].map(
      (schema): Place => [table, `a schema ${schema}`, schema in adminSchemas],
    ),
    ...routes
      .filter(({ route }) => route?.method !== 'DELETE')
      .map(
        ({ said, route }): Place => [
          file,
          `an example of the command for ${said}`,
          route === undefined || route.example !== undefined,
        ],
      ),
    [file, 'the columns of the list', listing?.columns !== undefined],
    ...(listing?.columns ?? []).map((one): Place => [file, `the column ${one}`, fields.includes(one)]),
    [file, `the field ${making?.named}`, (making?.named ?? 'none') in { ...making?.body?.shape, none: 0 }],
  ]
}

/** What people type and read of it. */
function itsWords(name: string, { ownKinds }: Thing): Place[] {
  const noun = command.commands.find((part) => part.name() === name)
  const verbs = noun?.commands.map((verb) => verb.name()) ?? []
  const commands = ['list', 'show', 'create'].map(
    (verb): Place => [
      'server/src/cli/resources/commands.ts',
      `tessera ${name} ${verb}`,
      verbs.includes(verb),
    ],
  )
  if (ownKinds) return commands
  const kinds = ['created', 'changed', 'removed'].map((action) => `${name}.${action}`)
  const rows = read('docs/audit.md')
  return [
    ...commands,
    ...kinds.flatMap((kind): Place[] => [
      [list, `the kind ${kind}`, kind in auditKinds],
      ['docs/audit.md', `the kind ${kind}`, rows.includes(`| \`${kind}\` |`)],
    ]),
    ...['shared/kind-picker.tsx', 'messages/en.ts', 'messages/de.ts'].map((part): Place => {
      const file = `console/src/${part}`
      return [file, `the word ${name}`, new RegExp(`'${name}'|\\b${name}: \\[`).test(read(file))]
    }),
  ]
}

const missing = (name: string, thing: Thing): string[] =>
  [...itself(name, thing), ...itsRoutes(name, thing), ...itsWords(name, thing)].flatMap(
    ([file, what, isThere]) => (isThere ? [] : [`${file}: ${what} is missing.`]),
  )

describe('the list of things', () => {
  it.each(thingNames)('names %s, which is everywhere that it belongs', (name) => {
    expect(missing(name, things[name])).toEqual([])
  })

  it('names everything that the catalogue defines', () => {
    const defined = sourceFiles('server/src/catalogue').flatMap((file) =>
      [...read(file).matchAll(/export const (\w+) = defined\(/g)].map(([, name]) => ({ file, name })),
    )
    expect(defined.length).toBeGreaterThan(9)
    // A secret is a part of a client.
    const others = defined.filter(({ name }) => name !== 'secret' && !thingNames.some((one) => one === name))
    expect(others.map(({ file, name }) => `${list}: ${name} is missing, which ${file} defines.`)).toEqual([])
  })

  it('is told where a new thing is missing', () => {
    const said = missing('pennant', { many: 'pennants', key: 'uuid', about: 'Pennants.' })
    expect(said).toContain('server/src/administration/routes.ts: a route POST /pennants is missing.')
    expect([...new Set(said.map((one) => one.split(':')[0]))].sort()).toEqual([
      'console/src/messages/de.ts',
      'console/src/messages/en.ts',
      'console/src/shared/kind-picker.tsx',
      'docs/audit.md',
      'server/src/administration/pennants',
      'server/src/administration/routes.ts',
      'server/src/catalogue/pennant.ts',
      'server/src/cli/resources/commands.ts',
      'server/src/database/migrations',
      'server/src/protocol/things.ts',
    ])
  })
})
