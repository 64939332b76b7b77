/** The rooms of server/src and the habits of the house, held by reading the sources. A failure says what to do. */
import { existsSync, readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { codeOf, importsOf, linesOf, read, resolved, root, sourceFiles } from './support.ts'

/** Which room may import which. `cli/`, `server.ts` and `settings.ts` may import anything. */
const rooms: Record<string, readonly string[]> = {
  protocol: [],
  catalogue: ['protocol'],
  // Of both types alone: a row has the fields of its thing.
  database: ['protocol', 'catalogue'],
  audit: ['protocol', 'database'],
  store: ['protocol', 'database', 'audit'],
  keys: ['protocol', 'database', 'audit'],
  // Of keys/ what opens the secrets of authenticator apps.
  identity: ['protocol', 'store', 'audit', 'keys'],
  // Of webhooks/ what goes to an address that somebody registered: for a jwks_uri.
  oauth2: ['protocol', 'store', 'audit', 'keys', 'identity', 'sign-in', 'pages', 'webhooks'],
  // Of access/ what waits for a proof: a link that was shown may make the account somebody else's.
  // Of scim/ what waits for somebody who comes.
  'sign-in': ['protocol', 'store', 'audit', 'identity', 'access', 'pages', 'upstream', 'scim'],
  // Of sign-in/ the cookies and forms of this browser; of audit/ what happened to the person.
  // Of upstream/ what ends with a link that was not the person's.
  account: ['protocol', 'store', 'audit', 'identity', 'mail', 'pages', 'sign-in', 'upstream'],
  pages: ['protocol'],
  webhooks: ['protocol', 'database', 'audit', 'store', 'keys'],
  // Of webhooks/ how workers and deadlines go, and of keys/ what opens the texts that wait.
  mail: ['protocol', 'database', 'audit', 'store', 'keys', 'pages', 'webhooks'],
  access: ['protocol', 'database', 'store'],
  administration: [
    'catalogue',
    'protocol',
    'database',
    'store',
    'audit',
    'keys',
    'identity',
    'access',
    'webhooks',
    'guard',
    // People of a file.
    'import',
    // Trying an upstream, and the documents of one.
    'upstream',
    // What a visitor of an application behind a proxy would get.
    'forward',
  ],
  // Of oauth2/ the exchange of a code and the mint; of sign-in/ the token of a form; of database/ the cache.
  forward: ['protocol', 'database', 'store', 'keys', 'identity', 'oauth2', 'pages', 'sign-in'],
  setup: [
    'catalogue',
    'protocol',
    'database',
    'store',
    'audit',
    'identity',
    'administration',
    'pages',
    'sign-in',
  ],
  // Of webhooks/ what goes to an address that somebody registered.
  upstream: ['catalogue', 'protocol', 'database', 'store', 'audit', 'keys', 'access', 'webhooks'],
  scim: ['catalogue', 'protocol', 'database', 'store', 'audit', 'access', 'upstream'],
  // Of sign-in/ the cookies and forms of this browser, and a sign-in that ends at a page of ours.
  invitation: ['protocol', 'store', 'identity', 'administration', 'pages', 'sign-in'],
  // Of keys/ what encrypts a secret; of database/ nothing but the shape of rows.
  connect: ['catalogue', 'protocol', 'store', 'keys', 'administration', 'pages', 'sign-in', 'upstream'],
  declared: ['catalogue', 'protocol', 'database', 'store', 'audit', 'access', 'administration'],
  // Of declared/, move-in/ and administration/ what is done; of keys/, mail/ and identity/ what that is injected.
  declaring: [
    'protocol',
    'database',
    'store',
    'audit',
    'keys',
    'identity',
    'mail',
    'administration',
    'declared',
    'move-in',
  ],
  import: ['catalogue', 'protocol', 'database', 'store', 'audit'],
  // Of declared/ and import/ the checks of what it writes.
  'move-in': ['catalogue', 'protocol', 'declared', 'import'],
  backup: ['protocol', 'database', 'store', 'audit'],
  // Who asked to be removed goes as by an administrator; what looks at upstreams goes on beside.
  background: [
    'protocol',
    'database',
    'store',
    'audit',
    'keys',
    'webhooks',
    'mail',
    'administration',
    'upstream',
  ],
  // Its routes, what the document of the interface repeats, and the metrics of what runs.
  http: [
    'protocol',
    'database',
    'store',
    'audit',
    'keys',
    'pages',
    'webhooks',
    'mail',
    'oauth2',
    'sign-in',
    'account',
    'administration',
    'setup',
    'invitation',
    'connect',
    'forward',
    'scim',
  ],
}
const anywhere = ['cli', 'server.ts', 'settings.ts', 'settings-schema.ts', 'settings-shown.ts']

/** What every room may know the shape of, but not run. The first three are types alone. */
const typeFiles = ['service.ts', 'observed.ts', 'job.ts']
const typesForAll = [...typeFiles, 'settings.ts', 'server/src/database/store.ts']

/** Packages that only some rooms may import. */
const packages: { name: RegExp; rooms: readonly string[]; instead: string }[] = [
  {
    name: /^(fastify|@fastify\/.*)$/,
    rooms: [
      'oauth2',
      'sign-in',
      'account',
      'administration',
      'setup',
      'invitation',
      'connect',
      'forward',
      'scim',
      'http',
    ],
    instead: 'Pass plain values in; only rooms with routes see requests and replies.',
  },
  {
    name: /^(@photostructure\/sqlite|pg)(\/.*)?$/,
    rooms: ['database', 'backup'],
    instead: 'Only database/ knows a driver.',
  },
  {
    name: /^kysely(\/.*)?$/,
    rooms: [
      'database',
      'audit',
      'store',
      'keys',
      'access',
      'administration',
      'declared',
      'import',
      'webhooks',
      'mail',
      'backup',
      'upstream',
      'scim',
    ],
    instead: 'Add a verb to the room that owns the table, and call that.',
  },
]

const roomOf = (path: string): string => path.split('/')[2] ?? ''

/** What is wrong with one import of a file of server/src, and what to do; undefined when it is right. */
function importProblem(file: string, from: string, typeOnly: boolean): string | undefined {
  const room = roomOf(file)
  if (anywhere.includes(room)) return undefined
  if (typeFiles.includes(room)) return typeOnly ? undefined : `${file} is types alone: write import type.`
  const allowed = rooms[room]
  if (allowed === undefined)
    return `${file}: ${room} is not a room. Put the file into one, or give it a line here.`
  if (!from.startsWith('.')) return packageProblem(file, room, from)
  const target = resolved(file, from)
  if (!target.startsWith('server/src/')) return `${file} imports ${from}, which is outside server/src.`
  const to = roomOf(target)
  if (
    to === room ||
    allowed.includes(to) ||
    (typesForAll.some((one) => one === to || one === target) && typeOnly)
  )
    return undefined
  if (typesForAll.includes(to)) return `${file} needs ${to} as a type alone: write import type.`
  const may = allowed.length === 0 ? 'nothing' : allowed.join(', ')
  return `${file} imports ${target}: ${room}/ may import ${may}. Move the code to a room that may, or what both need to one below.`
}

function packageProblem(file: string, room: string, name: string): string | undefined {
  // What it takes of them is pure: hashes, domains by IDNA, for which the platform has the tables, and IP addresses.
  if (
    room === 'protocol' &&
    !['node:crypto', 'node:url', 'node:net', '@tessera/guard/route-pattern'].includes(name)
  ) {
    return `${file} imports ${name}: protocol/ is pure and imports nothing but node:crypto, node:url, node:net and how the guard reads a route.`
  }
  if (name === '@tessera/guard' && !rooms[room]?.includes('guard'))
    return `${file} imports the guard: only administration/ may.`
  if (name === 'pg' && !loadedLate.test(file))
    return `${file} imports pg: an embedded database does without it. Only database/postgres.ts may, which is loaded late, and what it alone imports.`
  const rule = packages.find((one) => one.name.test(name))
  if (rule === undefined || rule.rooms.includes(room)) return undefined
  return `${file} imports ${name}: only ${rule.rooms.join(', ')} may. ${rule.instead}`
}

/** Of database/, what an embedded database does without. `prepared.ts` imports the statements. */
const loadedLate = /^server\/src\/database\/postgres(-(?!statements)[a-z]+)?\.ts$/

function problemsOf(file: string, source: string): string[] {
  return importsOf(source).flatMap(({ from, typeOnly }) => importProblem(file, from, typeOnly) ?? [])
}

const products = ['server/src', 'guard/src', ...examples('src')]
const tests = ['server/test', 'guard/test', ...examples('test')]

function examples(folder: string): string[] {
  const all = readdirSync(join(root, 'examples'), { withFileTypes: true }).filter((one) => one.isDirectory())
  return all.map(({ name }) => `examples/${name}/${folder}`).filter((path) => existsSync(join(root, path)))
}

describe('the rooms', () => {
  it('import only what the table allows', () => {
    const files = sourceFiles('server/src')
    expect(files.flatMap((file) => importsOf(read(file))).length).toBeGreaterThan(400)
    expect(files.flatMap((file) => problemsOf(file, read(file)))).toEqual([])
  })

  it.each([
    ['keys/key-ring.ts', "import { issue } from '../oauth2/issue.ts'", 'keys/ may import protocol, database'],
    ['protocol/scope.ts', "import { readFileSync } from 'node:fs'", 'protocol/ is pure'],
    ['protocol/claims.ts', "import type { User } from '../store/users.ts'", 'protocol/ may import nothing'],
    [
      'identity/access.ts',
      "import {\n  settingsSchema,\n  type A,\n} from '../settings.ts'",
      'write import type',
    ],
    ['identity/access.ts', "import type { FastifyRequest } from 'fastify'", 'only oauth2, sign-in'],
    ['oauth2/token.ts', "import { sql } from 'kysely'", 'Add a verb to the room that owns the table'],
    ['oauth2/grants/refresh.ts', "export { x } from '../../http/errors.ts'", 'oauth2/ may import'],
    ['pages/form.tsx', "const late = await import('../database/open.ts')", 'pages/ may import protocol'],
    ['utils/dates.ts', "import 'zod'", 'utils is not a room'],
    ['database/open.ts', "import { createGuard } from '@tessera/guard'", 'only administration/ may'],
    ['database/prepared.ts', "import pg from 'pg'", 'Only database/postgres.ts may'],
    ['database/postgres-statements.ts', "import pg from 'pg'", 'Only database/postgres.ts may'],
  ])('are told apart: %s with %s', (file, source, problem) => {
    expect(problemsOf(`server/src/${file}`, source)).toEqual([expect.stringContaining(problem)])
  })

  it.each([
    ['identity/access.ts', "import type { Service } from '../service.ts'"],
    ['oauth2/grants/refresh.ts', "import { type A, b } from '../../store/sessions.ts'"],
    ['database/postgres.ts', "import pg from 'pg'"],
    ['database/postgres-cancel.ts', "import pg from 'pg'"],
    ['cli/apply.ts', "import { openStore } from '../database/open.ts'"],
  ])('are let through: %s with %s', (file, source) => {
    expect(importsOf(source)).toHaveLength(1)
    expect(problemsOf(`server/src/${file}`, source)).toEqual([])
  })
})

describe('which database it is', () => {
  it('is asked in database/ alone', () => {
    const others = sourceFiles('server/src').filter((file) => roomOf(file) !== 'database')
    const found = others.flatMap((file) => linesOf(file, codeOf(read(file)), asksForDialect))
    expect(found.map((line) => `${line} (make a verb in database/ that does it on both)`)).toEqual([])
  })

  it.each([
    ["if (store.dialect === 'postgres') return", true],
    ['trx.getExecutor().adapter instanceof PostgresAdapter', true],
    ["query.forShare('sessions')", false],
  ])('is told apart: %s', (source, asks) => {
    expect(linesOf('x.ts', codeOf(source), asksForDialect)).toHaveLength(asks ? 1 : 0)
  })
})

const asksForDialect = /\bdialect|\b(?:Postgres|Sqlite)Adapter\b|\bgetExecutor\b/

describe('the files', () => {
  it('import one another in no circle', () => {
    const files = sourceFiles('server/src')
    const imports = new Map(
      files.map((file) => [
        file,
        importsOf(read(file))
          .filter(({ from }) => from.startsWith('.'))
          .map(({ from }) => resolved(file, from)),
      ]),
    )
    expect(circlesOf(imports)).toEqual([])
  })

  it('are told when they do', () => {
    const imports = new Map([
      ['a', ['b']],
      ['b', ['c']],
      ['c', ['b']],
    ])
    expect(circlesOf(imports)).toEqual(['b -> c -> b'])
  })
})

/** Each circle that a walk along the imports meets first. */
function circlesOf(imports: ReadonlyMap<string, readonly string[]>): string[] {
  const circles: string[] = []
  const done = new Set<string>()
  const walk = (file: string, way: readonly string[]): void => {
    const begin = way.indexOf(file)
    if (begin !== -1) circles.push([...way.slice(begin), file].join(' -> '))
    if (begin !== -1 || done.has(file)) return
    for (const next of imports.get(file) ?? []) walk(next, [...way, file])
    done.add(file)
  }
  for (const file of imports.keys()) walk(file, [])
  return circles
}

/** The rooms that own the tables; `harness/states.ts` knows them for the tests of all others. */
const ownTables = /^server\/test\/(database|store|audit|harness|house)\//
/** Tests that look into tables still. A test that does no more is taken off the list; none is added. */
const lookIntoTables = [
  'cli/commands-killed.test.ts',
  'declared/access.test.ts',
  'declared/apply.test.ts',
  'declared/effects.test.ts',
  'declared/export.test.ts',
  'declared/many.test.ts',
  'declared/prune.test.ts',
]

describe('the tests', () => {
  it('know no table outside of the rooms that own them', () => {
    const others = sourceFiles('server/test').filter((file) => !ownTables.test(file))
    const found = others.filter((file) => looksIntoTables(read(file)))
    const problems = [
      ...found
        .filter((file) => !lookIntoTables.includes(file.slice('server/test/'.length)))
        .map((file) => `${file} looks into tables: look from outside, or add to harness/states.ts.`),
      ...lookIntoTables
        .filter((file) => !found.includes(`server/test/${file}`))
        .map((file) => `${file} looks into no table any more: take it off the list.`),
    ]
    expect(problems).toEqual([])
  })

  it.each([
    ["import { sql } from 'kysely'", true],
    ['await store.db.selectFrom(table)', true],
    ['withStore(tessera, ({ db }) => db.deleteFrom(table))', true],
    ['await auditOf(tessera, { kind })', false],
    ["const file = 'tessera.db'", false],
  ])('are told apart: %s', (source, looks) => {
    expect(looksIntoTables(source)).toBe(looks)
  })
})

function looksIntoTables(source: string): boolean {
  return importsOf(source).some(({ from }) => from === 'kysely') || /\.db\b|\{ db\b/.test(codeOf(source))
}

describe('the guard', () => {
  it('depends on jose alone', () => {
    const foreign = sourceFiles('guard/src').flatMap((file) =>
      importsOf(read(file))
        .filter(({ from, typeOnly }) => !/^(\.|node:)/.test(from) && from !== 'jose' && !typeOnly)
        .map(
          ({ from }) =>
            `${file} imports ${from}: whoever installs the guard installs that too; do without it.`,
        ),
    )
    expect(foreign).toEqual([])
    const { dependencies } = JSON.parse(read('guard/package.json')) as { dependencies: object }
    expect(Object.keys(dependencies)).toEqual(['jose'])
  })
})

describe('the files', () => {
  it('are at most 300 lines long', () => {
    const long = sourceFiles(...products)
      .map((file) => ({ file, lines: read(file).trimEnd().split('\n').length }))
      .filter(({ lines }) => lines > 300)
    expect(long.map(({ file, lines }) => `${file} has ${lines} lines: split it by meaning.`)).toEqual([])
  })

  it('are all imported, where they are migrations', () => {
    const migrate = read('server/src/database/migrate.ts')
    const migrations = readdirSync(join(root, 'server/src/database/migrations')).map((file) =>
      basename(file, '.ts'),
    )
    expect(migrations.length).toBeGreaterThan(0)
    const missing = migrations.filter(
      (name) => !migrate.includes(`'${name}':`) || !migrate.includes(`'./migrations/${name}.ts'`),
    )
    expect(
      missing.map((name) => `${name} never runs: import and list it in server/src/database/migrate.ts.`),
    ).toEqual([])
    const numbers = migrations.map((name) => Number(name.slice(0, 4))).sort((a, b) => a - b)
    expect(numbers, 'migrations are numbered without a gap').toEqual(numbers.map((_, index) => index + 1))
  })

  it('hold no any and no switched-off type check', () => {
    const found = sourceFiles(...products, ...tests).flatMap((file) => [
      ...linesOf(file, codeOf(read(file)), anyType).map((line) => `${line} (any: use unknown and narrow it)`),
      ...linesOf(file, read(file), switchedOff).map((line) => `${line} (mend the type instead)`),
    ])
    expect(found).toEqual([])
  })

  it('name each type after its own thing', () => {
    const declared = new Map<string, Set<string>>()
    for (const file of sourceFiles('server/src')) {
      for (const [, name = ''] of codeOf(read(file)).matchAll(typeDeclaration)) {
        declared.set(name, (declared.get(name) ?? new Set()).add(file))
      }
    }
    const found = [...declared].filter(([, files]) => files.size > 2)
    const says = ([name, files]: [string, Set<string>]) =>
      `${name} is declared in ${[...files].join(', ')}: name each after what it is there.`
    expect(found.map(says)).toEqual([])
  })

  it('hold no test that is left out', () => {
    const found = sourceFiles(...tests).flatMap((file) => linesOf(file, codeOf(read(file)), leftOut))
    expect(found.map((line) => `${line} (run it or remove it)`)).toEqual([])
  })

  it.each([
    [anyType, 'const x: any = 1', 'expect.any(String)'],
    [anyType, 'x as any', "say('at any time: any')"],
    [anyType, 'Record<string, any>', 'const many = 1'],
    [leftOut, ['it', 'skip("x")'].join('.'), 'rows.skip(3)'],
    [leftOut, ['describe', 'only("x")'].join('.'), 'it.each(rows)'],
    [switchedOff, `// @ts-${'ignore'}`, '// types are checked'],
  ])('are read by %s: %s, not %s', (pattern, bad, good) => {
    expect(linesOf('x.ts', bad, pattern)).toHaveLength(1)
    expect(linesOf('x.ts', codeOf(good), pattern)).toHaveLength(0)
  })
})

const anyType = /(?:[:<|&,(]|\bas|=>|=)\s*any\b(?!\s*[(:.])/
const typeDeclaration = /^\s*(?:export\s+)?(?:declare\s+)?(?:interface|type)\s+(\w+)\s*(?=[=<{]|extends\b)/gm
const switchedOff = /@ts-(?:ignore|nocheck)/
const leftOut = /\b(?:it|test|describe|suite)(?:\.\w+)*\.(?:only|skip|todo|skipIf|runIf|fails)\b/
