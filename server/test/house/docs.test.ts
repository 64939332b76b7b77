/** The docs say what the code does: a test fails both ways. */
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { configurationDocument } from '../../dist/cli/configuration.js'
import { contentColumns } from '../../dist/database/schema-audit.js'
import { auditKinds } from '../../dist/protocol/audit-kinds.js'
import { claimsSupported } from '../../dist/protocol/claims.js'
import { errorCatalogue } from '../../dist/protocol/errors.js'
import { supportedScopes } from '../../dist/protocol/scope.js'
import { settledThings, thingNames, things } from '../../dist/protocol/things.js'
import { commandSchema, settingsSchema } from '../../dist/settings-schema.js'
import { read, root, sourceFiles } from './support.ts'

const docs = readdirSync(join(root, 'docs'))
  .filter((file) => file.endsWith('.md'))
  .map((file) => `docs/${file}`)
const pages = [
  ...docs,
  ...['integrate', 'move-in', 'upstreams'].flatMap((folder) =>
    readdirSync(join(root, 'docs', folder)).map((file) => `docs/${folder}/${file}`),
  ),
  'README.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'CHANGELOG.md',
  'guard/README.md',
].filter((file) => existsSync(join(root, file)))

/** The rows of the first table that has this column first: each cell, without the marks of code. */
function tableOf(markdown: string, firstColumn: string): string[][] {
  const lines = markdown.split('\n')
  const head = lines.findIndex((line) => line.startsWith(`| ${firstColumn} |`))
  if (head < 0) throw new Error(`There is no table whose first column is ${firstColumn}.`)
  const after = lines.slice(head + 2)
  const end = after.findIndex((line) => !line.startsWith('|'))
  return after.slice(0, end < 0 ? undefined : end).map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim().replace(/^`(.*)`$/, '$1')),
  )
}

describe('docs/errors.md', () => {
  const rows = tableOf(read('docs/errors.md'), 'error')

  it('has every code of the catalogue, and no other', () => {
    expect(rows.map(([code]) => code).sort()).toEqual(Object.keys(errorCatalogue).sort())
  })

  it.each(Object.entries(errorCatalogue))('says of %s what the code says', (code, { status, meaning }) => {
    const [, shownStatus, shownMeaning, advice] = rows.find(([one]) => one === code) ?? []
    expect(shownStatus).toBe(String(status))
    expect(shownMeaning).toBe(meaning)
    expect(advice?.length).toBeGreaterThan(10)
  })
})

