import { beforeAll, expect, it } from 'vitest'
import { onEachDatabase } from '../harness/databases.ts'
import { machineToken } from '../harness/program.ts'
import { secretsOf } from '../harness/states.ts'
import { people, signIn, TestBrowser, authorizeRequest } from '../harness/browser.ts'
import { acme, Administrator, administeredOn, globex, heads, users } from './support.ts'

const formula = '=HYPERLINK("https://evil.example";"Click")'

/** Every list is a file too, of what the list itself shows to whoever asks. */
onEachDatabase('lists as files', (dialect) => {
  const tessera = administeredOn(dialect)
  let admin: Administrator
  let webhook = ''
  beforeAll(async () => {
    await signIn(new TestBrowser(tessera.url), authorizeRequest().path, people.importer)
    admin = await Administrator.machine(tessera.url)
    const made = await admin.post('/users', { email: 'formula@acme.example', name: formula })
    expect(made.status).toBe(201)
    const hook = await admin.post('/webhooks', {
      url: 'https://siem.acme.example/tessera',
      kinds: ['sign_out'],
    })
    webhook = String(hook.json.uuid)
  })

  const own = `/users/${users.importer}`
  const lists: [path: string, column: string][] = [
    ['/users', 'last_sign_in_on'],
    ['/profiles', 'role_code'],
    ['/clients', 'client_id'],
    ['/organisations', 'code'],
    ['/units', 'parent_uuid'],
    ['/roles', 'permissions'],
    ['/services', 'audience'],
    ['/permissions', 'description'],
    ['/invitations', 'email'],
    ['/webhooks', 'url'],
    ['/webhooks/:webhook/deliveries', 'state'],
    ['/sessions', 'browser'],
    ['/token-families', 'scope'],
    ['/consents', 'granted_at'],
    ['/mails', 'recipient'],
    ['/keys', 'kid'],
    ['/upstreams', 'kind'],
    ['/directories', 'name'],
    ['/domains', 'name'],
    ['/upstream-invitations', 'state'],
    [`${own}/factors`, 'kind'],
    [`${own}/links`, 'upstream_uuid'],
    [`${own}/trusted-devices`, 'proved_at'],
  ]
  const at = (path: string) => path.replace(':webhook', webhook)

  it.each(lists)('%s', async (path, column) => {
    const name = path.slice(path.lastIndexOf('/') + 1)
    const csv = await admin.get(`${at(path)}?format=csv&limit=1`)
    expect([csv.status, csv.headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8'])
    expect(csv.headers.get('content-disposition')).toContain(`"${name}.csv"`)
    const [head = '', ...rows] = csv.text.split('\r\n')
    expect(head.split(',')).toContain(column)
    const items = await admin.all(at(path))
    expect(rows.length).toBeGreaterThan(items.length)
    const lines = (await admin.get(`${at(path)}?format=jsonl`)).text.split('\n').slice(0, -1)
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual(items)
    // What it shows is what its columns are.
    for (const item of items)
      expect(Object.keys(item).filter((key) => !head.split(',').includes(key))).toEqual([])
    for (const [, secret] of await secretsOf(tessera, users.importer)) expect(csv.text).not.toContain(secret)
    expect(csv.text).not.toContain('$argon2')
  })

  it.each(lists)('%s is refused as a file to whoever may not read the list', async (path) => {
    const onlooker = await Administrator.machine(tessera.url, 'onlooker-cli')
    for (const format of ['csv', 'jsonl']) {
      const refused = await onlooker.get(`${at(path)}?format=${format}`)
      expect([refused.status, refused.headers.get('content-disposition')]).toEqual([403, null])
    }
  })

  it('holds no formula, whatever somebody is called', async () => {
    const { text } = await admin.get('/users?format=csv&q=formula@acme.example')
    expect(text).toContain(`"'=HYPERLINK(""https://evil.example"";""Click"")"`)
  })

  it('is narrowed and ordered as the list is', async () => {
    const { text } = await admin.get('/users?format=jsonl&sort=-last_sign_in_on')
    expect(JSON.parse(text.split('\n')[0] ?? '')).toMatchObject({ uuid: users.importer })
    const none = await admin.get('/users?format=csv&signed_in_before=2020-01-01&active=false')
    expect(none.text.split('\r\n')).toHaveLength(2)
    expect((await admin.get('/users?format=xlsx')).status).toBe(400)
    expect((await admin.get('/users?format=csv&sort=last_sign_in_on&q=a')).status).toBe(400)
  })

  it('ends cut off where the token gives less than when it began', async () => {
    const text = Array.from({ length: 5000 }, (_, each) =>
      JSON.stringify({ email: `file-${each}@many.example`, name: `Of a File ${'x'.repeat(150)}` }),
    ).join('\n')
    expect((await admin.post('/imports', { name: 'many.jsonl', text })).status).toBe(200)
    const { json } = await admin.post('/clients', {
      ...{ client_id: 'files-cli', client_name: 'Files', type: 'machine', services: ['iam'] },
      permissions: ['iam.users.read', 'iam.profiles.read'],
    })
    const client_secret = String(json.client_secret)
    const token = await machineToken(tessera.url, { client_id: 'files-cli', client_secret })
    const { etag } = await admin.get('/clients/files-cli')
    const file = await fetch(`${tessera.url}/admin/v1/users?format=csv`, {
      headers: { authorization: `Bearer ${token}` },
    })
    const less = { body: { permissions: ['iam.users.read'] }, match: etag }
    expect((await admin.ask('PATCH', '/clients/files-cli', less)).status).toBe(200)
    await expect(file.text()).rejects.toThrow('terminated')
  })

  it('has for administrators of an organisation their own alone', async () => {
    const head = await Administrator.person(tessera.url, heads.head)
    const { text } = await head.get('/profiles?format=csv')
    expect(text).toContain(acme)
    expect(text).not.toContain(globex)
    expect((await head.get('/users?format=csv')).text).not.toContain('formula@acme.example')
    expect((await head.get(`/users?format=csv&organisation_uuid=${globex}`)).text.split('\r\n')).toHaveLength(
      2,
    )
    expect((await head.get('/mails?format=csv')).status).toBe(403)
  })
})
