/** After a move from Keycloak people sign in with the old password and code, and applications go on with id and secret. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { importPKCS8, SignJWT } from 'jose'
import { Secret, TOTP } from 'otpauth'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { start } from '../../dist/server.js'
import { answerOf, authorizeRequest, claimsOf, post, TestBrowser } from '../harness/browser.ts'
import { createDatabase, onOneDatabase } from '../harness/databases.ts'
import { cleanUp, freePort, run, temporaryFolder } from '../harness/process.ts'
import { testSettings } from '../harness/settings.ts'

afterAll(cleanUp)

const exported = (name: string) => fileURLToPath(new URL(`exports/${name}`, import.meta.url))

interface Known {
  username: string
  id: string
  password?: string
  oldPasswordMustFail?: string
  totp?: { type: string; secretBase32: string; algorithm: string; digits: number; period: number }
}
/** What signed in to the Keycloak before it was exported. */
const known = JSON.parse(readFileSync(exported('keycloak-hafen-secrets.json'), 'utf8')) as {
  people: Known[]
  clients: { clientId: string; secret: string; privateKeyPem?: string }[]
}
const person = (username: string): Known => {
  const found = known.people.find((one) => one.username === username)
  if (found === undefined) throw new Error(`There is no ${username}.`)
  return found
}
const secretOf = (id: string) => known.clients.find((one) => one.clientId === id)?.secret ?? ''

interface Moved {
  url: string
  emails: ReadonlyMap<string, string>
  close(): Promise<void>
}

/** Moves in, as an operator does: by the command alone. */
async function moved(dialect: Parameters<typeof createDatabase>[0]): Promise<Moved> {
  const database = await createDatabase(dialect, 'tables')
  const out = join(temporaryFolder(), 'out')
  const environment = { TESSERA_DATABASE_URL: database.url, TESSERA_WEBAUTHN_RP_ID: 'localhost' }
  const done = async (...words: string[]) => {
    const { code, stdout, stderr } = await run(words, { environment })
    if (code !== 0) throw new Error(`${words[0]}: ${stdout}${stderr}`)
  }
  await done('move-in', 'keycloak', exported('keycloak-hafen.json'), '--out', out)
  const mapping = join(out, 'mapping.yaml')
  const edited = readFileSync(mapping, 'utf8').replace(
    'zeit-portal: []',
    'zeit-portal: [https://zeit.hafen.test/cb]',
  )
  writeFileSync(mapping, edited)
  await done('move-in', 'keycloak', exported('keycloak-hafen.json'), '--out', out)
  await done('apply', join(out, 'declared.yaml'), '--yes')
  await done('import', join(out, 'people.jsonl'))
  const rows = readFileSync(join(out, 'people.jsonl'), 'utf8').trim().split('\n')
  const people = rows.map((one) => JSON.parse(one) as { preferred_username: string; email: string })
  const port = await freePort()
  const settings = testSettings({ TESSERA_DATABASE_URL: database.url, TESSERA_PORT: String(port) })
  const running = await start({ ...settings, host: 'localhost' }, { now: Date.now })
  return {
    url: running.issuer,
    emails: new Map(people.map((one) => [one.preferred_username, one.email])),
    close: async () => {
      await running.close()
      await database.remove()
    },
  }
}

const spa = {
  client_id: 'kantine-web',
  redirect_uri: 'http://localhost:5173/callback',
  scope: 'openid profile email',
}

