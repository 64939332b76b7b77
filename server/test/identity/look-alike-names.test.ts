/** Names that people decide by, such as those on a consent page, show what they are (decisions 10). */
import { beforeAll, expect, it } from 'vitest'
import { acme as acmeUuid, Administrator, administeredOn } from '../administration/support.ts'
import { authorizeRequest, people, signIn, TestBrowser } from '../harness/browser.ts'
import { onOneDatabase } from '../harness/databases.ts'
import { changeClient, changeUser, renameRoles } from '../harness/states.ts'
import { acme, edited, parse, refusal } from '../declared/support.ts'

const deceiving: [what: string, character: string, told: string][] = [
  ['an override of the direction', '\u202E', 'U+202E'],
  ['an embedding', '\u202B', 'U+202B'],
  ['an isolate', '\u2067', 'U+2067'],
  ['a mark of the direction', '\u200F', 'U+200F'],
  ['a zero-width space', '\u200B', 'U+200B'],
  ['a soft hyphen', '\u00AD', 'U+00AD'],
  ['a byte order mark', '\uFEFF', 'U+FEFF'],
  ['a tag', '\u{E0041}', 'U+E0041'],
  ['a Hangul filler', '\u3164', 'U+3164'],
  ['a separator of lines', '\u2028', 'U+2028'],
  ['an annotation', '\uFFFA', 'U+FFFA'],
]

onOneDatabase('a name', (dialect) => {
  const tessera = administeredOn(dialect)
  let admin: Administrator
  beforeAll(async () => {
    admin = await Administrator.machine(tessera.url)
  })

  /** What has a name, with all else that it needs. */
  const named = (name: string): [path: string, field: string, body: object][] => [
    ['/organisations', 'name', { code: 'new', name }],
    ['/units', 'name', { organisation_uuid: acmeUuid, code: 'new', name }],
    ['/roles', 'name', { code: 'new', name, permissions: [] }],
    ['/services', 'name', { code: 'new', name, audience: 'https://new.example' }],
    ['/permissions', 'description', { code: 'ledger.new.read', description: name }],
    ['/users', 'name', { email: 'new@acme.example', name }],
    ['/users', 'given_name', { email: 'new@acme.example', name: 'New', given_name: name }],
    ['/users', 'preferred_username', { email: 'new@acme.example', name: 'New', preferred_username: name }],
    ['/clients', 'client_name', { client_id: 'new', type: 'machine', client_name: name }],
  ]

  it.each(deceiving)('is refused with %s, whatever it is of', async (_what, character, told) => {
    for (const [path, field, body] of named(`Acme${character} knaB`)) {
      const answer = await admin.post(path, body)
      expect([path, answer.status, answer.json.errors]).toEqual([
        path,
        400,
        [{ field, detail: expect.stringContaining(told) }],
      ])
    }
    expect((await admin.patch(`/organisations/${acmeUuid}`, { name: `A${character}B` })).status).toBe(400)
    const file = edited(acme, ['name: Acme Importer', `name: ${JSON.stringify(`Acme${character}knaB`)}`])
    const [problem = ''] = await refusal(() => parse(file))
    expect(problem).toContain(told)
    // Nor does the message itself turn what is read.
    expect(problem).not.toContain(character)
  })

  it.each([
    ['blanks', ' \u00A0\u3000'],
    ['joiners', '\u200C\u200D'],
    ['a blank of Braille', '\u2800'],
    ['selectors of variations', '\uFE0F\u{E0100}'],
  ])('is not there when it is made of %s', async (_what, name) => {
    for (const [path, , body] of named(name)) expect((await admin.post(path, body)).status, path).toBe(400)
  })

  it.each([
    ['Persian', '\u0645\u06CC\u200C\u062E\u0648\u0627\u0647\u0645'],
    ['Devanagari', '\u0915\u094D\u200D\u0937'],
    ['emoji', 'Team \u{1F469}\u200D\u{1F4BB} \u2764\uFE0F'],
    ['Japanese names', '\u845B\u{E0100}\u57CE'],
    ['Hebrew', '\u05D0\u05E7\u05DE\u05D4'],
  ])('may be %s', async (_what, name) => {
    const made = await admin.post('/roles', { code: 'spoken', name, permissions: [] })
    expect([made.status, made.json.name]).toEqual([201, name])
    expect((await admin.delete('/roles/spoken', made.etag)).status).toBe(204)
  })

  it('from before the rule shows on no page what it is not', async () => {
    const partner = {
      client_id: 'partner-portal',
      redirect_uri: 'https://partner.example/callback?tenant=1',
      scope: 'openid profile',
    }
    await changeClient(tessera, 'partner-portal', { client_name: '\u202Eknab ruoY\u200B' })
    await changeUser(tessera, people.importer.email, { name: 'Imp\u2066orter' })
    await renameRoles(tessera, '\u202Eredaer')
    const browser = new TestBrowser(tessera.url)
    const asked = await browser.open(authorizeRequest(partner).path)
    expect(asked.body).toContain('knab ruoY')
    const consent = await signIn(browser, authorizeRequest(partner).path, people.importer)
    expect(new URL(consent.url).pathname).toBe('/consent')
    expect(consent.body).toContain('Importer')
    const choice = await signIn(new TestBrowser(tessera.url), authorizeRequest(partner).path, people.both)
    expect(new URL(choice.url).pathname).toBe('/choose-profile')
    expect(choice.body).toContain('redaer')
    for (const { body } of [asked, consent, choice]) expect(body).not.toMatch(/[\u202E\u200B\u2066]/)
  })

  it('as a login_hint fills in what it shows, or nothing', async () => {
    const shown = async (login_hint: string) =>
      (await new TestBrowser(tessera.url).open(authorizeRequest({ login_hint }).path)).body
    expect(await shown('lena@acme.example')).toContain('value="lena@acme.example"')
    for (const [, character] of deceiving) {
      const body = await shown(`le${character}na@acme.example`)
      expect(body).not.toContain(character)
      expect(body).not.toContain('na@acme.example')
    }
  })
})
