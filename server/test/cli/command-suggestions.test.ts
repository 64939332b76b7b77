import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { acme, profiles, startAdministered, users } from '../administration/support.ts'
import { type Here, type Ran, runHere, type Way, ways } from './command-support.ts'
import { onOneDatabase } from '../harness/databases.ts'
import type { Tessera } from '../harness/harness.ts'

/** What was meant: codes that were mistyped, and profiles by where they hold. */

const both = ['database', 'http'] as const

onOneDatabase('what was meant', (dialect) => {
  let tessera: Tessera
  beforeAll(async () => {
    tessera = await startAdministered(dialect)
  })
  afterAll(async () => await tessera.close())
  const by = async (way: Way, line: string, here: Here = {}): Promise<Ran> =>
    await runHere(line.split(' '), { environment: ways[way](tessera), ...here })

  it.each([
    ['role show importr', 4, 'There is no role importr. Did you mean importer?'],
    ['role show IMPORTER', 4, 'There is no role IMPORTER. Did you mean importer?'],
    ['role delete importr --yes', 4, 'There is no role importr. Did you mean importer?'],
    ['role show nothing-like-it', 4, 'There is no role nothing-like-it.'],
    ['organisation show acm', 4, 'There is no organisation acm. Did you mean acme?'],
    ['user list --organisation acmee', 4, 'There is no organisation acmee. Did you mean acme?'],
    ['unit show acme/intak', 4, 'There is no unit intak. Did you mean intake?'],
    ['unit show acm/intake', 4, 'There is no organisation acm. Did you mean acme?'],
    ['unit show globex/intak', 4, 'There is no unit intak.'],
    ['service show ledgr', 4, 'There is no service ledgr. Did you mean ledger?'],
    [
      'permission show ledger.entry.raed',
      4,
      'There is no permission ledger.entry.raed. Did you mean ledger.entry.read?',
    ],
    ['client show nightly-imprt', 4, 'There is no client nightly-imprt. Did you mean nightly-import?'],
    ['client secret add nightly-imprt', 4, 'There is no client nightly-imprt. Did you mean nightly-import?'],
    ['user show importr@acme.example', 4, 'There is no user importr@acme.example.'],
    [
      'access who ledger.entry.raed',
      1,
      'permission: There is no permission ledger.entry.raed. Did you mean ledger.entry.read?',
    ],
    [
      'access explain iam.users.read --client admin-cl',
      4,
      'There is no client admin-cl. Did you mean admin-cli?',
    ],
    [
      'profile create --user importer@acme.example --role importr',
      1,
      '--role: There is no role importr. Did you mean importer?',
    ],
    [
      'user create x@acme.example --name X --profile importr@acme',
      1,
      '--profile, number 1: There is no role importr. Did you mean importer?',
    ],
    [
      'client create x --client-name X --type machine --service ledgr',
      1,
      '--service: There is no service ledgr. Did you mean ledger?',
    ],
    [
      'role change reader --add-permission ledger.entry.raed --override-file',
      1,
      '--permission, number 3: There is no permission ledger.entry.raed. Did you mean ledger.entry.read?',
    ],
  ])('is asked when a code was mistyped: %s', async (line, code, said) => {
    for (const way of both)
      expect(await by(way, line), way).toEqual({ code, stdout: '', stderr: `tessera: ${said}\n` })
    // Programs get what the API answers.
    const { stderr } = await by('http', `${line} --json`)
    expect(JSON.parse(stderr), line).toHaveProperty('status')
    expect(stderr).not.toContain('Did you mean')
  })

  it.each([
    ['profile list --role importr', 'There is no role importr. Did you mean importer?'],
    [
      'consents list --client submissions-wep',
      'There is no client submissions-wep. Did you mean submissions-web?',
    ],
    [
      'access who ledger.entry.read --organisation acmee',
      'There is no organisation acmee. Did you mean acme?',
    ],
    ['permission list --service ledgr', 'There is no service ledgr. Did you mean ledger?'],
  ])('is asked when a list is narrowed by what there is not: %s', async (line, said) => {
    expect(await by('http', line)).toEqual({ code: 0, stdout: '', stderr: `There are none.\n${said}\n` })
    expect(await by('http', `${line} --json`)).toMatchObject({ code: 0, stderr: '' })
  })

  it('tells nobody of what they may not see', async () => {
    const environment = ways.http(tessera, 'acme-cli')
    const asAcme = async (line: string) => await runHere(line.split(' '), { environment })
    // There are the role administrator, the organisation globex and the client admin-cli: elsewhere.
    for (const [line, said] of [
      ['role show administratr', 'There is no role administratr.'],
      ['organisation show globx', 'There is no organisation globx.'],
      ['client show admin-cl', 'There is no client admin-cl.'],
    ] as const)
      expect((await asAcme(line)).stderr).toBe(`tessera: ${said}\n`)
    const given = await asAcme(
      'profile create --user importer@acme.example --organisation acme --role importr',
    )
    expect(given.stderr).toMatch(/--role: You can give no such role: .* Did you mean importer\?$/m)
    // And nothing of it, where they may not list them at all.
    const onlooker = ways.http(tessera, 'onlooker-cli')
    const { stderr } = await runHere(['role', 'show', 'importr'], { environment: onlooker })
    expect(stderr).toBe('tessera: The access token lacks the permission iam.roles.read\n')
  })

  it.each([
    ['usr list', '(Did you mean user?)'],
    ['user lst', '(Did you mean list?)'],
    ['versoin', '(Did you mean version?)'],
    ['apply --prun access.yaml', '(Did you mean --prune?)'],
    ['user list --organisaton acme', '(Did you mean --organisation?)'],
  ])('is asked when a word of the command was mistyped: %s', async (line, said) => {
    const { code, stdout, stderr } = await by('database', line)
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr.split('\n')[1]).toBe(said)
  })

  describe('by a profile', () => {
    it.each(both)('is where it holds, by %s', async (way) => {
      const named = await by(way, 'profile show importer@acme/intake --user importer@acme.example --json')
      const byId = await by(way, `profile show ${profiles.importer} --json`)
      expect(byId).toMatchObject({ code: 0, stderr: '' })
      expect(named).toEqual(byId)
      expect(await by(way, `profile show administrator --user ${users.admin} --json`)).toMatchObject({
        code: 0,
      })
      const change = 'bookkeeper@globex --user both@acme.example --override-file --json'
      for (const [verb, active] of [
        ['disable', false],
        ['enable', true],
      ] as const)
        expect(JSON.parse((await by(way, `profile ${verb} ${change}`)).stdout)).toMatchObject({
          uuid: profiles.bothBookkeeper,
          active,
        })
    })

    it.each([
      [
        'importer@acme/intake',
        1,
        'Whose profile importer@acme/intake? Add --user with an e-mail address, or give the uuid of the profile.',
      ],
      [
        'importr@acme/intake --user importer@acme.example',
        4,
        'importer@acme.example has no profile importr@acme/intake. Did you mean importer@acme/intake?',
      ],
      [
        'importer@acme --user importer@acme.example',
        4,
        'importer@acme.example has no profile importer@acme.',
      ],
      ['importer@acme/intak --user importer@acme.example', 4, 'There is no unit intak. Did you mean intake?'],
      ['importer@ --user importer@acme.example', 4, 'There is no organisation .'],
      [
        'importer@acme/intake --user both@acme.example',
        4,
        'both@acme.example has no profile importer@acme/intake.',
      ],
      [
        'importer@acme/intake --user nobody-at-all@acme.example',
        4,
        'There is no user nobody-at-all@acme.example.',
      ],
    ])('that is not there is told: %s', async (typed, code, said) => {
      for (const verb of ['show', 'delete --yes']) {
        const line = `profile ${verb} ${typed}`
        expect(await by('database', line), line).toEqual({ code, stdout: '', stderr: `tessera: ${said}\n` })
      }
      expect((await by('database', `profile show ${profiles.importer}`)).code).toBe(0)
    })
  })

  describe('by an explanation', () => {
    const explain = async (line: string, here: Here = {}) => await by('http', `access explain ${line}`, here)

    it('is the only profile that can be used', async () => {
      const asked = 'ledger.entry.read --user importer@acme.example'
      const { code, stdout, stderr } = await explain(asked)
      expect({ code, stderr }).toEqual({
        code: 0,
        stderr: 'This is with the profile importer@acme/intake.\n',
      })
      expect(stdout.split('\n').slice(0, 3)).toEqual([
        'No. The role importer does not include ledger.entry.read.',
        'no\tThe role importer does not include ledger.entry.read.',
        'yes\tThe permission ledger.entry.read exists.',
      ])
      expect(stdout).toMatch(
        /\nWhat would grant it:\n {2}Add ledger\.entry\.read to the role importer, or .*\nBy the API, the smallest change first:\n/,
      )
      expect(stdout.match(/^no\t/gm)).toHaveLength(1)
      const json = await explain(`${asked} --json`)
      expect(json).toMatchObject({ code: 0, stderr: '' })
      expect(JSON.parse(json.stdout)).toMatchObject({
        allowed: false,
        chain: expect.arrayContaining([
          expect.objectContaining({ check: 'role_has_permission', holds: false }),
        ]),
      })
      const allowed = await explain('submissions-tool.vista-import.read --user importer@acme.example')
      expect(allowed.stdout).toMatch(/^Yes\. .*submissions-tool\.vista-import\.read.*\nyes\t/)
      expect(allowed.stdout).not.toMatch(/^no\t|would grant/m)
    })

    it('is one of several only where they are told apart', async () => {
      const asked = 'ledger.entry.read --user both@acme.example'
      expect(await explain(asked)).toEqual({
        code: 1,
        stdout: '',
        stderr:
          'tessera: both@acme.example has 2 profiles; say which:\n  --profile reader@acme/finance\n  --profile bookkeeper@globex\n',
      })
      const shown = await explain(`${asked} --profile reader@acme/finance`)
      expect(shown).toMatchObject({ code: 0, stderr: '' })
      expect(shown.stdout).toMatch(/^Yes\. /)
      expect(await explain(`${asked} --profile ${profiles.bothReader}`)).toEqual(shown)
      expect(await explain(`${asked} --profile reder@acme/finance`)).toMatchObject({
        code: 4,
        stderr:
          'tessera: both@acme.example has no profile reder@acme/finance. Did you mean reader@acme/finance?\n',
      })
      const disabled = `profile disable ${profiles.bothReader} --override-file`
      expect((await by('database', disabled)).code).toBe(0)
      const other = await explain(asked)
      expect(other).toMatchObject({ code: 0, stderr: 'This is with the profile bookkeeper@globex.\n' })
      const unusable = await explain(`${asked} --profile reader@acme/finance`)
      expect(unusable.stdout).toMatch(/^No\. The profile is disabled\.\nno\tThe profile is disabled\.\nyes\t/)
      expect((await by('database', disabled.replace('disable', 'enable'))).code).toBe(0)
    })

    it('is none where somebody has none, and is not needed for a machine', async () => {
      expect(await explain('iam.users.read --user nobody@acme.example')).toEqual({
        code: 1,
        stdout: '',
        stderr: 'tessera: nobody@acme.example has no profile, and so no permission at all.\n',
      })
      const machine = await explain('ledger.entry.raed --client nightly-import')
      expect(machine.stdout).toMatch(
        /^No\. There is no permission ledger\.entry\.raed\. Did you mean ledger\.entry\.read\?\nno\t/,
      )
    })

    it('says all of it on a narrow terminal', async () => {
      const asked = 'ledger.entry.read --user importer@acme.example'
      const { stdout } = await explain(asked, { columns: 30 })
      const [verdict, failing] = stdout.split('\n')
      expect(verdict).toBe('\u001B[31mNo.\u001B[0m The role importer does not include ledger.entry.read.')
      expect(failing).toBe('no   The role importer does not include ledger.entry.read.')
      expect(stdout).not.toContain('…')
    })
  })

  it('needs only what explanations need', async () => {
    const create =
      'client create explainer --client-name E --type machine --service iam --permission iam.access.read --json'
    const { client_secret: secret } = JSON.parse((await by('database', create)).stdout) as Record<
      string,
      string
    >
    const environment = {
      TESSERA_URL: tessera.url,
      TESSERA_CLIENT_ID: 'explainer',
      TESSERA_CLIENT_SECRET: secret ?? '',
    }
    const { code, stdout, stderr } = await runHere(
      ['access', 'explain', 'ledger.entry.read', '--user', users.importer],
      { environment },
    )
    expect({ code, stderr }).toMatchObject({
      code: 0,
      stderr: expect.stringContaining(`This is with the profile importer@${acme}/`),
    })
    expect(stdout).toMatch(/^No\. The role importer does not include/)
  })
})
