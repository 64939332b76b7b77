import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connect } from '../../dist/cli/connect.js'
import { acme, Administrator, intake, profiles, startAdministered, users } from '../administration/support.ts'
import { type Here, type Ran, runHere, type Way, ways } from './command-support.ts'
import { onOneDatabase } from '../harness/databases.ts'
import type { Tessera } from '../harness/harness.ts'
import { changeUser } from '../harness/states.ts'

/** What the command shows to people at a terminal, and to programs that read it. */

const escape = '\u001B'
const bell = '\u0007'
const bold = (text: string) => `${escape}[1m${text}${escape}[0m`
const both = ['database', 'http'] as const
const linesOf = ({ stdout }: Ran): string[] => stdout.trimEnd().split('\n')

onOneDatabase('what the command shows', (dialect) => {
  let tessera: Tessera
  beforeAll(async () => {
    tessera = await startAdministered(dialect)
  })
  afterAll(async () => await tessera.close())

  const by = async (way: Way, line: string, here: Here = {}): Promise<Ran> => {
    const { environment = {}, ...rest } = here
    return await runHere(line.split(' '), { ...rest, environment: { ...ways[way](tessera), ...environment } })
  }

  it.each(both)('names people and places, and separates by tabs for programs, by %s', async (way) => {
    const { code, stdout, stderr } = await by(way, 'profile list --user importer@acme.example')
    expect({ code, stdout, stderr }).toEqual({
      code: 0,
      stdout: 'importer@acme.example\timporter\tacme\tintake\tyes\t\n',
      stderr: '',
    })
    const held = await by(way, 'access who ledger.entry.read')
    expect(held.stdout).toContain('user\tboth@acme.example\t\treader\tacme\tfinance\t\n')
    expect((await by(way, 'unit list --organisation acme')).stdout).toMatch(/^acme\tintake\tIntake\tyes\t$/m)
    const access = await by(way, 'user access importer@acme.example')
    expect(access.stdout).toMatch(/^importer\tacme\tintake\tyes\t\tsubmissions-tool\.\S+, submissions-tool\./)
    for (const line of ['user list', 'organisation list', 'unit list', 'profile list', 'role list']) {
      const { stdout } = await by(way, `${line} --all`)
      expect(stdout, line).not.toMatch(/[0-9a-f]{8}-[0-9a-f]{4}-|[─│┌]|[^\P{Cc}\n\t]/u)
    }
  })

  it('asks for names a hundred at a time', async () => {
    const admin = await Administrator.machine(tessera.url)
    const reader = { role_code: 'reader', organisation_uuid: acme, organisation_unit_uuid: intake }
    for (let one = 0; one < 120; one++) {
      const person = { email: `many-${one}@acme.example`, name: 'M', profiles: [reader] }
      const made = await admin.post('/users', person)
      expect(made.status, made.text).toBe(201)
    }
    const asked: string[] = []
    const counting: NonNullable<Here['connect']> = async (context, url) => {
      const connection = await connect(context, url)
      const ask: typeof connection.ask = async (asking) => {
        asked.push(asking.route.path)
        return await connection.ask(asking)
      }
      return { ask, close: () => connection.close() }
    }
    const { stdout } = await by('database', 'profile list --role reader --all', { connect: counting })
    expect(stdout.match(/^many-\d+@acme\.example\treader\tacme\tintake\t/gm)).toHaveLength(120)
    expect(asked).toEqual(['/profiles', '/users', '/users', '/organisations', '/units'])
    const json = await by('database', 'profile list --role reader --all --json', {
      connect: counting,
    })
    expect(json.stdout).toContain('"user_uuid"')
    expect(asked.slice(5)).toEqual(['/profiles'])
  })

  it('shows uuids to whoever may not see what they name', async () => {
    const create =
      'client create profiles-only --client-name P --type machine --service iam --permission iam.profiles.read --json'
    const { client_secret: secret } = JSON.parse((await by('database', create)).stdout) as Record<
      string,
      string
    >
    const environment = {
      TESSERA_URL: tessera.url,
      TESSERA_CLIENT_ID: 'profiles-only',
      TESSERA_CLIENT_SECRET: secret ?? '',
    }
    const { code, stdout, stderr } = await runHere(['profile', 'list', '--user', users.importer], {
      environment,
    })
    expect({ code, stdout, stderr }).toEqual({
      code: 0,
      stdout: `${users.importer}\timporter\t${acme}\t${intake}\tyes\t\n`,
      stderr: '',
    })
  })

  it('shows of one thing what its uuids name, and the uuids too', async () => {
    const shown = await by('http', `profile show ${profiles.importer}`)
    expect(linesOf(shown)).toEqual(
      expect.arrayContaining([
        `uuid\t${profiles.importer}`,
        'user\timporter@acme.example',
        `user uuid\t${users.importer}`,
        'organisation\tacme',
        'unit\tintake',
        `organisation unit uuid\t${intake}`,
      ]),
    )
  })

  describe('on a terminal', () => {
    it('has headings and aligned columns, and no rules between', async () => {
      const { stdout } = await by('database', 'organisation list', { columns: 80 })
      const [head, ...rows] = stdout.trimEnd().split('\n')
      expect(head).toBe(bold('code    name            active'))
      expect(rows).toEqual(['acme    Acme Institute  yes', 'globex  Globex          yes'])
    })

    it.each([120, 60, 40, 20])('fits %s columns: the widest give way', async (columns) => {
      const { stdout } = await by('database', 'role list', { columns, environment: { NO_COLOR: '1' } })
      const lines = stdout.trimEnd().split('\n')
      for (const line of lines) expect(line.length, line).toBeLessThanOrEqual(columns)
      expect(stdout.includes('…')).toBe(true)
      // A narrow column stays as it is as long as it is not the widest.
      if (columns >= 40) expect(stdout).toMatch(/^(reader|impo)/m)
    })

    it('keeps whole what there is no other name for, as long as it fits', async () => {
      const { uuid } = JSON.parse(
        (
          await by('database', 'webhook create https://hooks.example.com/events --kind user.* --json', {
            environment: { TESSERA_SECRET: 'a-secret-of-the-tests-0123456789-abcdef' },
          })
        ).stdout,
      ) as { uuid: string }
      const list = async (columns: number) =>
        (await by('database', 'webhook list', { columns, environment: { NO_COLOR: '1' } })).stdout
      expect(await list(70)).toMatch(new RegExp(`^${uuid}  https:…  user\\.\\* +yes +–$`, 'm'))
      expect(await list(30)).toMatch(new RegExp(`^${uuid.slice(0, 3)}.*…  `, 'm'))
    })

    it('counts characters as wide as they are shown, and cuts between them', async () => {
      for (const [at, name] of ['日本語の名前', 'Ines 👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧', 'Inês'].entries())
        expect(
          (
            await runHere(['user', 'create', `wide-${at}@acme.example`, '--name', name], {
              environment: ways.database(tessera),
            })
          ).code,
        ).toBe(0)
      const at = { columns: 80, environment: { TERM: 'dumb' } }
      const { stdout } = await by('database', 'user list --search wide-', at)
      expect(stdout.trimEnd().split('\n')).toEqual([
        `email                name${' '.repeat(8)}  active  has password`,
        'wide-0@acme.example  日本語の名前  yes     no',
        'wide-1@acme.example  Ines 👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧   yes     no',
        `wide-2@acme.example  Inês${' '.repeat(8)}  yes     no`,
      ])
      const narrow = await by('database', 'user list --search wide-', { ...at, columns: 44 })
      expect(narrow.stdout).toMatch(/^wide-0@ac… {2}日本語の… {3}yes {5}no$/m)
      expect(narrow.stdout).toMatch(/^wide-1@ac… {2}Ines 👩‍👩‍👧👩‍👩‍👧… {2}yes {5}no$/m)
      expect(narrow.stdout).not.toMatch(/\u200d…/)
    })

    it.each<[string, Record<string, string>, boolean]>([
      ['in colour', {}, true],
      ['in colour where NO_COLOR is empty', { NO_COLOR: '' }, true],
      ['without colour with NO_COLOR', { NO_COLOR: '1' }, false],
      ['without colour where the terminal is dumb', { TERM: 'dumb' }, false],
    ])('is %s', async (_, environment, coloured) => {
      for (const line of ['user list', 'access explain iam.users.read --client onlooker-cli']) {
        const { stdout } = await by('database', line, { columns: 80, environment })
        expect(stdout.includes(escape), line).toBe(coloured)
        expect((await by('database', line, { environment })).stdout, line).not.toContain(escape)
      }
    })

    it.each([
      [30_000, '30 seconds ago'],
      [3 * 3_600_000 + 1, '3 hours ago'],
      [-90_000, 'in 1 minute'],
      [400 * 86_400_000, '1 year ago'],
    ])('tells times as people do: %s ms as %s', async (passed, said) => {
      const at = '2031-12-31T00:00:00.000Z'
      const [profile, now] = [
        `profile change ${profiles.bothReader} --expires-at ${at} --override-file`,
        Date.parse(at) + passed,
      ]
      expect((await by('database', profile)).code).toBe(0)
      const list = 'profile list --user both@acme.example --role reader'
      expect((await by('database', list, { columns: 120, now })).stdout).toContain(`yes     ${said}`)
      expect((await by('database', list, { now })).stdout).toContain(`\tyes\t${at}\n`)
      const show = `profile show ${profiles.bothReader}`
      expect((await by('database', show, { columns: 120, now })).stdout).toContain(`${at} (${said})`)
      expect((await by('database', show, { now })).stdout).toContain(`expires at\t${at}\n`)
      expect((await by('database', `${list} --json`, { columns: 120, now })).stdout).toContain(`"${at}"`)
    })
  })

  it('lets no name speak to the terminal', async () => {
    const planted = `${escape}]0;owned${bell}\u009b2J\u202egnp.exe\u2066\r\nadmin@acme.example\tyes\u007f`
    const named = (name: string) => changeUser(tessera, 'nobody@acme.example', { name })
    await named(planted)
    try {
      const raw = /[^\P{Cc}\n\t]|[\u202a-\u202e\u2066-\u2069]/u
      const lines = [
        'user list --search nobody@',
        `user show ${users.nobody}`,
        'user show nobody@acme.example --json',
        'user list --search nobody@ --json',
        'access explain iam.users.read --user nobody@acme.example',
        'user disable nobody@acme.example --override-file',
        'user enable nobody@acme.example --override-file --json',
      ]
      for (const line of lines)
        for (const columns of [undefined, 200]) {
          const here = { environment: { NO_COLOR: '1' }, ...(columns !== undefined && { columns }) }
          const { stdout, stderr } = await by('database', line, here)
          expect(stdout + stderr, line).not.toMatch(raw)
          if (line.includes('--json'))
            expect(JSON.stringify(JSON.parse(stdout)), line).toContain(JSON.stringify(planted))
        }
      const listed = linesOf(await by('database', 'user list --search nobody@'))
      expect(listed).toHaveLength(1)
      expect(listed[0]?.split('\t')).toHaveLength(4)
      await named('\u202egnp.exe')
      const exported = await by('database', 'export', { columns: 80 })
      expect(exported.stdout + exported.stderr).not.toMatch(raw)
    } finally {
      await named('Acme Nobody')
    }
    for (const typed of [
      [`no${escape}[2J`],
      ['role', 'show', `x${escape}[2J`],
      ['user', 'list', `--${bell}`],
    ]) {
      const { code, stderr } = await runHere(typed, { environment: ways.database(tessera) })
      expect(code).not.toBe(0)
      expect(stderr).not.toMatch(/[^\P{Cc}\n\t]/u)
    }
  })
})
