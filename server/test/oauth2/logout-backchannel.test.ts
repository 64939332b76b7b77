import { createServer, type Server } from 'node:http'
import { createRemoteJWKSet, jwtVerify } from 'jose'
import { afterAll, beforeAll, beforeEach, expect, it, onTestFinished, vi } from 'vitest'
import { authorizeRequest, claimsOf, people, TestBrowser, tokensFor } from '../harness/browser.ts'
import { applyChanged, disabled } from '../declared/change.ts'
import { onBothDatabases, oneDatabase, onOneDatabase } from '../harness/databases.ts'
import { startTessera, type Tessera } from '../harness/harness.ts'
import { shortenTimers } from '../harness/timers.ts'
import { countOf, endFamilies, logoutNotices, sweepAt, triedNotices } from '../harness/states.ts'

// The look for what is due.
shortenTimers({ 1000: 100 })

interface Delivery {
  method: string | undefined
  type: string | undefined
  form: URLSearchParams
}

/** A client's back-channel logout address, which can be told to fail. */
class Receiver {
  readonly deliveries: Delivery[] = []
  answers: number[] = []
  redirect = ''
  /** Whether it answers when it is told to, or at once. */
  held: Promise<void> | undefined
  /** How often whoever asked did not wait for the answer. */
  givenUp = 0
  readonly #server: Server

  constructor() {
    this.#server = createServer(async (request, response) => {
      let body = ''
      for await (const chunk of request) body += String(chunk)
      const type = request.headers['content-type']
      this.deliveries.push({ method: request.method, type, form: new URLSearchParams(body) })
      response.once('close', () => response.writableFinished || this.givenUp++)
      await this.held
      response.writeHead(this.answers.shift() ?? 200, this.redirect === '' ? {} : { location: this.redirect })
      response.end()
    })
  }

  async listen(): Promise<string> {
    await new Promise<void>((done) => this.#server.listen(0, '127.0.0.1', done))
    const address = this.#server.address()
    return `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/backchannel`
  }

  close(): void {
    this.#server.closeAllConnections()
    this.#server.close()
  }
}

const scope = '    scope: openid email profile service.api'
const goodbye = '/oauth2/logout?client_id=submissions-web&post_logout_redirect_uri=http://127.0.0.1:4001/'

