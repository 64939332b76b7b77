import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, describe, expect, inject, it } from 'vitest'
import { createDatabase } from '../harness/databases.ts'
import { laterVersion } from '../database/later-version.ts'
import { cleanUp, run, temporaryFolder } from '../harness/process.ts'
import { production, refused } from './settings-refused.ts'

/** What stops the start: exit code 1, one line that names the setting and the cure, nothing made. */

afterAll(cleanUp)

/** One of each kind: a process costs a hundred times what reading the settings does, which settings.test.ts shows of all. */
const asProcess = refused.filter(([what]) =>
  /^(no secret|an empty|TESSERA_PORT=6|TESSERA_DATABASE_URL=mysql|an unkn)/.test(what),
)

describe('a setting that is wrong', () => {
  it.concurrent.each(asProcess)('stops the start: %s', async (_what, environment, names, cure) => {
    const cwd = temporaryFolder()
    const { code, stdout, complaints } = await run(['serve'], {
      cwd,
      environment: { ...production, ...environment },
    })
    expect({ code, stdout, lines: complaints.length }).toEqual({ code: 1, stdout: '', lines: 1 })
    expect(complaints[0]?.replace('tessera: ', '')).toMatch(names)
    expect(complaints[0]).toMatch(cure)
    expect(readdirSync(cwd)).toEqual([])
  })

  it('leaves not even the generated secret behind in development', async () => {
    const cwd = temporaryFolder()
    const environment = { TESSERA_MODE: 'development', TESSERA_TRUSTED_PROXIES: 'everybody' }
    expect(await run(['serve'], { cwd, environment })).toMatchObject({ code: 1 })
    expect(readdirSync(cwd)).toEqual([])
  })
})

const plain = `users:
  - email: ada@acme.example
    name: Ada
    password: correct horse battery staple
clients:
  - client_id: nightly
    client_name: Nightly
    type: machine
    client_secret: a-plain-secret-of-a-machine-client
`

describe('a declared file that is wrong', () => {
  it.each([
    [
      'plain passwords and secrets in production',
      plain,
      /access\.yaml:4: .*password.*TESSERA_MODE.*\(and 1 more: tessera plan lists them\)$/,
    ],
    ['an unknown key', 'users: []\nclient: []\n', /access\.yaml:2: .*client/],
    ['YAML that is none', 'users: [\n', /access\.yaml:\d: YAML: /],
  ])('stops the start with one line: %s', async (_what, content, expected) => {
    const cwd = temporaryFolder()
    writeFileSync(join(cwd, 'access.yaml'), content)
    const environment = { ...production, TESSERA_DECLARED: 'access.yaml' }
    const { code, stdout, complaints } = await run(['serve'], { cwd, environment })
    expect({ code, stdout, lines: complaints.length }).toEqual({
      code: 1,
      stdout: '',
      lines: 1,
    })
    expect(complaints[0]).toMatch(/^tessera: TESSERA_DECLARED: /)
    expect(complaints[0]).toMatch(expected)
    expect(complaints.join()).not.toMatch(/correct horse|a-plain-secret/)
    expect(readdirSync(cwd)).toEqual(['access.yaml'])
  })

  it('is named when it is not there, or can’t be read', async () => {
    const cwd = temporaryFolder()
    mkdirSync(join(cwd, 'folder'))
    for (const file of ['nowhere.yaml', 'folder']) {
      const environment = { ...production, TESSERA_DECLARED: file }
      const { code, complaints } = await run(['serve'], { cwd, environment })
      expect({ code, complaints }).toEqual({
        code: 1,
        complaints: [expect.stringMatching(`^tessera: TESSERA_DECLARED: ${file}: the file can't be read`)],
      })
    }
    expect(readdirSync(cwd)).toEqual(['folder'])
  })
})

describe('a database that can’t be opened', () => {
  it.concurrent.each([
    ['a host that refuses', 'postgres://tessera:hunter2@localhost:1/tessera', /ECONNREFUSED/],
    ['a host that is none', 'postgres://tessera:hunter2@nowhere.invalid/tessera', /nowhere\.invalid/],
    ['a folder', 'sqlite:/', /\(\/: .*unable to open database file/],
    ['a file as a folder', 'sqlite:/dev/null/tessera.sqlite', /\/dev\/null/],
  ])('is said in one line: %s', async (_what, url, reason) => {
    const { code, complaints } = await run(['serve'], {
      environment: { ...production, TESSERA_DATABASE_URL: url },
    })
    expect({ code, lines: complaints.length }).toEqual({ code: 1, lines: 1 })
    expect(complaints[0]).toMatch(/^tessera: The database can't be opened: check TESSERA_DATABASE_URL \(/)
    expect(complaints[0]).toMatch(reason)
    expect(complaints[0]).not.toContain('hunter2')
  })
})

describe('a role that serves and owns no table', () => {
  it('is told to have the owner migrate, where the tables are those of an older version', async () => {
    const database = await createDatabase('postgres', 'tables')
    const url = new URL(database.url)
    const role = `serves_${url.pathname.slice(1)}`
    try {
      await query(
        `create role ${role} login;
        grant usage on schema public to ${role}; grant all on all tables in schema public to ${role}`,
        database.url,
      )
      url.username = role
      const later = laterVersion('additive')
      for (const command of ['serve', 'migrate']) {
        const environment = { ...production, TESSERA_DATABASE_URL: url.href }
        const { code, complaints } = await run([command], { environment, command: later })
        expect({ code, lines: complaints.length }).toEqual({ code: 1, lines: 1 })
        expect(complaints[0]).toMatch(/lacks a right: run tessera migrate as the owner.*\(must be owner of/)
      }
    } finally {
      await database.remove()
      await query(`drop role if exists ${role}`)
    }
  })
})

async function query(text: string, connectionString = `${inject('postgresUrl')}/postgres`): Promise<void> {
  const client = new pg.Client({ connectionString })
  await client.connect()
  await client.query(text)
  await client.end()
}
