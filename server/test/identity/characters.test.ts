/** A name's length and an address's dots are judged alike by every door: API, command, import, declared file, pages. */
import { Readable } from 'node:stream'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { importRows } from '../../dist/import/rows.js'
import { readSource } from '../../dist/import/source.js'
import type { FieldProblem } from '../../dist/protocol/problem.js'
import { acme as acmeUuid, Administrator, startAdministered } from '../administration/support.ts'
import { runHere } from '../cli/command-support.ts'
import { acme, edited, parse, refusal } from '../declared/support.ts'
import { formOn, TestBrowser } from '../harness/browser.ts'
import type { Tessera } from '../harness/harness.ts'
import { withStore } from '../harness/program.ts'

const password = 'correct horse battery lena'
const longest = '\u{1F600}'.repeat(200)
const tooLong = `${longest}\u{1F600}`
const words = 'is longer than 200 characters'

let tessera: Tessera
let admin: Administrator
beforeAll(async () => {
  tessera = await startAdministered('sqlite', { TESSERA_LIMIT_SIGN_IN_ADDRESS: '0' })
  admin = await Administrator.machine(tessera.url)
})
afterAll(() => tessera.close())

let made = 0
const someone = () => `somebody-${++made}@acme.example`
const command = async (commandLine: string[], input = '') =>
  await runHere(commandLine, {
    environment: { TESSERA_DATABASE_URL: tessera.databaseUrl, TESSERA_ISSUER: tessera.url },
    input,
  })

/** What is refused of an import of this row. */
async function imported(email: string, name: string): Promise<string[]> {
  const refused: string[] = []
  const rows = Readable.from([Buffer.from(`${JSON.stringify({ email, name })}\n`)])
  const parts = {
    name: 'people.jsonl',
    dryRun: false,
    by: { actor: { kind: 'command', id: 'test' } } as const,
    now: tessera.clock.now,
    encryptTotp: () => '',
    rpId: () => 'localhost',
    progress: () => undefined,
    refused: (_row: unknown, problems: readonly FieldProblem[]) =>
      void refused.push(...problems.map(({ field, detail }) => `${field}: ${detail}`)),
  }
  await withStore(tessera, async (store) => {
    await importRows(store, await readSource(rows), parts, () => false)
  })
  return refused
}

const declared = (email: string, name: string) =>
  `users:\n  - { email: ${JSON.stringify(email)}, name: ${JSON.stringify(name)} }\n`

async function onPage(name: string): Promise<{ status: number; body: string }> {
  const person = { email: someone(), password }
  expect((await admin.post('/users', { ...person, name: 'Somebody' })).status).toBe(201)
  const browser = new TestBrowser(tessera.url)
  await browser.submit(await browser.open('/account'), person)
  const page = await browser.open('/account/person')
  const { csrf = '' } = formOn(page).hidden
  const form = { csrf, do: 'save', name, locale: '', zoneinfo: '' }
  return await browser.follow(await browser.request(page.url, { form }))
}

it('takes a name of 200 emoji at every door', async () => {
  const email = someone()
  const answer = await admin.post('/users', { email, name: longest, given_name: longest })
  expect([answer.status, answer.json.name]).toEqual([201, longest])
  const organisation = { code: 'emoji', name: longest }
  expect((await admin.post('/organisations', organisation)).status).toBe(201)
  expect((await command(['user', 'create', someone(), '--name', longest])).code).toBe(0)
  expect(await imported(someone(), longest)).toEqual([])
  expect(parse(declared(someone(), longest)).users).toHaveLength(1)
  expect((await onPage(longest)).status).toBe(200)
  expect((await admin.get(`/users?q=${encodeURIComponent(longest)}`)).status).toBe(200)
})