describe('the catalogue of errors', () => {
  it('has no code that nothing answers with', () => {
    const thrown = sourceFiles('server/src')
      .filter((file) => !file.endsWith('protocol/errors.ts') && !/\/(openapi|messages)\//.test(file))
      .map(read)
      .join('\n')
    const unused = Object.keys(errorCatalogue).filter((code) => !thrown.includes(`'${code}'`))
    expect(
      unused.map((code) => `${code} is never thrown: remove it from errors.ts and docs/errors.md.`),
    ).toEqual([])
  })
})

describe('docs/audit.md', () => {
  const rows = tableOf(read('docs/audit.md'), 'kind')

  it('has every kind of record there is, and no other, and says of each what the code says', () => {
    expect(rows).toEqual(Object.entries(auditKinds))
  })

  it('has no kind that nothing records, and the code records no other', () => {
    const sources = sourceFiles('server/src')
      .filter((file) => !/protocol\/audit-kinds\.ts$|\/(openapi|messages)\//.test(file))
      .map(read)
      .join('\n')
    const recorded = [...sources.matchAll(/\bkind: '([a-z_]+\.[a-z_]+|sign_out)'/g)].map(([, kind]) => kind)
    const ofThings = [
      ...thingNames.filter((one) => !things[one].ownKinds),
      ...Object.keys(settledThings),
    ].map((thing) => `${thing}.`)
    const events = Object.keys(auditKinds).filter((kind) => !ofThings.some((thing) => kind.startsWith(thing)))
    // Those of things hold by their type.
    const others = recorded.filter((kind) => !ofThings.some((thing) => kind?.startsWith(thing)))
    expect([...new Set(others)].sort()).toEqual(events.sort())
  })

  it('hashes the columns that are hashed, in their order', () => {
    const [, named = ''] = /where there is none: ([\s\S]*?)The last three/.exec(read('docs/audit.md')) ?? []
    expect([...named.matchAll(/`(\w+)`/g)].map(([, name]) => name)).toEqual([...contentColumns])
  })
})

describe('docs/configuration.md', () => {
  it('is what `tessera configuration` prints', () => {
    const bin = join(root, 'server/bin/tessera.cjs')
    const printed = execFileSync(process.execPath, [bin, 'configuration'], { encoding: 'utf8' })
    expect(printed).toBe(configurationDocument())
    expect(read('docs/configuration.md'), 'Run: npx tessera configuration > docs/configuration.md').toBe(
      printed,
    )
  })

  it('has every setting with a description', () => {
    const rows = tableOf(read('docs/configuration.md'), 'setting')
    expect(rows.map(([name]) => name)).toEqual(Object.keys(settingsSchema.shape))
    for (const [name, , description] of rows) expect(description?.length, name).toBeGreaterThan(20)
  })
})

describe('docs/claims.md', () => {
  const rows = tableOf(read('docs/claims.md'), 'claim')
  const description = parse(read('server/assets/openapi.yaml'), { merge: true, maxAliasCount: -1 }) as {
    components: { schemas: Record<string, { properties: object; required: string[] }> }
  }
  const { schemas } = description.components
  const columns = [
    ['access token', schemas.AccessTokenClaims],
    ['ID token', schemas.IdTokenClaims],
    ['userinfo', schemas.Userinfo],
  ] as const

  it('has every claim there is, and no other', () => {
    const described = columns.flatMap(([, schema]) => Object.keys(schema?.properties ?? {}))
    expect(rows.map(([claim]) => claim).sort()).toEqual([...new Set(described)].sort())
    expect(described).toEqual(expect.arrayContaining([...claimsSupported]))
  })

  it.each(columns)('says which of them are in the %s, as the interface description does', (name, schema) => {
    const column = columns.findIndex(([one]) => one === name) + 1
    const present = rows.filter((row) => !['–', ''].includes(row[column] ?? '')).map(([claim]) => claim)
    expect(present.sort()).toEqual(Object.keys(schema?.properties ?? {}).sort())
    const always = rows.filter((row) => row[column] === 'always').map(([claim]) => claim)
    expect(always.sort()).toEqual([...(schema?.required ?? [])].sort())
  })
})

describe('the docs', () => {
  it('name no setting, scope or error code that there is not', () => {
    expect(pages.length).toBeGreaterThan(6)
    const schemas = { ...settingsSchema.shape, ...commandSchema.shape }
    const known = [...Object.keys(schemas), 'TESSERA_TEST_LOG', 'TESSERA_TEST_BROWSER']
    for (const file of pages) {
      const settings = read(file).match(/\bTESSERA_[A-Z_]*[A-Z]\b/g) ?? []
      for (const name of settings) {
        // A family of settings, such as TESSERA_LIMIT_*.
        if (known.some((one) => one.startsWith(`${name}_`))) continue
        if (file.startsWith('docs/') || file === 'SECURITY.md')
          expect(known, `${file}: ${name}`).toContain(name)
      }
      for (const [, scope] of read(file).matchAll(/\bscope=([\w.]+)/g)) {
        expect(supportedScopes as readonly string[], `${file}: scope=${scope}`).toContain(scope)
      }
    }
  })

  it('link to files that exist', () => {
    const broken = pages.flatMap((file) =>
      [...read(file).matchAll(/\]\((?!https?:|mailto:|#)([^)#\s]+)/g)]
        .map(([, link = '']) => link)
        .filter((link) => !existsSync(join(root, dirname(file), link)))
        .map((link) => `${file} links to ${link}, which is not there.`),
    )
    expect(broken).toEqual([])
  })

  it('are all in the index', () => {
    const index = read('docs/README.md')
    const missing = docs.filter((file) => file !== 'docs/README.md' && !index.includes(`(${file.slice(5)})`))
    expect(missing.map((file) => `${file}: add it to docs/README.md.`)).toEqual([])
  })

  it('hold no path of somebody’s machine', () => {
    for (const file of pages) expect(read(file), file).not.toMatch(/\/(?:home|Users|work|root)\//)
  })
})
