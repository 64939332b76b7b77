/** Client ids as other systems have them, wherever an id is used: applications keep theirs when they move here. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Administrator, administeredOn, problemOf, profiles, recordsWith, users } from './support.ts'
import { complaintsOf, runHere, ways, type Way } from '../cli/command-support.ts'
import { answerOf, people, post, redirectUri } from '../harness/browser.ts'
import { onEachDatabase, oneDatabase } from '../harness/databases.ts'
import { cleanUp, temporaryFolder } from '../harness/process.ts'
import { token, tokensOf, userinfo, Visitor } from '../harness/program.ts'

const ids = [
  '3f2504e0-4f89-41d3-9a0c-0305e82c3301',
  'https://app.example/oidc?tenant=1&x=%20',
  'urn:example:apps:intranet',
  'api://intranet@acme.example/web',
  `https://app.example/${'long/'.repeat(34)}`,
]

const intranet = {
  client_name: 'Intranet',
  type: 'web',
  first_party: true,
  redirect_uris: [redirectUri],
  post_logout_redirect_uris: ['http://127.0.0.1:4001/'],
  scope: 'openid email profile offline_access service.api',
  services: ['submissions-tool'],
}
const permission = 'submissions-tool.vista-import.create'
const permitted = { permission, user_uuid: users.importer, profile_uuid: profiles.importer }

afterAll(cleanUp)

onEachDatabase('a client_id of another system', (dialect) => {
  const once = oneDatabase(dialect)
  const tessera = administeredOn(dialect, { TESSERA_LIMIT_CLIENT_AUTH: '0' })
  let admin: Administrator
  let person: Administrator
  let visitor: Visitor
  beforeAll(async () => {
    admin = await Administrator.machine(tessera.url)
    person = await Administrator.person(tessera.url, people.admin)
    visitor = new Visitor(tessera.url)
  })

  // What is asked about each is the same: on PostgreSQL the one with the most signs, and the longest.
  const some = dialect === 'sqlite' ? ids : [ids[1], ids[4]].map(String)
  describe.each(some)('%.40s', (id) => {
    const path = `/clients/${encodeURIComponent(id)}`
    let secret = ''
    beforeAll(async () => {
      const made = await admin.post('/clients', { ...intranet, client_id: id })
      expect([made.status, made.headers.get('location')]).toEqual([201, `/admin/v1${path}`])
      secret = String(made.json.client_secret)
    })
    const basic = (name = encodeURIComponent(id)) => ({
      authorization: `Basic ${Buffer.from(`${name}:${secret}`).toString('base64')}`,
    })

    it('is read, found, changed and removed by the API', async () => {
      expect((await admin.get(path)).json.client_id).toBe(id)
      const found = await admin.all(`/clients?q=${encodeURIComponent(id)}`)
      expect(found.map((one) => one.client_id)).toEqual([id])
      expect((await admin.patch(path, { client_name: 'Renamed' })).json.client_name).toBe('Renamed')
      const another = await admin.post(`${path}/secrets`, {})
      expect(another.headers.get('location')).toBe(`/admin/v1${path}/secrets/${String(another.json.id)}`)
      const { etag } = await admin.get(path)
      expect((await admin.delete(`${path}/secrets/${String(another.json.id)}`, etag)).status).toBe(204)
      const kinds = (await recordsWith(admin, encodeURIComponent(id))).map((record) => record.kind)
      expect(kinds).toEqual(expect.arrayContaining(['client.created', 'client.changed']))
      expect((await admin.delete(`${path}?dry_run=true`)).status).toBe(200)
      expect(problemOf(await admin.get(`${path}x`))).toBe('404 not_found')
    })

    it('is previewed and tried', async () => {
      const preview = await admin.post(`${path}/preview`, {
        user_uuid: users.importer,
        profile_uuid: profiles.importer,
      })
      expect(preview.status).toBe(200)
      expect(preview.text).toContain(JSON.stringify(id).slice(1, -1))
      const trial = await person.post(`${path}/trials`, {})
      expect(trial.status).toBe(201)
      expect(trial.headers.get('location')?.startsWith(`/admin/v1${path}/trials/`)).toBe(true)
    })

    it('signs in, exchanges by Basic and by the body, refreshes, asks and signs out', async () => {
      const code = await visitor.code({ client_id: id, scope: intranet.scope })
      const { client_id: _, ...form } = code
      const tokens = tokensOf(await token(tessera.url, form, basic()))
      expect((await userinfo(tessera.url, tokens.access_token)).status).toBe(200)
      const other = await visitor.code({ client_id: id })
      expect((await token(tessera.url, { ...other, client_secret: secret })).status).toBe(200)
      const refreshed = await token(
        tessera.url,
        { grant_type: 'refresh_token', refresh_token: tokens.refresh_token ?? '' },
        basic(),
      )
      expect(refreshed.status).toBe(200)
      const asked = await post(
        `${tessera.url}/oauth2/introspect`,
        { token: tokens.access_token ?? '' },
        basic(),
      )
      expect(asked.json).toMatchObject({ active: true, client_id: id })
      const consents = await admin.all(`/token-families?client_id=${encodeURIComponent(id)}`)
      expect(consents.length).toBeGreaterThan(0)
      expect(
        (await post(`${tessera.url}/oauth2/revoke`, { token: tokens.access_token ?? '' }, basic())).status,
      ).toBe(200)
      const query = new URLSearchParams({
        id_token_hint: tokens.id_token ?? '',
        client_id: id,
        post_logout_redirect_uri: 'http://127.0.0.1:4001/',
        state: 'x',
      })
      expect(answerOf(await visitor.browser.open(`/oauth2/logout?${query}`))).toEqual({ state: 'x' })
      visitor = new Visitor(tessera.url)
    })

    it('explains access, and its cure is at an address', async () => {
      await admin.patch(path, { active: false })
      const asked = { ...permitted, client_id: id, include: 'remedies' }
      const explained = await admin.get(`/access/explain?${new URLSearchParams(asked)}`)
      const [cure] = explained.json.remedies as {
        method: string
        path: string
        body: object
        allowed: boolean
      }[]
      expect(cure).toMatchObject({ method: 'PATCH', path, body: { active: true }, allowed: true })
      expect((await admin.patch(cure?.path ?? '', cure?.body)).status).toBe(200)
    })

    it.each<Way>(['database', 'http'])('is administered by the command, by %s', async (way) => {
      const run = async (...commandLine: string[]) =>
        await runHere(commandLine, { environment: ways[way](tessera) })
      const shown = await run('client', 'show', id, '--json')
      expect([shown.code, (JSON.parse(shown.stdout) as { client_id: string }).client_id]).toEqual([0, id])
      const changed = await run('client', 'change', id, '--client-name', `By ${way}`, '--override-file')
      expect([changed.code, complaintsOf(changed)]).toEqual([0, expect.anything()])
      const explained = await run(
        'access',
        'explain',
        permission,
        '--client',
        id,
        '--user',
        'importer@acme.example',
      )
      expect(explained.stdout).toMatch(/^Yes\./)
    })

    it('comes back by a declared file', async () => {
      const environment = ways.database(tessera)
      const file = join(temporaryFolder(), 'installation.yaml')
      const exported = await runHere(['export', file], { environment })
      expect([exported.code, complaintsOf(exported)]).toEqual([0, expect.anything()])
      expect(readFileSync(file, 'utf8')).toContain(id)
      expect(await runHere(['plan', file, '--json'], { environment })).toMatchObject({ code: 0 })
    })

    it('is told to encode it where a library joins it to the secret as it is', async () => {
      if (!id.includes(':')) return
      const answer = await token(tessera.url, { grant_type: 'refresh_token', refresh_token: 'x' }, basic(id))
      expect([answer.status, answer.json.error]).toEqual([401, 'invalid_client'])
      expect(answer.json.error_description).toMatch(/second colon.*percent-encode.*RFC 6749 2\.3\.1/)
    })
  })
  once.it.each([
    '',
    'we b',
    ' web',
    'web\n',
    'we"b',
    "we'b",
    'we<b>',
    'we\\b',
    'wéb',
    '-web',
    '/web',
    '..',
    'tessera:console',
    'tessera:mine',
    'Tessera:Mine',
    `https://app.example/${'a'.repeat(181)}`,
  ])('is not “%.30s”', async (client_id) => {
    const answer = await admin.post('/clients', { ...intranet, client_id })
    expect(problemOf(answer)).toBe('400 invalid_request client_id')
    const command = ['client', 'create', client_id, '--type', 'public', '--client-name', 'x']
    const made = await runHere([...command, '--redirect-uri', redirectUri, '--scope', 'openid'], {
      environment: ways.database(tessera),
    })
    expect(made.code).toBe(1)
  })

  once.it.each(ids)('is for clients of people: a machine is not “%.40s”', async (client_id) => {
    const machine = { client_id, client_name: 'Robot', type: 'machine', services: ['submissions-tool'] }
    const answer = await admin.post('/clients', { ...machine, permissions: [] })
    expect(problemOf(answer)).toBe('400 invalid_request client_id')
  })
})