it('refuses one more in one way', async () => {
  const detail = `It ${words}.`
  const answer = await admin.post('/users', { email: someone(), name: tooLong })
  expect([answer.status, answer.json.errors]).toEqual([400, [{ field: 'name', detail }]])
  const organisation = await admin.patch(`/organisations/${acmeUuid}`, { name: 'x'.repeat(201) })
  expect([organisation.status, organisation.json.errors]).toEqual([400, [{ field: 'name', detail }]])
  const typed = await command(['user', 'create', someone(), '--name', tooLong])
  expect([typed.code, typed.stderr]).toEqual([1, expect.stringContaining(words)])
  expect(await imported(someone(), tooLong)).toEqual([`name: ${detail}`])
  expect(await refusal(() => parse(declared(someone(), tooLong)))).toEqual([expect.stringContaining(words)])
  const page = await onPage(tooLong)
  expect([page.status, page.body.includes('at most 200 characters')]).toEqual([400, true])
  const search = await admin.get(`/users?q=${encodeURIComponent(tooLong)}`)
  expect([search.status, search.json.errors]).toEqual([400, [{ field: 'q', detail }]])
})

it('never shows half an emoji of what it refuses', async () => {
  for (const text of [`x${tooLong}`, tooLong]) {
    const [problem = ''] = await refusal(() =>
      parse(edited(acme, ['name: Acme Importer', `name: ${JSON.stringify(text)}`])),
    )
    expect(problem).toContain('\u{1F600}…')
    expect(problem).not.toMatch(/\\u|\p{Cs}/u)
    const { json } = await admin.post('/users', { email: someone(), name: 'x', [text]: 1 })
    expect(JSON.stringify(json.errors)).not.toMatch(/\\u|\p{Cs}/u)
  }
})

const taken = ['.first@dots.example', 'last.@dots.example', 'be..tween@dots.example', '...@dots.example']
const refused = [
  'x@.first.example',
  'x@last.example.',
  'x@be..tween.example',
  'x@-dash.example',
  '@dots.example',
]

it.each(taken)('takes the address %s at every door', async (address) => {
  const at = (door: string) => address.replace('@', `@${door}.`)
  expect((await admin.post('/users', { email: at('api'), name: 'Dot', password })).status).toBe(201)
  const invited = { email: at('invited'), profiles: [{ role_code: 'reader', organisation_uuid: acmeUuid }] }
  expect((await admin.post('/invitations', invited)).status).toBe(201)
  expect((await command(['user', 'create', at('command'), '--name', 'Dot'])).code).toBe(0)
  expect(await imported(at('import'), 'Dot')).toEqual([])
  expect(parse(declared(at('file'), 'Dot')).users).toHaveLength(1)
  const browser = new TestBrowser(tessera.url)
  const page = await browser.submit(await browser.open('/account'), { email: at('api'), password })
  expect([page.status, new URL(page.url).pathname]).toEqual([200, '/account'])
})

it.each(refused)('refuses the address %s at every door in one way', async (address) => {
  const words = 'is no e-mail address'
  for (const [path, body] of [
    ['/users', { email: address, name: 'Dot' }],
    ['/invitations', { email: address }],
  ] as const) {
    const { status, json } = await admin.post(path, body)
    expect([status, json.errors]).toEqual([400, [{ field: 'email', detail: `It ${words}.` }]])
  }
  const typed = await command(['user', 'create', address, '--name', 'Dot'])
  expect([typed.code, typed.stderr]).toEqual([1, expect.stringContaining(words)])
  expect(await imported(address, 'Dot')).toEqual([`email: It ${words}.`])
  expect(await refusal(() => parse(declared(address, 'Dot')))).toEqual([expect.stringContaining(words)])
})

it('counts the characters of an address before its @ alike', async () => {
  const email = (count: number) => `${'\u{1F600}'.repeat(count)}@many.example`
  expect((await admin.post('/users', { email: email(64), name: 'Many' })).status).toBe(201)
  expect(await imported(email(65), 'Many')).toEqual(['email: It is no e-mail address.'])
})
