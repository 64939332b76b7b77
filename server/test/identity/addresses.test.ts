/** One mailbox, one account: what looks like another address is refused, and what is the same is one (decisions 10). */
import { Readable } from 'node:stream'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { importRows } from '../../dist/import/rows.js'
import { readSource } from '../../dist/import/source.js'
import { emailKey, emailProblem } from '../../dist/protocol/email-address.js'
import type { FieldProblem } from '../../dist/protocol/problem.js'
import { Administrator, startAdministered } from '../administration/support.ts'
import { runHere } from '../cli/command-support.ts'
import { onEachDatabase, oneDatabase } from '../harness/databases.ts'
import { acme, parse, refusal } from '../declared/support.ts'
import type { Tessera } from '../harness/harness.ts'
import { lookAlikes, sameMailboxes, usual } from './look-alike-addresses.ts'
import { withStore } from '../harness/program.ts'
import { countOf } from '../harness/states.ts'
import { trySignIn } from './throttling-support.ts'

const password = 'correct horse battery lena'

onEachDatabase('the address of a person', (dialect) => {
  const onOne = oneDatabase(dialect)
  // The key, which is made of the text, makes addresses one: a few on PostgreSQL stand for all.
  const some = sameMailboxes.filter(([what]) => ['case', 'NFC', 'IDNA in capitals'].includes(what))
  let tessera: Tessera
  let admin: Administrator
  beforeAll(async () => {
    // Everybody tries to sign in from here.
    tessera = await startAdministered(dialect, { TESSERA_LIMIT_SIGN_IN_ADDRESS: '0' })
    admin = await Administrator.machine(tessera.url)
    await create('lena@acme.example')
  })
  afterAll(() => tessera.close())

  const create = async (email: string) => await admin.post('/users', { email, name: 'Somebody', password })
  const command = async (commandLine: string[], input = '') =>
    await runHere(commandLine, { environment: { TESSERA_DATABASE_URL: tessera.databaseUrl }, input })
  /** What is refused of an import of this one. */
  async function imported(email: string): Promise<{ field: string; reason: string }[]> {
    const refused: { field: string; reason: string }[] = []
    const csv = Readable.from([Buffer.from(`email,name\n${email},Somebody\n`)])
    const parts = {
      name: 'people.csv',
      dryRun: false,
      by: { actor: { kind: 'command', id: 'test' } } as const,
      now: tessera.clock.now,
      encryptTotp: () => '',
      rpId: () => 'localhost',
      progress: () => undefined,
      refused: (_row: unknown, problems: readonly FieldProblem[]) => {
        refused.push(...problems.map(({ field, detail }) => ({ field, reason: detail })))
      },
    }
    await withStore(tessera, async (store) => {
      await importRows(store, await readSource(csv), parts, () => false)
    })
    return refused
  }
  const count = () => countOf(tessera, 'users')

  // The text alone decides, before a database is asked.
  it.each(dialect === 'sqlite' ? lookAlikes : lookAlikes.slice(0, 1))(
    'is refused with %s, wherever it comes from, and no one signs in by it',
    async (_what, email, reason) => {
      const before = await count()
      const answer = await create(email)
      expect([answer.status, answer.json.error]).toEqual([400, 'invalid_request'])
      expect(answer.json.errors).toEqual([{ field: 'email', detail: expect.stringMatching(reason) }])
      const [lena] = await admin.all('/users?q=lena@acme.example')
      const path = `/users/${String(lena?.uuid)}`
      expect((await admin.patch(path, { email })).status).toBe(400)
      const contact = await admin.post('/clients', {
        client_id: 'x',
        client_name: 'x',
        type: 'public',
        contacts: [email],
      })
      expect(contact.json.errors).toContainEqual({
        field: 'contacts.0',
        detail: expect.stringMatching(reason),
      })
      expect(await imported(email)).toEqual([{ field: 'email', reason: expect.stringMatching(reason) }])
      const declared = acme.replace('importer@acme.example', JSON.stringify(email))
      expect(await refusal(() => parse(declared))).toContainEqual(expect.stringMatching(reason))
      expect((await trySignIn(tessera.url, { email, password })).status).toBe(400)
      expect(await count()).toBe(before)
    },
  )

  onOne.it.each(lookAlikes.slice(0, 2))(
    'is refused by the commands with %s',
    async (_what, email, reason) => {
      const made = await command(['user', 'create', email, '--name', 'Somebody'])
      expect({ code: made.code, stderr: made.stderr }).toEqual({
        code: 1,
        stderr: expect.stringMatching(reason),
      })
      const read = await command(['import', '-', '--format', 'csv'], `email,name\n${email},Somebody\n`)
      expect(read.code).not.toBe(0)
    },
  )

  it.each(dialect === 'sqlite' ? sameMailboxes : some)(
    'is one, however it is written: %s',
    async (_what, one, other) => {
      const made = await create(one)
      expect(made.status, made.text).toBe(201)
      for (const same of [one, other]) {
        expect((await create(same)).json).toMatchObject({ status: 409, errors: [{ field: 'email' }] })
        expect((await trySignIn(tessera.url, { email: ` ${same} `, password })).status).toBe(303)
        expect((await admin.all(`/users?q=${encodeURIComponent(same)}`)).map((row) => row.uuid)).toEqual([
          made.json.uuid,
        ])
      }
      const shown = await command(['user', 'show', other, '--json'])
      expect(JSON.parse(shown.stdout)).toMatchObject({ uuid: made.json.uuid })
      const [lena] = await admin.all('/users?q=lena@acme.example')
      expect((await admin.patch(`/users/${String(lena?.uuid)}`, { email: other })).status).toBe(409)
      const twice = `users:\n  - { email: ${JSON.stringify(one)}, name: A }\n  - { email: ${JSON.stringify(other)}, name: B }\n`
      expect(await refusal(() => parse(twice))).toEqual([expect.stringMatching(/^3: .* twice/)])
      expect(await imported(other)).toEqual([{ field: 'email', reason: expect.stringContaining('taken') }])
      // People keep their own way to write an address.
      const path = `/users/${String(made.json.uuid)}`
      expect((await admin.patch(path, { email: other })).json).toMatchObject({ email: other })
      expect((await admin.delete(path, (await admin.get(path)).etag)).status).toBe(204)
    },
  )

  it.each(dialect === 'sqlite' ? usual : usual.slice(0, 1))('may be %s', async (email) => {
    const made = await create(email)
    expect(made.status, made.text).toBe(201)
    expect((await trySignIn(tessera.url, { email, password })).status).toBe(303)
  })

  it('is found by the beginning of its domain as people write it', async () => {
    await create('ines@m\u00FCnchen.example')
    for (const q of ['ines@m\u00FC', 'INES@M\u00DCNCHEN', 'ines@xn--mnchen-3ya', 'ines@xn--mnchen-3ya.ex'])
      expect((await admin.all(`/users?q=${encodeURIComponent(q)}`)).length, q).toBe(1)
  })
})

it('keys of addresses are addresses that have the same key, whatever was typed', () => {
  for (const email of [...usual, ...sameMailboxes.flatMap(([, one, other]) => [one, other])]) {
    expect([email, emailProblem(email)]).toEqual([email, undefined])
    expect(emailKey(emailKey(email))).toBe(emailKey(email))
    expect(emailKey(email)).toBe(emailKey(email).toLowerCase())
  }
  for (const typed of [
    '',
    '@',
    'x',
    '@@',
    'a@',
    ' @b ',
    'a@\u{10FFFF}',
    '\uD800@\uD800',
    'a@%00',
    'x'.repeat(5000),
  ])
    expect(typeof emailKey(typed)).toBe('string')
})
