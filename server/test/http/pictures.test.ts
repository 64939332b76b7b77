import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { pictureOf } from '../../dist/protocol/picture.js'
import { acme, administeredOn, Administrator, users } from '../administration/support.ts'
import { authorizeRequest, formOn, people, signIn, TestBrowser } from '../harness/browser.ts'
import { type Dialect, onEachDatabase, oneDatabase, onOneDatabase } from '../harness/databases.ts'
import { PictureServer, png } from '../harness/picture-server.ts'
import { picturesIn } from '../harness/states.ts'
import { shortenTimers } from '../harness/timers.ts'

// The look for what is to be fetched, and the end of an attempt.
shortenTimers({ 2000: 100, 5000: 1500 })

const minute = 60_000
const wrong: Record<string, string | RegExp> = {
  'html.png': 'It is no PNG, JPEG or WebP.',
  'svg.png': 'It is no PNG, JPEG or WebP.',
  'bomb.png': 'It has 60000 × 60000 pixels, and may have 2048 on each side.',
  'large.png': 'The answer is longer than 65536 bytes.',
  'redirect.png': 'The answer was 302.',
  'missing.png': 'The answer was 404.',
  'drip.png': 'There was no answer in time.',
}
/** One of them on PostgreSQL stands for all: no database reads their bytes. */
const wrongOn = (dialect: Dialect) =>
  dialect === 'sqlite' ? wrong : { 'html.png': wrong['html.png'], 'missing.png': wrong['missing.png'] }
const server = new PictureServer()
beforeAll(() => server.listen())
afterAll(() => server.close())

const newClient = (name: string) => ({
  client_id: name.replace('.', '-'),
  type: 'public',
  client_name: name,
  scope: 'openid',
  redirect_uris: ['https://logo.example/callback'],
  logo_uri: server.address(`/${name}`),
})

