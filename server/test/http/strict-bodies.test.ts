/** What two readers could understand differently is refused: names that come twice, and bytes that are no UTF-8. */
import { beforeAll, describe, expect, it } from 'vitest'
import { acme, Administrator, administeredOn, tokenOf, users } from '../administration/support.ts'
import { authorizeRequest, formOn, people, signIn, TestBrowser, type Visit } from '../harness/browser.ts'
import { linkIn, mailTo } from '../harness/development-mail.ts'
import { machine } from '../harness/program.ts'
import { changeUser, everythingIn } from '../harness/states.ts'

describe('a body', () => {
  const tessera = administeredOn('sqlite')
  let admin: Administrator
  let token: string
  beforeAll(async () => {
    admin = await Administrator.machine(tessera.url)
    token = await tokenOf(tessera.url, 'admin-cli')
    await changeUser(tessera, people.importer.email, { managed_by: null })
  })

  const send = async (path: string, body: string | Buffer, headers: Record<string, string>) => {
    const sent = typeof body === 'string' ? body : new Uint8Array(body)
    const response = await fetch(`${tessera.url}${path}`, { method: 'POST', body: sent, headers })
    const text = await response.text()
    return { status: response.status, text, json: text.startsWith('{') ? JSON.parse(text) : {} }
  }
  const asJson = (path: string, body: string | Buffer) =>
    send(`/admin/v1${path}`, body, { authorization: `Bearer ${token}`, 'content-type': 'application/json' })
  const asForm = (path: string, body: string | Buffer, headers: Record<string, string> = {}) =>
    send(path, body, { 'content-type': 'application/x-www-form-urlencoded', ...headers })

  describe('of the administration API', () => {
    const place = `"role_code":"importer","organisation_uuid":"${acme}"`

    it.each([
      ['/users', '{"email":"a@b.example","name":"One","name":"Two"}', 'name'],
      ['/users', '{"email":"a@b.example","name":"One","n\\u0061me":"One"}', 'name'],
      ['/users', '{"email":"a@b.example","email":"c@d.example","name":"One"}', 'email'],
      [
        '/users',
        `{"email":"a@b.example","name":"One","profiles":[{${place}},{${place},"role_code":"administrator"}]}`,
        'profiles.1.role_code',
      ],
      [
        '/users?dry_run=true',
        `{"email":"a@b.example","name":"x","profiles":[{"active":false,${place},"active":true}]}`,
        'profiles.0.active',
      ],
      ['/organisations', '{"code":"x","name":"X","policy":{"minimum":1,"minimum":2}}', 'policy.minimum'],
      [
        '/invitations',
        `{"email":"a@b.example","profiles":[{${place},"role_code":"reader"}]}`,
        'profiles.0.role_code',
      ],
      ['/roles', '{"code":"x","name":"X","permissions":[],"permissions":["iam.*"]}', 'permissions'],
    ])(
      'to %s that has a name twice is refused, names it, and changes nothing: %s',
      async (path, body, field) => {
        const before = await everythingIn(tessera)
        const { status, json } = await asJson(path, body)
        expect([status, json.error]).toEqual([400, 'invalid_request'])
        expect(json.errors).toEqual([{ field, detail: 'It is there twice; send it once.' }])
        expect(await everythingIn(tessera)).toEqual(before)
      },
    )

    it('that changes something is refused as well', async () => {
      const path = `/users/${users.nobody}`
      const { etag } = await admin.get(path)
      const before = await everythingIn(tessera)
      const answer = await admin.ask('PATCH', path, { body: '{"active":true,"active":false}', match: etag })
      expect([answer.status, answer.json.errors]).toEqual([
        400,
        [{ field: 'active', detail: 'It is there twice; send it once.' }],
      ])
      expect(await everythingIn(tessera)).toEqual(before)
      expect((await admin.patch(path, '{"name":"Twice: \\"name\\",\\"name\\""}')).status).toBe(200)
    })

    it.each([
      ['a byte that begins nothing', [0xff]],
      ['a letter of Latin-1', [0xe4]],
      ['a form that is too long', [0xc0, 0xaf]],
      ['a surrogate', [0xed, 0xa0, 0x80]],
      ['half a character', [0xe2, 0x82]],
    ])('with %s in place of UTF-8 is refused, and changes nothing', async (_, bytes) => {
      const before = await everythingIn(tessera)
      const body = Buffer.concat([
        Buffer.from('{"email":"latin@b.example","name":"M'),
        Buffer.from(bytes),
        Buffer.from('ller"}'),
      ])
      const { status, json } = await asJson('/users', body)
      expect([status, json.error, json.detail]).toEqual([
        400,
        'invalid_request',
        'The body is not valid UTF-8.',
      ])
      expect(await everythingIn(tessera)).toEqual(before)
    })

    it('is UTF-8, also where it is the character that stands for none', async () => {
      const name = 'Ünïcode \uFFFD 🎉'
      const made = await admin.post('/users', { email: 'right@b.example', name })
      expect([made.status, made.json.name]).toEqual([201, name])
    })

    it('comes with a query in UTF-8', async () => {
      for (const query of ['?q=M%FCller', '?q=%C0%AF', '?na%FFme=x']) {
        const { status, json } = await admin.get(`/users${query}`)
        expect([status, json.error], query).toEqual([400, 'invalid_request'])
      }
    })
  })

  describe('of a form', () => {
    const invalid = ['%FF', '%C0%AF', '%ED%A0%80', '%E2%82', 'M%FCller']
    const raw = [Buffer.from([0xff]), Buffer.from([0xe2, 0x82]), Buffer.from('Müller', 'latin1')]

    it.each(invalid)('with %s is refused where clients ask', async (value) => {
      for (const [path, form] of [
        [
          '/oauth2/token',
          `grant_type=client_credentials&client_id=${machine.client_id}&client_secret=${value}`,
        ],
        ['/oauth2/token', `grant_type=${value}`],
        [
          '/oauth2/revoke',
          `token=${value}&client_id=${machine.client_id}&client_secret=${machine.client_secret}`,
        ],
        ['/oauth2/device_authorization', `client_id=${value}`],
        ['/oauth2/par', `client_id=${value}`],
      ] as const) {
        const { status, json } = await asForm(path, form)
        expect([status, json.error], path).toEqual([400, 'invalid_request'])
        expect(json.error_description).toMatch(/^The parameter \w+ is not valid UTF-8\.$/)
      }
    })

    it.each(raw)('with bytes that are none is refused, wherever they stand', async (bytes) => {
      const right = new URLSearchParams({ grant_type: 'client_credentials', ...machine }).toString()
      for (const body of [
        Buffer.concat([Buffer.from(`${right}&other=`), bytes]),
        Buffer.concat([Buffer.from('grant_type='), bytes]),
      ]) {
        const { status, json } = await asForm('/oauth2/token', body)
        expect([status, json]).toEqual([
          400,
          { error: 'invalid_request', error_description: 'The body is not valid UTF-8.' },
        ])
        expect((await asForm('/sign-in', body, { accept: 'text/html' })).status).toBe(400)
      }
      expect((await asForm('/oauth2/token', right)).status).toBe(200)
    })

    it('is refused on the pages, says so in the language of the page, and nothing is stored', async () => {
      const browser = new TestBrowser(tessera.url)
      browser.headers['accept-language'] = 'de'
      await signIn(browser, authorizeRequest().path, people.importer)
      const before = await everythingIn(tessera)
      const page = await browser.open('/account/person')
      const fieldsOf = (visit: Visit) => new URLSearchParams(formOn(visit).hidden).toString()
      const form = `${fieldsOf(page)}&name=M%FCller&given_name=x`
      const cookie = browser.cookieHeader()
      const headers = { cookie, accept: 'text/html', 'accept-language': 'de' }
      const answer = await asForm('/account/person', form, headers)
      expect([answer.status, answer.text]).toEqual([400, expect.stringContaining('ist kein gültiges UTF-8')])
      const bytes = await asForm('/account/person', Buffer.from(form.replace('%FC', 'ü'), 'latin1'), headers)
      expect([bytes.status, bytes.text]).toEqual([400, expect.stringContaining('ist kein gültiges UTF-8')])
      expect(await everythingIn(tessera)).toEqual(before)
    })

    it('with a file is refused as well', async () => {
      const browser = new TestBrowser(tessera.url)
      await signIn(browser, authorizeRequest().path, people.importer)
      const { hidden } = formOn(await browser.open('/account/person'))
      const before = await everythingIn(tessera)
      // As long as a browser's: the reader looks for it without its dashes, so it must stand in no value.
      const boundary = '----WebKitFormBoundaryE19zNvXGzXaLvS5C'
      const part = (name: string, value: string) =>
        Buffer.from(
          `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
          'latin1',
        )
      const body = Buffer.concat([
        ...Object.entries(hidden).map(([name, value]) => part(name, value)),
        part('name', 'Müller'),
        Buffer.from(`--${boundary}--\r\n`),
      ])
      const cookie = browser.cookieHeader()
      const headers = {
        cookie,
        accept: 'text/html',
        'content-type': `multipart/form-data; boundary=${boundary}`,
      }
      const answer = await asForm('/account/person', body, headers)
      expect([answer.status, answer.text]).toEqual([400, expect.stringContaining('not valid UTF-8')])
      expect(await everythingIn(tessera)).toEqual(before)
    })

    it('is refused where a password is chosen', async () => {
      const browser = new TestBrowser(tessera.url)
      const page = await browser.open('/sign-in/forgotten')
      await browser.submit(page, { email: people.both.email })
      const reset = await browser.open(linkIn(await mailTo(tessera, people.both.email, 'password')))
      const { action, hidden } = formOn(reset)
      const before = await everythingIn(tessera)
      const fields = new URLSearchParams(hidden).toString()
      const password = 'seven+quiet+f%E4hren+at+dawn'
      const cookie = browser.cookieHeader()
      const path = new URL(action).pathname
      const form = `${fields}&password=${password}&password_again=${password}`
      const answer = await asForm(path, form, { cookie, accept: 'text/html' })
      expect([answer.status, answer.text]).toEqual([400, expect.stringContaining('not valid UTF-8')])
      expect(await everythingIn(tessera)).toEqual(before)
    })
  })
})