onOneDatabase('after a move from Keycloak', (dialect) => {
  let tessera: Moved
  beforeAll(async () => {
    tessera = await moved(dialect)
  })
  afterAll(() => tessera.close())

  /** The page after a password. */
  async function typed(username: string, password = person(username).password ?? '') {
    const request = authorizeRequest(spa)
    const browser = new TestBrowser(tessera.url)
    const email = tessera.emails.get(username) ?? ''
    return {
      request,
      browser,
      page: await browser.submit(await browser.open(request.path), { email, password }),
    }
  }

  const codeNow = ({ totp }: Known): string => {
    if (totp === undefined) throw new Error('There is no secret.')
    const { secretBase32, algorithm, digits, period } = totp
    return new TOTP({ secret: Secret.fromBase32(secretBase32), algorithm, digits, period }).generate()
  }

  it.each([
    'bjoern',
    'jörg',
    'clara',
    'dieter',
    'erika',
    'kurt',
    'emoji',
    'frank.totp',
    'gerda',
    'tina.codes',
  ])('%s signs in as before, and is the same subject', async (username) => {
    const visit = await typed(username)
    const one = person(username)
    let { page } = visit
    if (one.totp !== undefined) page = await visit.browser.submit(page, { code: codeNow(one) })
    const { code = '' } = answerOf(page)
    const { json } = await post(`${tessera.url}/oauth2/token`, {
      ...{ grant_type: 'authorization_code', code, code_verifier: visit.request.verifier },
      ...{ client_id: spa.client_id, redirect_uri: spa.redirect_uri },
    })
    expect(claimsOf(String(json.id_token))).toMatchObject({ sub: one.id, mandant: 'hafen' })
  })

  it('whoever is of two organisations chooses one', async () => {
    const { browser, page } = await typed('anna.bauer')
    expect(new URL(page.url).pathname).toBe('/choose-profile')
    expect(page.body).toContain('Reederei Nord')
    const [profile = ''] = /value="([0-9a-f-]{36})"/.exec(page.body)?.slice(1) ?? []
    expect(answerOf(await browser.submit(page, { profile_uuid: profile }))).toHaveProperty('code')
  })

  it.each([
    ['a wrong password', 'clara', 'Fischmarkt#513'],
    ['a former password', 'kurt', person('kurt').oldPasswordMustFail ?? ''],
    ['whoever was disabled', 'paula.aus', person('paula.aus').password ?? ''],
    ['whoever has a passkey alone', 'mira.pass', 'Nur-fuer-den-Anfang-1'],
    ['whoever had nothing', 'sven.leer', ''],
  ])('%s is refused', async (_, username, password) => {
    const { page } = await typed(username, password)
    expect(page.location).toBeUndefined()
    expect(page.body).not.toContain('name="code"')
  })

  it('a wrong code is refused', async () => {
    const visit = await typed('gerda')
    const right = codeNow(person('gerda'))
    const wrong = right.startsWith('1') ? `2${right.slice(1)}` : `1${right.slice(1)}`
    expect((await visit.browser.submitOnce(visit.page, { code: wrong })).status).toBe(400)
  })

  it.each([
    ['lena.frist', '/new-password'],
    ['otto.soll', '/enrol'],
    // The second factor of each stayed behind.
    ['heinz', '/enrol'],
  ])('%s has something to do first', async (username, path) => {
    const { page } = await typed(username)
    expect(new URL(page.url).pathname).toContain(path)
  })

  it('a machine goes on with its id and secret', async () => {
    const form = { grant_type: 'client_credentials', scope: 'service.api' }
    const asked = async (client_id: string, client_secret: string) =>
      await post(`${tessera.url}/oauth2/token`, { ...form, client_id, client_secret })
    const right = await asked('lager-sync', secretOf('lager-sync'))
    expect(claimsOf(String(right.json.access_token))).toMatchObject({
      sub: 'lager-sync',
      permissions: ['hafen.role.gast', 'hafen.role.schreiben', 'zeit-portal.role.auswerten'],
    })
    expect((await asked('lager-sync', `${secretOf('lager-sync')}x`)).status).toBe(401)
    expect((await asked('enge-app', 'eng-Geheim-9988776655')).json.error).toBe('unauthorized_client')
  })

  it('a machine goes on with its key', async () => {
    const { privateKeyPem = '' } = known.clients.find((one) => one.clientId === 'rechnung-jwt') ?? {}
    const id = 'machine-rechnung-jwt'
    const assertion = await new SignJWT({})
      .setProtectedHeader({ alg: 'RS256', kid: 'hafen-1' })
      .setIssuer(id)
      .setSubject(id)
      .setAudience(tessera.url)
      .setJti('one')
      .setIssuedAt()
      .setExpirationTime('1m')
      .sign(await importPKCS8(privateKeyPem, 'RS256'))
    const { status } = await post(`${tessera.url}/oauth2/token`, {
      ...{ grant_type: 'client_credentials', scope: 'service.api', client_assertion: assertion },
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
    })
    expect(status).toBe(200)
  })

  it('a web application goes on with its id and secret, without PKCE', async () => {
    const redirect_uri = 'https://zeit.hafen.test/cb'
    const request = authorizeRequest({
      ...{ client_id: 'zeit-portal', redirect_uri, scope: 'openid profile email' },
      ...{ code_challenge: undefined, code_challenge_method: undefined },
    })
    const browser = new TestBrowser(tessera.url)
    const { password = '', id } = person('bjoern')
    const email = tessera.emails.get('bjoern') ?? ''
    const page = await browser.submit(await browser.open(request.path), { email, password })
    const basic = Buffer.from(`zeit-portal:${secretOf('zeit-portal')}`).toString('base64')
    const { json } = await post(
      `${tessera.url}/oauth2/token`,
      { grant_type: 'authorization_code', code: answerOf(page).code ?? '', redirect_uri },
      { authorization: `Basic ${basic}` },
    )
    expect(claimsOf(String(json.id_token))).toMatchObject({ sub: id, aud: 'zeit-portal' })
  })
})