onEachDatabase('pictures and logos', (dialect) => {
  const onOne = oneDatabase(dialect)
  const tessera = administeredOn(dialect, { TESSERA_WEBHOOKS_TO_PRIVATE_ADDRESSES: 'true' })
  const client = '/clients/submissions-web'
  const names = Object.keys(wrongOn(dialect))
  let all: Administrator

  beforeAll(async () => {
    all = await Administrator.machine(tessera.url)
  })

  /** The first match on the page that `open` opens, which is there once the picture was fetched. */
  const seen = async (pattern: RegExp, open: () => Promise<{ body: string }>): Promise<string> =>
    await vi.waitFor(
      async () => {
        const found = pattern.exec((await open()).body)?.[1]
        // A machine that was too slow tries again.
        if (found === undefined) tessera.clock.advance(6 * minute)
        return found ?? expect.fail(`There is no ${pattern} yet.`)
      },
      { timeout: 60_000, interval: 250 },
    )

  it('are fetched by the rules of webhooks, and refused by their bytes', async () => {
    server.asked.length = 0
    for (const name of names) expect((await all.post('/clients', newClient(name))).text).toContain('logo_uri')
    await vi.waitFor(
      async () => {
        const found = await picturesIn(tessera)
        expect(Object.values(found).filter((one) => one === undefined)).toEqual([])
        expect(Object.keys(found)).toHaveLength(names.length)
      },
      { timeout: 60_000, interval: 250 },
    )
    expect(await picturesIn(tessera)).toEqual(wrongOn(dialect))
    expect(server.asked).not.toContain('/logo.png')
    for (const name of names) await all.ask('DELETE', `/clients/${name.replace('.', '-')}`, { match: '*' })
  })

  it('are on the pages of whom they are for, from here alone, and gone once nothing shows them', async () => {
    server.asked.length = 0
    const branding = {
      name: 'Acme',
      logo: server.address('/logo.png'),
      logo_dark: server.address('/dark.png'),
    }
    await all.patch(`/organisations/${acme}`, { branding })
    await all.patch(client, {
      organisation_uuid: acme,
      first_party: false,
      client_uri: 'https://submissions.example/',
      logo_uri: server.address('/client.png'),
    })
    await all.patch(`/users/${users.importer}`, { picture: server.address('/person.png') })
    const browser = new TestBrowser(tessera.url)
    const request = authorizeRequest().path
    const logo = await seen(/<img class="logo" src="([^"]+)" alt="Acme"/, () => browser.open(request))
    const dark = await seen(/<source srcset="([^"]+)" media="\(prefers/, () => browser.open(request))
    const picture = await browser.request(logo)
    expect(logo).toMatch(/^\/pictures\/[0-9a-f]{64}$/)
    expect(dark).not.toBe(logo)
    expect(
      ['content-type', 'x-content-type-options', 'content-security-policy', 'cache-control'].map((name) =>
        picture.headers.get(name),
      ),
    ).toEqual([
      'image/png',
      'nosniff',
      "default-src 'none'; sandbox; frame-ancestors 'none'",
      'public, max-age=31536000, immutable',
    ])
    const { body: consent } = await signIn(browser, request, people.importer)
    expect(consent).toContain('Published by <bdi')
    await seen(/<img class="picture" src="(\/pictures\/[^"]+)"/, () => browser.open(request))
    await seen(/<img class="picture" src="(\/pictures\/[^"]+)"/, () => browser.open('/'))
    await seen(/<img class="picture picture-round" src="(\/pictures\/[^"]+)"/, () => browser.open('/account'))
    const asked = server.asked.filter((path) => !(path.slice(1) in wrong))
    expect([...new Set(asked)].toSorted()).toEqual(['/client.png', '/dark.png', '/logo.png', '/person.png'])
    for (const html of [consent, (await browser.open('/account')).body])
      expect(html).not.toMatch(/(src|srcset)="[^/]/)
    // What nothing shows goes within a day.
    await all.patch(`/organisations/${acme}`, { branding: null })
    tessera.clock.advance(25 * 60 * minute)
    await vi.waitFor(async () => expect((await browser.request(logo)).status).toBe(404), {
      timeout: 60_000,
      interval: 250,
    })
    expect(server.asked.filter((path) => !(path.slice(1) in wrong))).toEqual(asked)
  })

  it('of people are their own to send and to remove, with a form of this page alone', async () => {
    const browser = new TestBrowser(tessera.url)
    const person = { email: 'own-picture@acme.example', password: 'quiet harbours at dawn' }
    // The token from before has ended.
    all = await Administrator.machine(tessera.url)
    const made = await all.post('/users', { ...person, name: 'Own Picture' })
    const own = `/users/${String(made.json.uuid)}`
    await browser.submit(await browser.open('/account'), person)
    const page = await browser.open('/account/person')
    const { csrf = '' } = formOn(page).hidden
    const send = async (
      bytes: Buffer,
      fields: Record<string, string> = { csrf },
      path = '/account/person',
    ) => {
      const form = new FormData()
      for (const [name, value] of Object.entries({ do: 'picture', ...fields })) form.append(name, value)
      form.append('picture', new Blob([new Uint8Array(bytes)], { type: 'image/png' }), 'a.png')
      return await browser.follow(await browser.request(path, { form }))
    }
    const shown = /<img class="picture picture-round" src="(\/pictures\/[^"]+)"/
    const refused = [
      Buffer.alloc(0),
      Buffer.from('<script>alert(1)</script>'.repeat(9)),
      png(8, undefined, 60_000),
    ]
    for (const bytes of [...refused, Buffer.concat([png(8), Buffer.alloc(65_537)])]) {
      const { status, body } = await send(bytes)
      expect([status, body.includes('id="picture-error"'), shown.test(body)]).toEqual([400, true, false])
    }
    expect((await send(Buffer.alloc(300_000))).status).toBe(413)
    expect((await send(png(8), { csrf: 'x' })).status).toBe(403)
    expect((await send(png(8), { csrf }, '/account/sessions')).status).toBe(400)
    const broken = {
      method: 'POST',
      headers: { 'content-type': 'multipart/form-data; boundary=x' },
      form: {},
    }
    expect((await browser.request('/account/person', broken)).status).toBe(403)
    expect((await all.get(own)).json.picture).toBeNull()
    const saved = await send(png(16))
    const path = shown.exec(saved.body)?.[1] ?? ''
    expect([saved.status, (await all.get(own)).json.picture]).toEqual([200, `${tessera.url}${path}`])
    expect((await browser.request(path)).headers.get('content-type')).toBe('image/png')
    expect((await browser.open('/account')).body).toContain(path)
    // Whoever sends one after the other fills no database: the one shown and the one before are kept.
    const before = Object.keys(await picturesIn(tessera)).length
    for (const size of [17, 18, 19, 20]) expect((await send(png(size))).status).toBe(200)
    expect(Object.keys(await picturesIn(tessera)).length).toBeLessThanOrEqual(before + 1)
    // A picture that a declared file says stays.
    const managed = new TestBrowser(tessera.url)
    await managed.submit(await managed.open('/account'), people.both)
    expect((await managed.open('/account/person')).body).not.toContain('multipart/form-data')
    const removed = await browser.request('/account/person', { form: { csrf, do: 'removePicture' } })
    expect([removed.status, (await all.get(own)).json.picture]).toEqual([303, null])
  })

  onOne.it.each(['0', 'x', '..%2f..%2fetc', '0'.repeat(64)])('are none at /pictures/%s', async (id) => {
    expect((await new TestBrowser(tessera.url).request(`/pictures/${id}`)).status).toBe(404)
  })
})

