import { beforeAll, describe, expect, it } from 'vitest'
import { accentColours, accentProblem, contrastOf } from '../../dist/protocol/branding.js'
import { accentPath, accentSheet } from '../../dist/pages/accent.js'
import { authorizeRequest, people, TestBrowser } from '../harness/browser.ts'
import { onEachDatabase, oneDatabase } from '../harness/databases.ts'
import { changeClient } from '../harness/states.ts'
import { acme, administeredOn, Administrator, problemOf, recordsWith } from './support.ts'

/** How an organisation looks to who signs in: by what it may set, never by markup. */
onEachDatabase('branding by the administration API', (dialect) => {
  const once = oneDatabase(dialect)
  const tessera = administeredOn(dialect)
  const path = `/organisations/${acme}`
  const branding = {
    name: 'Acme & Söhne',
    accent_color: '#7a1f5c',
    help_uri: 'https://acme.example/help',
    policy_uri: 'https://acme.example/privacy',
    tos_uri: 'https://acme.example/terms',
  }
  let all: Administrator
  let ofAcme: Administrator

  beforeAll(async () => {
    all = await Administrator.machine(tessera.url)
    ofAcme = await Administrator.machine(tessera.url, 'acme-cli')
  })

  it('is set, merged and taken away, by who administers the organisation', async () => {
    const set = await ofAcme.patch(path, { branding })
    expect([set.status, set.json.branding]).toEqual([200, branding])
    const merged = await ofAcme.patch(path, { branding: { help_uri: null } })
    const { help_uri: _, ...others } = branding
    expect(merged.json.branding).toEqual(others)
    expect((await all.patch(path, { branding: null })).json.branding).toBeNull()
  })

  once.it.each([
    { name: '' },
    { name: 'x'.repeat(61) },
    { name: 'Acme\u202egnp.exe' },
    { accent_color: 'red' },
    { accent_color: '#1f5f58;}body{display:none' },
    { accent_color: '#1f5' },
    { help_uri: 'javascript:alert(1)' },
    { tos_uri: 'data:text/html,x' },
    { logo: 'javascript:alert(1)' },
    { logo_dark: 'http://acme.example/logo.png' },
    { policy_uri: 'http://acme.example/' },
    { logo: '<svg onload=alert(1)>' },
    'acme',
  ])('is refused: %j', async (wrong) => {
    const { status, json } = await ofAcme.patch(path, { branding: wrong })
    expect([status, json.error]).toEqual([400, 'invalid_request'])
  })

  once.it('names the contrast of a colour that can not be read', async () => {
    const { status, json } = await ofAcme.patch(path, { branding: { accent_color: '#7fcdc1' } })
    expect(status).toBe(400)
    expect(JSON.stringify(json)).toContain('has a contrast of 1.66:1 to the page, and needs 4.5:1')
  })

  it('is on the pages of its clients, and on no other', async () => {
    await all.patch(path, { branding: { ...branding, name: '<b>Acme</b>' } })
    const client = '/clients/submissions-web'
    await all.patch(client, { organisation_uuid: acme })
    const browser = new TestBrowser(tessera.url)
    const page = await browser.open(authorizeRequest().path)
    expect(page.body).toContain('<bdi translate="no">&lt;b&gt;Acme&lt;/b&gt;</bdi>')
    expect(page.body).toContain('– &lt;b&gt;Acme&lt;/b&gt;</title>')
    expect(page.body).toContain(`<link rel="stylesheet" href="${accentPath(branding.accent_color)}"/>`)
    expect(page.body).toContain('<a href="https://acme.example/privacy" rel="noreferrer">Privacy</a>')
    expect(page.headers.get('content-security-policy')).toContain("style-src 'self'")
    const wrong = await browser.submit(page, { ...people.importer, password: 'x' })
    expect([wrong.status, wrong.body.includes('&lt;b&gt;Acme')]).toEqual([400, true])
    const sheet = await browser.request(accentPath(branding.accent_color))
    expect([sheet.status, sheet.headers.get('content-type')]).toEqual([200, 'text/css; charset=utf-8'])
    // Whose organisation it is can't be said by an address, nor told from one.
    await all.patch(client, { organisation_uuid: null })
    const plain = await new TestBrowser(tessera.url).open(
      authorizeRequest({ login_hint: 'importer@acme.example' }).path,
    )
    expect(plain.body).not.toMatch(/Acme<\/b>|\/assets\/accent/)
    await all.patch(path, { branding: null })
  })
})

