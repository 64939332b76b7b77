import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from 'commander'
import { afterAll, describe, expect, it } from 'vitest'
import { tesseraProgram } from '../../dist/cli/program.js'
import {
  answerOf,
  authorizeRequest,
  claimsOf,
  people,
  post,
  signIn,
  TestBrowser,
} from '../harness/browser.ts'
import { createDatabase, onOneDatabase } from '../harness/databases.ts'
import { acme } from '../declared/support.ts'
import { cleanUp, run, secret, Serving, temporaryFolder } from '../harness/process.ts'
import { machine } from '../harness/program.ts'

/** The command itself: its help, what it refuses, and the hashes it makes. */

afterAll(cleanUp)

/** Every command of the product, by what is typed after `tessera`. */
async function commands(): Promise<[string, Command][]> {
  const withParts = (command: Command, before = ''): [string, Command][] => {
    const name = `${before}${command.name()}`
    return [[name, command], ...command.commands.flatMap((part) => withParts(part, `${name} `))]
  }
  return (await tesseraProgram()).commands.flatMap((command) => withParts(command))
}

describe('help', () => {
  it('shows how each command is typed', async () => {
    const all = await commands()
    expect(all.map(([name]) => name)).toEqual(
      expect.arrayContaining([
        'serve',
        'dev',
        'plan',
        'apply',
        'hash password',
        'hash secret',
        'configuration',
        'user list',
        'client change',
      ]),
    )
    const lacking = all.filter(([, command]) => !/\nExamples?:\n {2}\$ \S/.test(helpOf(command)))
    expect(lacking.map(([name]) => name)).toEqual([])
  })

  it('speaks of what is typed, and not of the fields, codes and headers of the API', async () => {
    const ofTheApi =
      /\b4\d\d\b|RFC|Idempotency|\bnull\b|active: false|_uuid\b|\/admin\/v1|\w=\w+ is\b|\bwith q\b/
    const found = (await commands()).flatMap(([name, command]) => {
      const said = ofTheApi.exec(helpOf(command))
      return said === null ? [] : [`${name}: ${said[0]}`]
    })
    expect(found).toEqual([])
  })

  it('lists every command, the exit codes and examples', async () => {
    const { code, stdout, stderr } = await run(['--help'])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    for (const [name] of await commands())
      if (!name.includes(' ')) expect(stdout).toMatch(new RegExp(`^ {2}${name}\\b`, 'm'))
    expect(stdout).toMatch(/Exit codes: 0 .*1 .*2 [\s\S]*3 [\s\S]*4 /)
    expect(stdout).toMatch(/Examples:\n {2}\$ npm start/)
  })

  it.each([
    [['nosuch'], "unknown command 'nosuch'", 'tessera'],
    [['serve', '--nope'], "unknown option '--nope'", 'tessera serve'],
    [['plan'], "missing required argument 'file'", 'tessera plan'],
    [['apply', 'a.yaml', 'b.yaml'], 'too many arguments', 'tessera apply'],
    [['hash', 'nosuch'], "unknown command 'nosuch'", 'tessera hash'],
    [
      ['user', 'list', '--limit', 'few'],
      "option '--limit <number>' argument 'few' is invalid",
      'tessera user list',
    ],
  ])('is not needed to see what is wrong with %j, and where to look', async (commandLine, said, words) => {
    const cwd = temporaryFolder()
    const { code, stdout, stderr } = await run(commandLine, { cwd })
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toContain(`tessera: ${said}`)
    expect(stderr).toMatch(new RegExp(`^\\(${words} --help shows what there is\\)$`, 'm'))
    expect(readdirSync(cwd)).toEqual([])
  })
})

/** As `--help` prints it, with what was added to it. */
function helpOf(command: Command): string {
  let text = ''
  command.configureOutput({ writeOut: (part) => (text += part) }).outputHelp()
  return text
}