onOneDatabase('a logo at a private address', (dialect) => {
  const tessera = administeredOn(dialect)

  it('is asked of nobody', async () => {
    server.asked.length = 0
    const all = await Administrator.machine(tessera.url)
    expect((await all.post('/clients', newClient('inside.png'))).text).toContain('logo_uri')
    await vi.waitFor(
      async () =>
        expect(await picturesIn(tessera)).toEqual({ 'inside.png': 'Its address is private or unknown.' }),
      { timeout: 60_000, interval: 250 },
    )
    expect(server.asked).toEqual([])
  })
})

describe('the type of a picture', () => {
  const padded = (...bytes: number[]) => Buffer.concat([Buffer.from(bytes), Buffer.alloc(40)])
  const jpeg = (height: number) =>
    padded(0xff, 0xd8, 0xff, 0xe0, 0, 4, 0, 0, 0xff, 0xc0, 0, 17, 8, height >> 8, height & 255, 0, 9)
  const webp = (kind: string, rest: number[]) =>
    Buffer.concat([Buffer.from(`RIFF\0\0\0\0WEBP${kind}\0\0\0\0`, 'latin1'), padded(...rest)])

  it('is told by its bytes', () => {
    expect(pictureOf(png(8))).toEqual({ type: 'image/png' })
    expect(pictureOf(jpeg(300))).toEqual({ type: 'image/jpeg' })
    expect(pictureOf(webp('VP8 ', [0, 0, 0, 0x9d, 1, 0x2a, 9, 0, 9, 0]))).toEqual({ type: 'image/webp' })
    expect(pictureOf(webp('VP8L', [0x2f, 9, 0, 0, 0]))).toEqual({ type: 'image/webp' })
    expect(pictureOf(webp('VP8X', [0, 0, 0, 0, 9, 0, 0, 9, 0, 0]))).toEqual({ type: 'image/webp' })
  })

  it.each([
    ['nothing', Buffer.alloc(0)],
    [
      'a page behind a signature',
      Buffer.from(`\x89PNG\r\n\x1a\n${'<script>alert(1)</script>'.repeat(9)}`, 'latin1'),
    ],
    ['no pixels', png(0)],
    ['too many', png(8, undefined, 2049)],
    ['a GIF', Buffer.from(`GIF89a${'x'.repeat(60)}`)],
    ['a JPEG without a frame', padded(0xff, 0xd8, 0xff, 0xe0, 0, 2, 0xff, 0xda)],
    ['a JPEG that ends', jpeg(300).subarray(0, 30).fill(0, 8)],
    ['a JPEG of 60,000 lines', jpeg(60_000)],
    ['a WebP of another kind', webp('VP9 ', [0, 0, 0, 0x9d, 1, 0x2a, 9, 0, 9, 0])],
    ['a WebP of 16,384 pixels', webp('VP8X', [0, 0, 0, 0, 255, 63, 0, 9, 0, 0])],
    ['65,537 bytes', Buffer.concat([png(8), Buffer.alloc(65_537)])],
  ])('is refused: %s', (_, bytes) => {
    expect(pictureOf(bytes)).toHaveProperty('problem')
  })
})