onEachDatabase('branding of the installation', (dialect) => {
  const once = oneDatabase(dialect)
  const tessera = administeredOn(dialect)
  const branding = { name: 'Harbour & Sons', accent_color: '#7a1f5c', help_uri: 'https://harbour.example/' }
  const unset = { logo: null, logo_dark: null, policy_uri: null, tos_uri: null, managed_by: null }
  let all: Administrator

  const put = async (by: Administrator, body: unknown) =>
    await by.ask('PUT', '/branding', { body, match: (await all.get('/branding')).etag })

  beforeAll(async () => {
    all = await Administrator.machine(tessera.url)
    for (const client of ['acme-cli', 'onlooker-cli'])
      await changeClient(tessera, client, { permissions: '["iam.branding.read"]' })
    await changeClient(tessera, 'acme-cli', {
      permissions: '["iam.branding.read","iam.branding.update","iam.organisations.update"]',
    })
  })

  it('is set as a whole, on condition of what was read, and told to the audit', async () => {
    expect(problemOf(await all.ask('PUT', '/branding', { body: branding }))).toBe('428 precondition_required')
    expect((await put(all, branding)).json).toEqual({ ...unset, ...branding })
    const { help_uri: _, ...others } = branding
    expect((await put(all, { ...others, tos_uri: null })).json).toEqual({
      ...unset,
      ...others,
      help_uri: null,
    })
    const [, last] = await recordsWith(all, 'installation')
    expect(last).toMatchObject({ kind: 'branding.changed', before: { help_uri: branding.help_uri } })
  })

  once.it.each([
    { name: '' },
    { accent_color: '#1f5f58;}body{display:none' },
    { logo: 'javascript:alert(1)' },
    { logo: '<svg onload=alert(1)>' },
    { managed_by: null },
    [],
  ])('refuses %j', async (wrong) => {
    expect((await put(all, wrong)).status).toBe(400)
  })

  it('is no business of an organisation, nor of who may only look', async () => {
    for (const client of ['acme-cli', 'onlooker-cli'] as const) {
      const by = await Administrator.machine(tessera.url, client)
      expect((await by.get('/branding')).status).toBe(200)
      expect((await put(by, branding)).status).toBe(403)
    }
  })

  it('is on every page where no organisation has its own, and in the words of no password', async () => {
    await put(all, branding)
    const browser = new TestBrowser(tessera.url)
    const request = authorizeRequest().path
    for (const path of ['/', request, '/account', '/nothing', '/device', '/oauth2/logout'])
      expect((await browser.open(path)).body, path).toContain('Harbour &amp; Sons</bdi>')
    await all.patch('/clients/submissions-web', { organisation_uuid: acme })
    const path = `/organisations/${acme}`
    await all.patch(path, { branding: { name: 'Acme' } })
    const page = await new TestBrowser(tessera.url).open(request)
    expect(page.body).toContain('<bdi translate="no">Acme</bdi>')
    expect(page.body).not.toMatch(/Harbour|\/assets\/accent/)
    const password = { email: 'words@acme.example', name: 'Words', password: 'harbour1999' }
    expect(problemOf(await all.post('/users', password))).toBe('400 invalid_request password')
    await all.patch(path, { branding: null })
    await put(all, {})
    expect((await all.post('/users', password)).status).toBe(201)
  })
})

describe('an accent colour', () => {
  it.each(['7fcdc1.css', '1f5f58', '1f5f58.js', '../x.css', '1f5f58;}.css', '%31f5f58.css'])(
    'has no style sheet %s',
    (file) => {
      expect(accentSheet(file)).toBeUndefined()
    },
  )

  it('can be read wherever it is, by day and by night', () => {
    const channel = ['00', '3c', '80', 'c0', 'ff']
    const all = channel.flatMap((r) => channel.flatMap((g) => channel.map((b) => `#${r}${g}${b}`)))
    const fine = all.filter((accent) => accentProblem(accent) === undefined)
    expect(fine.length).toBeGreaterThan(20)
    for (const accent of fine) {
      const { day, night } = accentColours(accent)
      for (const { colours, grounds } of [
        { colours: day, grounds: ['#ffffff', '#f5f3ee', day.soft, day.ink] },
        { colours: night, grounds: ['#1a1e1d', '#121514', night.soft, night.ink] },
      ])
        for (const ground of grounds)
          expect(contrastOf(colours.accent, ground), accent).toBeGreaterThanOrEqual(4.49)
    }
  })

  it('is measured as WCAG does', () => {
    expect(contrastOf('#000000', '#ffffff')).toBe(21)
    expect(contrastOf('#777777', '#ffffff')).toBeCloseTo(4.48, 2)
    expect(accentProblem('#777777')).toMatch(/^has a contrast of 4\.03:1/)
    expect(accentProblem('#1f5f58')).toBeUndefined()
  })
})