describe('tessera hash', () => {
  it.each([
    ['1234567', 'It needs at least 8 characters.'],
    ['', 'It needs at least 8 characters.'],
    ['é'.repeat(129), 'It takes at most 128 characters.'],
    [
      '123456789',
      'It is one of the passwords that are guessed first. Take several words, or what a password manager makes.',
    ],
  ])('refuses the password %j', async (input, why) => {
    const { code, stdout, complaints } = await run(['hash', 'password'], { input })
    expect({ code, stdout, complaints }).toEqual({
      code: 1,
      stdout: '',
      complaints: [`tessera: The password can't be taken. ${why}`],
    })
  })

  it('refuses a password that is not UTF-8: its hash would be that of another', async () => {
    const input = Buffer.from('pässword of mine\n', 'latin1')
    const { code, stdout, complaints } = await run(['hash', 'password'], { input })
    expect({ code, stdout, complaints }).toEqual({
      code: 1,
      stdout: '',
      complaints: ['tessera: What came on standard input is not UTF-8.'],
    })
  })

  it('makes another secret each time', async () => {
    const made = await Promise.all([run(['hash', 'secret']), run(['hash', 'secret'])])
    const values = made.flatMap(({ stdout }) => stdout.match(/(?<=: ).*/g) ?? [])
    expect(values).toHaveLength(4)
    expect(new Set(values).size).toBe(4)
  })
})

onOneDatabase('in production', (dialect) => {
  it('what tessera hash prints signs people and machines in', async () => {
    const hashed = await Promise.all(
      // A terminal's newline is not part of the password, and a space is.
      [' pässword of mine \n', ' pässword of mine '].map((input) => run(['hash', 'password'], { input })),
    )
    const [hash = '', other = ''] = hashed.map(({ stdout }) => stdout.trim())
    expect(hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
    expect(other).not.toBe(hash)
    const { stdout } = await run(['hash', 'secret', '--json'])
    const made = JSON.parse(stdout) as { client_secret: string; client_secret_hash: string }

    const database = await createDatabase(dialect, 'empty')
    const cwd = temporaryFolder()
    writeFileSync(join(cwd, 'access.yaml'), productionFile(hash, made.client_secret_hash))
    const issuer = 'https://id.acme.example'
    const serving = await Serving.start(
      {
        TESSERA_MODE: 'production',
        TESSERA_ISSUER: issuer,
        TESSERA_SECRET: secret,
        TESSERA_DATABASE_URL: database.url,
        TESSERA_DECLARED: 'access.yaml',
      },
      cwd,
    )
    expect(serving.issuer).toBe(issuer)
    await signsIn(serving, { email: people.importer.email, password: ' pässword of mine ' })
    await refuses(serving, { email: people.importer.email, password: 'pässword of mine' })
    const form = { grant_type: 'client_credentials', client_id: machine.client_id }
    const answer = await post(`${serving.url}/oauth2/token`, { ...form, client_secret: made.client_secret })
    expect(claimsOf(String(answer.json.access_token))).toMatchObject({ iss: issuer, sub: machine.client_id })
    // The hash itself is no secret.
    const wrong = await post(`${serving.url}/oauth2/token`, {
      ...form,
      client_secret: made.client_secret_hash,
    })
    expect([wrong.status, wrong.json.error]).toEqual([401, 'invalid_client'])

    const ended = await serving.stop()
    expect(ended).toMatchObject({ code: 0, stderr: '' })
    for (const value of [made.client_secret, made.client_secret_hash, hash])
      expect(ended.stdout).not.toContain(value)
    await database.remove()
  })
})

/** The reference file as production wants it: nobody has a plain password, no machine a plain secret. */
function productionFile(passwordHash: string, secretHash: string): string {
  return acme
    .replace(/^ {4}password: .*$/m, `    password_hash: "${passwordHash}"`)
    .replaceAll(/^ {4}password: .*\n/gm, '')
    .replaceAll(/^ {4}client_secret: .*$/gm, `    client_secret_hash: "${secretHash}"`)
}

async function signsIn({ url, issuer }: Serving, who: { email: string; password: string }): Promise<void> {
  const browser = new TestBrowser(url)
  const request = authorizeRequest()
  const visit = await signIn(browser, request.path, who)
  const { code = '', iss, state } = answerOf(visit)
  expect({ iss, state }).toEqual({ iss: issuer, state: request.parameters.state })
  expect([...browser.cookies.keys()].sort()).toEqual([
    '__Host-tessera-browser',
    '__Host-tessera-device',
    '__Host-tessera-session',
  ])
  const { json } = await post(`${url}/oauth2/token`, {
    grant_type: 'authorization_code',
    client_id: 'submissions-web',
    redirect_uri: request.parameters.redirect_uri ?? '',
    code,
    code_verifier: request.verifier,
  })
  for (const token of ['access_token', 'id_token']) expect(claimsOf(String(json[token])).iss).toBe(issuer)
}

async function refuses({ url }: Serving, who: { email: string; password: string }): Promise<void> {
  const page = await signIn(new TestBrowser(url), authorizeRequest().path, who)
  expect([page.status, page.location]).toEqual([400, undefined])
}
