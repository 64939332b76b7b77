import { afterAll, beforeAll, expect, it } from 'vitest'
import { acme, Administrator, startAdministered, users } from '../administration/support.ts'
import { csv, importBy } from '../administration/imports-support.ts'
import { onOneDatabase } from '../harness/databases.ts'
import type { Tessera } from '../harness/harness.ts'
import { cleanUp } from '../harness/process.ts'
import { type Ran, runHere, type Way, ways } from './command-support.ts'

/** What the command changes of many at once, and takes back of an import: it tells how far it is, and what was refused. */

const both = ['database', 'http'] as const

onOneDatabase('works of the command on many', (dialect) => {
  let tessera: Tessera
  let admin: Administrator
  beforeAll(async () => {
    tessera = await startAdministered(dialect)
    admin = await Administrator.machine(tessera.url)
  })
  afterAll(async () => {
    await tessera.close()
    await cleanUp()
  })

  const by = async (way: Way, commandLine: readonly string[], body?: object): Promise<Ran> =>
    await runHere(commandLine, {
      environment: ways[way](tessera),
      ...(body !== undefined && { input: JSON.stringify(body) }),
    })
  const linesOf = ({ stdout }: Ran) =>
    stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>)

  it.each(both)(
    'changes people by their uuids, tries it first, and tells who was refused, by %s',
    async (way) => {
      const nowhere = '99999999-9999-4999-8999-999999999999'
      const bulk = ['user', 'bulk', '-']
      const made = await admin.post('/users', { email: `many-${way}@acme.example`, name: 'One Of Many' })
      const uuid = String(made.json.uuid)
      const body = { action: 'disable', people: { uuid: [uuid, nowhere] } }
      const isActive = async () => (await admin.get(`/users/${uuid}`)).json.active
      expect(await by(way, [...bulk, '--dry-run'], body)).toEqual({
        code: 2,
        stdout: 'people 2, changed 1, already 0, refused 1.\n',
        stderr: `${nowhere}: There is no such user.\nNothing was changed: this is what it would do.\n`,
      })
      expect(await isActive()).toBe(true)
      expect(await by(way, bulk, body)).toMatchObject({
        code: 2,
        stdout: 'people 2, changed 1, already 0, refused 1.\n',
      })
      expect(await isActive()).toBe(false)
      const back = await by(way, [...bulk, '--json'], { action: 'enable', people: { uuid: [uuid] } })
      expect(back).toMatchObject({ code: 0, stderr: '' })
      expect(linesOf(back)).toMatchObject([{ kind: 'done', people: 1, changed: 1, dry_run: false }])
      expect(await isActive()).toBe(true)
    },
  )

  it.each(both)('refuses what is no change before anything is changed, by %s', async (way) => {
    const wrong = await by(way, ['user', 'bulk', '-'], { action: 'rename', people: { all: true } })
    expect(wrong).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('action') })
    const noJson = await runHere(['user', 'bulk', '-'], { environment: ways[way](tessera), input: 'no' })
    expect(noJson).toEqual({
      code: 1,
      stdout: '',
      stderr: 'tessera: The standard input is no JSON object.\n',
    })
    const managed = await by(way, ['user', 'bulk', '-'], {
      action: 'disable',
      people: { uuid: [users.both] },
    })
    expect(managed).toMatchObject({
      code: 2,
      stdout: 'people 1, changed 0, already 0, refused 1.\n',
      stderr: expect.stringMatching(/^both@acme\.example: .*acme\.yaml.*--override-file\.\n$/),
    })
  })

  it('invites several where mail is sent', async () => {
    const profiles = [{ role_code: 'importer', organisation_uuid: acme }]
    const several = { emails: ['many@acme.example', 'nobody'], profiles }
    const said = await by('http', ['invitation', 'bulk', '-'], several)
    expect(said).toMatchObject({ code: 2, stdout: 'addresses 2, invited 1, already 0, refused 1.\n' })
    expect(said.stderr).toMatch(/^nobody: /)
    const unmailed = await by('database', ['invitation', 'bulk', '-'], several)
    expect(unmailed).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('No mail is sent'),
    })
  })

  it.each(both)('lists imports and undoes one, by %s', async (way) => {
    const email = `imported-${way}@acme.example`
    const { end } = await importBy(admin, csv('email,name', `${email},Imported`))
    const uuid = String(end.import_uuid)
    const listed = await by(way, ['import', 'list', '--json'])
    expect(listed).toMatchObject({ code: 0, stderr: '' })
    const { items } = JSON.parse(listed.stdout) as { items: object[] }
    expect(items).toContainEqual(
      expect.objectContaining({ uuid, name: 'people.csv', people: 1, signed_in: 0 }),
    )
    const shown = await by(way, ['import', 'show', uuid])
    expect(shown).toMatchObject({ code: 0, stdout: expect.stringContaining('people.csv') })
    const undo = ['import', 'undo', uuid]
    expect(await by(way, [...undo, '--dry-run'])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('people 1, removed 1,'),
      stderr: 'Nothing was changed: this is what it would do.\n',
    })
    expect(await admin.all(`/users?q=${email}`)).toHaveLength(1)
    expect(await by(way, undo)).toMatchObject({ code: 0, stderr: '' })
    expect(await admin.all(`/users?q=${email}`)).toHaveLength(0)
    const nowhere = await by(way, ['import', 'undo', '99999999-9999-4999-8999-999999999999'])
    expect(nowhere).toMatchObject({ code: 4, stdout: '' })
  })
})