onBothDatabases('back-channel logout', (dialect) => {
  const onOne = oneDatabase(dialect)
  const receiver = new Receiver()
  let tessera: Tessera
  let browser: TestBrowser
  let registered: [part: string, by: string]
  beforeAll(async () => {
    tessera = await startTessera(dialect, { settings: { TESSERA_LOGOUT_TO_PRIVATE_ADDRESSES: 'true' } })
    registered = [scope, `${scope}\n    backchannel_logout_uri: ${await receiver.listen()}`]
    await applyChanged(tessera, registered)
  })
  afterAll(async () => {
    await tessera.close()
    receiver.close()
  })
  beforeEach(() => {
    receiver.deliveries.length = 0
    receiver.answers = []
    receiver.redirect = ''
    browser = new TestBrowser(tessera.url)
  })

  const arrived = (count: number) =>
    vi.waitFor(() => expect(receiver.deliveries).toHaveLength(count), { timeout: 60_000, interval: 50 })

  it('delivers a valid logout token to a client that took part, which is good for nothing else', async () => {
    const { id_token: idToken } = await tokensFor(tessera.url, people.importer, { browser })
    let release = () => {}
    receiver.held = new Promise((resolve) => (release = resolve))
    expect((await browser.request(goodbye)).status).toBe(303)
    await arrived(1)
    // The browser did not wait for the client, not even until it is given up.
    expect(receiver.givenUp).toBe(0)
    release()
    receiver.held = undefined
    const [delivery] = receiver.deliveries
    expect(delivery).toMatchObject({ method: 'POST', type: 'application/x-www-form-urlencoded' })
    expect([...(delivery?.form.keys() ?? [])]).toEqual(['logout_token'])
    const keys = createRemoteJWKSet(new URL(`${tessera.url}/oauth2/jwks`))
    const { payload, protectedHeader } = await jwtVerify(delivery?.form.get('logout_token') ?? '', keys, {
      issuer: tessera.url,
      audience: 'submissions-web',
      algorithms: ['RS256'],
      typ: 'logout+jwt',
      requiredClaims: ['iat', 'exp', 'jti', 'events', 'sub', 'sid'],
      currentDate: new Date(tessera.clock.now()),
    })
    expect(protectedHeader.kid).toBeDefined()
    expect(payload.events).toEqual({ 'http://schemas.openid.net/event/backchannel-logout': {} })
    const { sub, sid } = claimsOf(idToken)
    expect(payload).toMatchObject({ sub, sid })
    // Back-Channel Logout 1.0 §2.4: it must not be taken for an ID token.
    expect(payload).not.toHaveProperty('nonce')
    expect((payload.exp ?? 0) - (payload.iat ?? 0)).toBeLessThanOrEqual(120)
    const token = delivery?.form.get('logout_token') ?? ''
    expect((await browser.request(`/oauth2/logout?id_token_hint=${token}`)).status).toBe(400)
    const headers = { authorization: `Bearer ${token}` }
    expect((await fetch(`${tessera.url}/oauth2/userinfo`, { headers })).status).toBe(401)
  })

  it('tells a client whose tokens ran out and were swept, and asks nobody: it took part in the session', async () => {
    await tokensFor(tessera.url, people.importer, { browser })
    // Longer than its refresh tokens live and are kept, shorter than the browser session.
    await endFamilies(tessera, tessera.clock.now() - 3 * 24 * 3600_000)
    await sweepAt(tessera, tessera.clock.now())
    expect((await browser.request(goodbye)).location).toBe('http://127.0.0.1:4001/')
    await arrived(1)
    // Nobody is signed in any more: they go when it is looked again.
    await sweepAt(tessera, tessera.clock.now() + 2 * 24 * 3600_000)
    expect(await countOf(tessera, 'token families')).toBe(0)
  })

  it('tells of a session that another person’s sign-in ended, and not of one that had no part', async () => {
    const first = await tokensFor(tessera.url, people.importer, { browser })
    await browser.submit(await browser.open(authorizeRequest({ prompt: 'login' }).path), people.admin)
    await arrived(1)
    const told = claimsOf(receiver.deliveries[0]?.form.get('logout_token') ?? '')
    expect(told.sid).toBe(claimsOf(first.id_token).sid)
    // The admin's session gave no tokens, so nobody has to hear of its end.
    await browser.submit(await browser.request('/oauth2/logout'))
    await quiet(500)
    expect(receiver.deliveries).toHaveLength(1)
  })

  it.each([
    ['is disabled', disabled('  - email: importer@acme.example')],
    ['has another password', ['password: correct horse battery one', 'password: correct horse battery ten']],
  ] as [string, [part: string, by: string]][])(
    'tells of the session of somebody who %s',
    async (_, change) => {
      const { id_token: idToken } = await tokensFor(tessera.url, people.importer, { browser })
      await applyChanged(tessera, registered, change)
      await arrived(1)
      const told = claimsOf(receiver.deliveries[0]?.form.get('logout_token') ?? '')
      expect(told.sid).toBe(claimsOf(idToken).sid)
      await applyChanged(tessera, registered)
    },
  )

  it('is sent once, however many logouts of one session come at the same time', async () => {
    await tokensFor(tessera.url, people.importer, { browser })
    const visits = await Promise.all(Array.from({ length: 6 }, () => browser.request(goodbye)))
    for (const visit of visits) expect(visit.status).toBe(303)
    await arrived(1)
    await quiet(500)
    expect(receiver.deliveries).toHaveLength(1)
  })

  onOne.it('goes out to many at the same time, which Node does not take for a leak', async () => {
    const warnings: string[] = []
    const warned = ({ name }: Error) => name.startsWith('MaxListeners') && warnings.push(name)
    process.on('warning', warned)
    onTestFinished(() => void process.off('warning', warned))
    const many = 8
    receiver.answers = Array.from({ length: many }, () => 500)
    for (let index = 0; index < many; index++) {
      const another = new TestBrowser(tessera.url)
      await tokensFor(tessera.url, people.importer, { browser: another })
      await another.request(goodbye)
    }
    await vi.waitFor(
      async () => {
        // All that failed are due now, and so are tried again at once.
        tessera.clock.advance(3_600_000)
        await quiet(500)
        expect(receiver.answers).toHaveLength(0)
        expect(await noticesLeft()).toBe(0)
      },
      { timeout: 90_000 },
    )
    expect(receiver.deliveries.length).toBeGreaterThanOrEqual(2 * many)
    expect(warnings).toEqual([])
  })

  const noticesLeft = async () => (await logoutNotices(tessera)).length

  onOne.it('does not follow a redirect of the client', async () => {
    receiver.answers = [307]
    receiver.redirect = `${tessera.url}/oauth2/jwks`
    await tokensFor(tessera.url, people.importer, { browser })
    await browser.request(goodbye)
    await arrived(1)
    await quiet(300)
    tessera.clock.advance(12_000)
    receiver.redirect = ''
    await arrived(2)
  })

  it('tries again, later and later, until the client has taken it', async () => {
    // About seconds, which a busy machine spends by itself. The last test, for it never goes on.
    tessera.clock.stop()
    receiver.answers = [500, 503]
    await tokensFor(tessera.url, people.importer, { browser })
    await browser.request(goodbye)
    const postponedBy = (delay: number) =>
      vi.waitFor(async () => expect(await dueIn()).toEqual([delay]), { timeout: 60_000, interval: 50 })
    await arrived(1)
    await postponedBy(5000)
    // A second failure puts it off for as long as an attempt under way does; so the next one counts as the third.
    await triedNotices(tessera, 2)
    tessera.clock.advance(5000)
    await arrived(2)
    await postponedBy(20_000)
    tessera.clock.advance(20_000)
    await arrived(3)
    await vi.waitFor(async () => expect(await noticesLeft()).toBe(0), { timeout: 60_000, interval: 50 })
    const ids = receiver.deliveries.map(({ form }) => claimsOf(form.get('logout_token') ?? '').sid)
    expect(new Set(ids).size).toBe(1)
  })

  const dueIn = async () => (await logoutNotices(tessera)).map(({ next_at }) => next_at - tessera.clock.now())

  const quiet = (milliseconds: number) => new Promise((done) => setTimeout(done, milliseconds))
})

onOneDatabase('back-channel logout by default', (dialect) => {
  it('is never sent to private addresses', async () => {
    const receiver = new Receiver()
    const tessera = await startTessera(dialect)
    const { port } = new URL(await receiver.listen())
    const browser = new TestBrowser(tessera.url)
    let registered = 0
    for (const host of ['127.0.0.1', 'localhost', '[::ffff:127.0.0.1]', '0.0.0.0']) {
      const uri = `http://${host}:${port}/backchannel`
      // What may not be registered at all is as good.
      const declared = await applyChanged(tessera, [
        scope,
        `${scope}\n    backchannel_logout_uri: "${uri}"`,
      ]).catch(() => 'refused')
      if (declared === 'refused') continue
      registered++
      await tokensFor(tessera.url, people.importer, { browser })
      expect((await browser.request(goodbye)).status).toBe(303)
    }
    await new Promise((done) => setTimeout(done, 500))
    expect(receiver.deliveries).toEqual([])
    expect(registered).toBeGreaterThanOrEqual(2)
    await tessera.close()
    receiver.close()
  })
})
