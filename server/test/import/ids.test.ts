/** What people were known by elsewhere: `uuid`, which becomes their `sub`, and `former_sub`, which becomes a claim. */
import { beforeAll, expect, it } from 'vitest'
import { Administrator, administeredOn, users } from '../administration/support.ts'
import { claimsOf, tokensFor } from '../harness/browser.ts'
import { onEachDatabase } from '../harness/databases.ts'
import { usersOf } from '../harness/states.ts'
import { importText, lines, password, password_hash } from './support.ts'

const profiles = [{ role: 'importer', organisation: 'acme' }]
const uuidOf = (number: number) => `7c9e6679-7425-40de-944b-e07fc1f9${String(number).padStart(4, '0')}`
const person = (name: string, more: object) => ({
  email: `${name}@ids.example`,
  name,
  password_hash,
  profiles,
  ...more,
})

onEachDatabase('an import of ids', (dialect) => {
  const tessera = administeredOn(dialect)
  let admin: Administrator
  const imported = (...rows: object[]) => importText(tessera, lines(rows))
  const refusal = async (...rows: object[]) => {
    const dry = await importText(tessera, lines(rows), { dryRun: true })
    const done = await imported(...rows)
    expect(done).toEqual(dry)
    return done.refused.map((one) => `${one.at}: ${one.reasons}`)
  }
  beforeAll(async () => {
    admin = await Administrator.machine(tessera.url)
    const rows = [
      person('kept', { uuid: uuidOf(1) }),
      person('named', { former_sub: 'auth0|5f7c8ec7c33c6c004bbafe82' }),
      person('gone', { uuid: uuidOf(2) }),
    ]
    expect(await imported(...rows)).toMatchObject({ imported: 3, refused: [] })
    expect(await imported(...rows)).toMatchObject({ imported: 0, already: 3, refused: [] })
  })

  it('keeps the sub, and tells the former one with the scope profile alone', async () => {
    const tokens = async (name: string, scope: string) =>
      claimsOf(
        (await tokensFor(tessera.url, { email: `${name}@ids.example`, password }, { changes: { scope } }))
          .id_token,
      )
    const kept = await tokens('kept', 'openid profile')
    expect(kept.sub).toBe(uuidOf(1))
    expect(kept).not.toHaveProperty('former_sub')
    const named = await tokens('named', 'openid profile')
    expect(named.former_sub).toBe('auth0|5f7c8ec7c33c6c004bbafe82')
    expect(named.sub).toMatch(/^[0-9a-f-]{36}$/)
    expect(await tokens('named', 'openid email')).not.toHaveProperty('former_sub')
  })

  it('is shown by the administration API, which never sets it', async () => {
    const found = (await usersOf(tessera)).find(({ email }) => email === 'named@ids.example')
    const shown = await admin.get(`/users/${found?.uuid ?? ''}`)
    expect(shown.json.former_sub).toBe('auth0|5f7c8ec7c33c6c004bbafe82')
    const set = await admin.patch(`/users/${found?.uuid ?? ''}`, { former_sub: 'mine' })
    expect(set.status).toBe(400)
    const made = await admin.post('/users', { email: 'x@ids.example', name: 'X', uuid: uuidOf(77) })
    expect(made.status).toBe(400)
  })

  it('refuses a uuid that a person ever had here, or a client has', async () => {
    expect((await admin.delete(`/users/${uuidOf(2)}`)).status).toBe(204)
    const type = 'public'
    const client = {
      client_id: uuidOf(3),
      client_name: 'Moved',
      type,
      scope: 'openid',
      redirect_uris: ['https://moved.example/callback'],
    }
    const made = await admin.post('/clients', client)
    expect([made.status, made.text]).toEqual([201, made.text])
    const refused = await refusal(
      person('a', { uuid: uuidOf(1) }),
      person('b', { uuid: uuidOf(2) }),
      // What was imported before, and removed.
      person('gone', { uuid: uuidOf(2) }),
      person('c', { uuid: uuidOf(3) }),
      person('d', { uuid: users.importer }),
      person('e', { former_sub: 'auth0|5f7c8ec7c33c6c004bbafe82' }),
    )
    expect(refused).toEqual([
      expect.stringMatching(/^1 uuid: Somebody has this uuid already/),
      expect.stringMatching(/^2 uuid: Somebody had this uuid who was removed/),
      expect.stringMatching(/^3 uuid: This uuid is there twice; first on line 2/),
      expect.stringMatching(/^4 uuid: A client has it/),
      expect.stringMatching(/^5 uuid: Somebody has this uuid already/),
      expect.stringMatching(/^6 former_sub: Somebody has this former_sub already/),
    ])
    expect(await refusal(person('gone', { uuid: uuidOf(2) }))).toEqual([
      expect.stringMatching(/^1 uuid: Somebody had this uuid who was removed/),
    ])
    // Without it they come back, as somebody new.
    expect(await imported(person('gone', {}))).toMatchObject({ imported: 1, refused: [] })
  })

  it('refuses what is twice in a file, also far apart', async () => {
    const between = Array.from({ length: 210 }, (_, index) => ({ email: `m${index}@ids.example`, name: 'M' }))
    const refused = await refusal(
      person('f', { uuid: uuidOf(4), former_sub: 'f' }),
      ...between,
      person('g', { uuid: uuidOf(4) }),
      person('h', { former_sub: 'f' }),
    )
    expect(refused).toEqual([
      '212 uuid: This uuid is there twice; first on line 1.',
      '213 former_sub: It is there twice; first on line 1.',
    ])
  })

  it.each([
    ['uuid', uuidOf(5).toUpperCase(), /small letters/],
    ['uuid', `{${uuidOf(5)}}`, /no UUID/],
    ['uuid', uuidOf(5).replaceAll('-', ''), /no UUID/],
    ['uuid', `urn:uuid:${uuidOf(5)}`, /no UUID|at most/],
    ['uuid', '', /no UUID/],
    ['uuid', 7, /string/],
    ['former_sub', '', /empty/],
    ['former_sub', 'x'.repeat(256), /255/],
    ['former_sub', 'a\nb', /control/],
    ['former_sub', { a: 1 }, /string/],
  ])('refuses %s: %j', async (field, value, reason) => {
    const [line = '', ...more] = await refusal(person('wrong', { [field]: value }))
    expect([line.slice(0, field.length + 2), more]).toEqual([`1 ${field}`, []])
    expect(line).toMatch(reason)
  })
})
