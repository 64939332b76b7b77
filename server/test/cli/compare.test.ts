/** `tessera compare`: what two services say of one person and client, side by side. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { SignJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startAdministered } from '../administration/support.ts'
import { people, signIn, TestBrowser } from '../harness/browser.ts'
import type { Tessera } from '../harness/harness.ts'
import { cleanUp, freePort, temporaryFolder } from '../harness/process.ts'
import { auditOf } from '../harness/states.ts'
import { type Here, type Ran, runHere, ways } from './command-support.ts'

const person = people.importer
let port: number
let redirectUri: string
beforeAll(async () => {
  port = await freePort('127.0.0.1')
  redirectUri = `http://127.0.0.1:${port}/callback`
})
afterAll(cleanUp)

interface Shown {
  here: string
  there: string
  noticed: number
  answers: { in: string; claim: string; here?: unknown; there?: unknown; verdict: string; noticed: boolean }[]
}

const clients: [id: string, ...options: string[]][] = [
  [
    'desktop',
    '--type',
    'public',
    '--application-type',
    'native',
    '--redirect-uri',
    'http://127.0.0.1/callback',
  ],
  ['intranet', '--type', 'web', '--redirect-uri', 'https://intranet.example/callback'],
]

async function service(more: Record<string, string> = {}): Promise<Tessera> {
  const started = await startAdministered('sqlite', more)
  for (const [id, ...options] of clients) {
    const all = [
      '--client-name',
      id,
      '--first-party',
      '--scope',
      'openid email profile service.api',
      ...options,
    ]
    const line = ['client', 'create', id, ...all, '--service', 'submissions-tool']
    const ran = await runHere(line, { environment: ways.database(started) })
    expect(ran).toMatchObject({ code: 0 })
  }
  return started
}

/** The command with what somebody does in a browser: at each address that it shows, in turn. */
async function compared(
  line: string[],
  visit: (address: string) => Promise<unknown>,
  { environment = {}, ...here }: Here = {},
): Promise<Ran> {
  const seen = new Set<string>()
  const failures: unknown[] = []
  const ran = runHere(['compare', ...line], {
    ...here,
    environment,
    hears: (text) => {
      for (const [address] of text.matchAll(/https?:\/\/\S+[?&]code_challenge=\S+/g)) {
        if (seen.has(address)) continue
        seen.add(address)
        void visit(address).catch((error: unknown) => failures.push(error))
      }
    },
  })
  const done = await ran
  expect(failures).toEqual([])
  return done
}

/** Signs in, and goes where the browser is led. */
async function visited(address: string, who: { email: string; password: string } = person) {
  const { origin } = new URL(address)
  const left = await signIn(new TestBrowser(origin), address, who)
  expect(left.location).toMatch(`${redirectUri}?`)
  return await fetch(left.location ?? '')
}

describe('two services', () => {
  let here: Tessera
  let there: Tessera
  beforeAll(async () => {
    const [one, other] = await Promise.all([service(), service({ TESSERA_ACCESS_TOKEN_LIFETIME: '300' })])
    here = one
    there = other
  })
  afterAll(async () => {
    await Promise.all([here, there].map((one) => one.close()))
  })
  const line = (...more: string[]) => [
    ...['--with', there.url, '--url', here.url, '--client', 'desktop', '--as', person.email],
    ...['--redirect-uri', redirectUri, ...more],
  ]

  it('that say the same are the same for applications', async () => {
    const { code, stdout, stderr } = await compared(line(), visited)
    expect([code, stderr.match(/WARNING.*/)]).toEqual([0, null])
    expect(stdout).toContain('No application would notice.')
    expect(stdout).toMatch(/^ID token\tiss\thttp\S+\thttp\S+\talways differs; changes with the issuer/m)
    expect(stdout).toMatch(/^ID token\temail\timporter@acme.example\timporter@acme.example\tthe same$/m)
    expect(stdout).toMatch(/^token answer\texpires_in\t900\t300\talways differs/m)
    // What was signed in there first, and here then.
    expect(stderr.indexOf(there.url)).toBeLessThan(stderr.lastIndexOf(here.url))
  })

  it('show no token and nothing that names a session, in any form', async () => {
    for (const more of [[], ['--json']]) {
      const { stdout, stderr } = await compared(line(...more, '--scope', 'openid email service.api'), visited)
      const said = stdout + stderr
      expect(said).not.toMatch(/eyJ/)
      expect(said).toMatch(/access token/)
      // Of a sid, jti or hash six characters.
      expect(stdout).not.toMatch(/"(sid|jti|at_hash|nonce)": \{?\s*"[^"]{8,}/)
      expect(stdout).not.toMatch(/\t(sid|jti|at_hash|nonce)\t[^\t]{8,}\t/)
      expect(said.match(/login_hint=importer/g)).toHaveLength(2)
    }
  })

  it('are a table on a terminal, whatever is in it', async () => {
    const { stdout } = await compared(line(), visited, { columns: 100 })
    expect(stdout.split('\n')[0]).toMatch(/in +claim +here +there +verdict/)
    expect(Math.max(...stdout.split('\n').map((one) => one.length))).toBeLessThanOrEqual(110)
  })

  it('are told where something listens already', async () => {
    const server = createServer().listen(port, '127.0.0.1')
    try {
      const ran = await runHere(['compare', ...line()])
      expect([ran.code, ran.stderr]).toEqual([1, expect.stringContaining('stop the application there first')])
    } finally {
      server.close()
    }
  })

  it('end what they gave', async () => {
    await compared(line(), visited)
    for (const one of [here, there])
      expect((await auditOf(one, { kind: 'token_family.revoked' })).at(-1)).toMatchObject({
        client_id: 'desktop',
      })
  })

  it('differ where an application would notice, with exit code 2 and why', async () => {
    const change = async (one: Tessera, ...more: string[]) => {
      const ran = await runHere(['user', 'change', person.email, ...more, '--override-file'], {
        environment: ways.database(one),
      })
      expect(ran).toMatchObject({ code: 0 })
    }
    await change(there, '--given-name', 'Otto', '--name', 'Otto There')
    await change(here, '--family-name', 'Here')
    const ran = await compared(line('--json'), visited)
    expect(ran.code).toBe(2)
    const all = JSON.parse(ran.stdout) as Shown
    expect(all).toMatchObject({ here: here.url, there: there.url })
    const of = (claim: string) => all.answers.find((one) => one.in === 'ID token' && one.claim === claim)
    expect(of('name')).toMatchObject({ there: 'Otto There', verdict: 'changed', noticed: true })
    expect(of('given_name')).toMatchObject({ there: 'Otto', verdict: 'only_there', noticed: true })
    expect(of('family_name')).toMatchObject({ here: 'Here', verdict: 'only_here', noticed: false })
    expect(of('iss')).toMatchObject({ verdict: 'always_differs', noticed: false })
    expect(all.noticed).toBe(all.answers.filter(({ noticed }) => noticed).length)
    // What would be noticed comes first.
    expect(all.answers[0]).toMatchObject({ in: 'ID token', noticed: true })
  })

  it('are told apart from somebody else’s answers', async () => {
    const { stderr } = await compared(line(), (address) => visited(address, people.admin))
    const warnings = stderr.match(/WARNING: .*/g) ?? []
    expect(warnings).toHaveLength(2)
    expect(warnings[0]).toContain(`are of ${people.admin.email}, and not of ${person.email}`)
  })

  it('are asked with a secret, and by pasted addresses where the application is elsewhere', async () => {
    const folder = temporaryFolder()
    for (const one of [here, there]) {
      const add = ['client', 'secret', 'add', 'intranet', '--json']
      const made = await runHere(add, { environment: ways.database(one) })
      expect(made).toMatchObject({ code: 0 })
      const { client_secret: given } = JSON.parse(made.stdout) as { client_secret: string }
      writeFileSync(join(folder, one === here ? 'here' : 'there'), `${given}\n`)
    }
    const input = new PassThrough()
    const intranet = ['--client', 'intranet', '--redirect-uri', 'https://intranet.example/callback']
    const files = ['--secret-file', join(folder, 'here'), '--with-secret-file', join(folder, 'there')]
    const paste = async (address: string) => {
      const left = await signIn(new TestBrowser(new URL(address).origin), address, person)
      input.write(`${left.location}\n`)
    }
    const all = [...line().slice(0, 4), '--as', person.email, ...intranet, ...files]
    const { code, stdout, stderr } = await compared(all, paste, { input })
    expect([code, stderr]).toEqual([2, expect.stringContaining('Paste that address here')])
    expect(stdout).toContain('An application would notice')
    const wrong = await compared(all, async () => void input.write('https://elsewhere.example/?code=x\n'), {
      input,
    })
    expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringContaining('no address that begins with')])
  })

  it.each([
    ['the same service twice', () => ['--with', here.url], /Both are/],
    ['a redirect address that is none', () => ['--redirect-uri', 'callback'], /must be an address/],
    ['no issuer', () => ['--with', 'nowhere'], /is no issuer/],
    ['an issuer in clear', () => ['--with', 'http://id.example.com'], /must be https/],
    [
      'an issuer that does not listen',
      () => ['--with', new URL(redirectUri).origin],
      /gave no answer \(ECONNREFUSED\)/,
    ],
    ['a secret file that is not there', () => ['--secret-file', '/nowhere'], /no such file/],
  ])('are refused: %s', async (_, more, why) => {
    const ran = await runHere(['compare', ...line(...more())])
    expect([ran.code, ran.stdout, ran.stderr]).toEqual([1, '', expect.stringMatching(why)])
  })

  it('are found by the environment, without the secret of the client', async () => {
    const asked = ['--with', there.url, ...line().slice(4)]
    const environment = { TESSERA_ISSUER: here.url, TESSERA_COMPARE_SECRET: 'none' }
    const ran = await compared(
      asked,
      async (address) => {
        expect(address).toContain(there.url)
        const left = await signIn(new TestBrowser(there.url), address, person)
        await fetch(left.location ?? '')
      },
      { environment: { ...environment, XDG_CONFIG_HOME: temporaryFolder() } },
    )
    // A public client has none.
    expect([ran.code, ran.stderr]).toEqual([1, expect.stringContaining('gave no tokens (401)')])
    const nobody = await runHere(['compare', ...asked], {
      environment: { XDG_CONFIG_HOME: temporaryFolder() },
    })
    expect(nobody).toMatchObject({ code: 1, stderr: expect.stringContaining('Which service is this side?') })
  })
})

/** Another service, which may do anything. */
class Other {
  url = ''
  change: Record<string, unknown> = {}
  answer: (request: IncomingMessage, response: ServerResponse) => boolean = () => false
  tokens: (nonce: string) => Promise<unknown> = async () => ({})
  userinfo: unknown = { sub: 'x', email: person.email }
  #nonce = ''
  readonly #server = createServer((request, response) => void this.#handle(request, response))

  async listen(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve))
    this.url = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }
  close(): void {
    this.#server.close()
    this.#server.closeAllConnections()
  }

  reset(): void {
    this.change = {}
    this.answer = () => false
    this.tokens = async (nonce) => await this.right(nonce)
    this.userinfo = { sub: 'x', email: person.email }
  }

  async right(nonce: string, claims: object = {}): Promise<Record<string, unknown>> {
    const all = { iss: this.url, aud: 'desktop', sub: 'x', email: person.email, nonce, ...claims }
    const jwt = await new SignJWT(all).setProtectedHeader({ alg: 'HS256' }).sign(new Uint8Array(32))
    return { access_token: 'opaque-access-token', id_token: jwt, token_type: 'Bearer', expires_in: 300 }
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { url } = this
    const asked = new URL(request.url ?? '/', url)
    if (this.answer(request, response)) return
    const json = (body: unknown) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    if (asked.pathname.endsWith('openid-configuration'))
      return void json({
        issuer: url,
        authorization_endpoint: `${url}/authorize`,
        token_endpoint: `${url}/token`,
        userinfo_endpoint: `${url}/userinfo`,
        ...this.change,
      })
    if (asked.pathname === '/authorize') {
      this.#nonce = asked.searchParams.get('nonce') ?? ''
      const back = `${asked.searchParams.get('redirect_uri')}?code=c&state=${asked.searchParams.get('state')}`
      return void response.writeHead(302, { location: back }).end()
    }
    if (asked.pathname === '/token') return void json(await this.tokens(this.#nonce))
    if (asked.pathname === '/userinfo') return void json(this.userinfo)
    response.writeHead(404).end()
  }
}

describe('another service', () => {
  let here: Tessera
  const other = new Other()
  beforeAll(async () => {
    here = await service()
    await other.listen()
  })
  afterAll(async () => {
    other.close()
    await here.close()
  })

  const line = (...more: string[]) => [
    ...['--with', other.url, '--url', here.url, '--client', 'desktop', '--as', person.email],
    ...['--redirect-uri', redirectUri, ...more],
  ]
  const go = async (address: string) =>
    address.startsWith(other.url) ? await fetch(address) : await visited(address)

  it('of another make is compared, with opaque tokens and claims of any kind', async () => {
    other.reset()
    const jwt = `eyJhbGciOiJIUzI1NiJ9.${'a'.repeat(40)}.${'b'.repeat(40)}`
    const claims = {
      aud: ['desktop'],
      name: ['a', 'list'],
      groups: ['b', 'a'],
      constructor: 'x',
      azp: 'desktop',
      realm_access: { roles: ['admin'] },
      odd: `before ${jwt} after`,
      echoed: 'opaque-access-token',
      escape: '\u001B[2Jname',
      __proto__: null,
    }
    other.tokens = async (nonce) => await other.right(nonce, claims)
    other.userinfo = { sub: 'x', email: person.email, echoed: 'is opaque-access-token so' }
    const ran = await compared(line('--json'), go)
    expect([ran.code, ran.stderr.match(/WARNING.*/)]).toEqual([2, null])
    const { answers } = JSON.parse(ran.stdout) as Shown
    const of = (claim: string, place = 'ID token') =>
      answers.find((one) => one.in === place && one.claim === claim)
    expect(of('aud')).toMatchObject({ verdict: 'same', noticed: false })
    expect(of('sub')).toMatchObject({ verdict: 'changed', noticed: true })
    expect(of('name')).toMatchObject({ verdict: 'type_changed', noticed: true })
    expect(of('realm_access')).toMatchObject({ verdict: 'only_there', noticed: true })
    expect(of('constructor')).toMatchObject({ verdict: 'only_there', there: 'x' })
    expect(of('azp')).toMatchObject({ verdict: 'only_there', noticed: false })
    expect(of('header alg')).toMatchObject({ there: 'HS256', here: 'RS256', noticed: true })
    expect(of('(all)', 'access token')).toMatchObject({ verdict: 'only_here', noticed: false })
    expect(ran.stdout).not.toContain('opaque-access-token')
    expect(ran.stdout).not.toContain(jwt.slice(0, 30))
    expect(ran.stdout).not.toContain('\u001B')
  })

  it('that does not say whom its answers are of is warned of', async () => {
    other.reset()
    other.tokens = async (nonce) => await other.right(nonce, { email: undefined })
    other.userinfo = {}
    const { stderr } = await compared(line(), go)
    expect(stderr).toContain(`WARNING: ${other.url} does not say whom`)
  })

  const documents = (body: string, status = 200, headers: Record<string, string> = {}) => {
    other.answer = (request, response) => {
      if (!request.url?.includes('well-known')) return false
      response.writeHead(status, headers).end(body)
      return true
    }
  }
  const nested = `{"issuer":${'['.repeat(100_000)}${']'.repeat(100_000)}}`
  it.each<[string, () => void, RegExp]>([
    ['HTML', () => documents('<html>hello</html>'), /no discovery document \(200\)/],
    ['a list', () => documents('[]'), /no discovery document/],
    ['nothing', () => documents(''), /no discovery document/],
    ['an error', () => documents('{}', 500), /no discovery document \(500\)/],
    ['a document without end', () => documents(`{"x":"${'a'.repeat(2_000_000)}"}`), /more than 512 KiB/],
    ['a document that is nested deep', () => documents(nested), /no discovery document/],
    [
      'a redirect',
      () => documents('', 302, { location: 'https://elsewhere.example/' }),
      /leads elsewhere \(302\)/,
    ],
    [
      'another issuer',
      () => (other.change = { issuer: 'https://other.example' }),
      /is https:\/\/other\.example: name it so/,
    ],
    ['an issuer with a slash more', () => (other.change = { issuer: `${other.url}/` }), /name it so/],
    ['no issuer', () => (other.change = { issuer: 7 }), /names no issuer/],
    [
      'no token endpoint',
      () => (other.change = { token_endpoint: undefined }),
      /names no authorization or token/,
    ],
    [
      'a script for an endpoint',
      () => (other.change = { authorization_endpoint: 'javascript:alert(1)' }),
      /not used/,
    ],
    [
      'a file for an endpoint',
      () => (other.change = { userinfo_endpoint: 'file:///etc/passwd' }),
      /not used/,
    ],
    [
      'an endpoint in clear',
      () => (other.change = { token_endpoint: 'http://id.example.com/token' }),
      /must be https/,
    ],
    [
      'an endpoint with a password',
      () => (other.change = { token_endpoint: 'https://a:b@id.example.com/' }),
      /not used/,
    ],
    ['an endpoint that is no text', () => (other.change = { token_endpoint: ['x'] }), /is no address/],
  ])('is refused before anybody signs in where it gives %s', async (_, how, why) => {
    other.reset()
    how()
    const ran = await runHere(['compare', ...line()])
    expect([ran.code, ran.stdout, ran.stderr]).toEqual([1, '', expect.stringMatching(why)])
  })

  const tokenAnswer = (body: string, status = 200, headers: Record<string, string> = {}) => {
    other.answer = (request, response) => {
      if (request.url !== '/token') return false
      response.writeHead(status, headers).end(body)
      return true
    }
  }
  it.each<[string, () => void, RegExp]>([
    ['HTML', () => tokenAnswer('<html>'), /gave no ID token/],
    [
      'a refusal',
      () => tokenAnswer('{"error":"invalid_client"}', 401),
      /gave no tokens \(401\): invalid_client/,
    ],
    ['a redirect', () => tokenAnswer('', 307, { location: 'https://elsewhere.example/' }), /leads elsewhere/],
    ['too much', () => tokenAnswer('x'.repeat(1_000_000)), /more than 512 KiB/],
    [
      'an ID token of another issuer',
      () => (other.tokens = async (nonce) => await other.right(nonce, { iss: 'https://x.example' })),
      /names another issuer/,
    ],
    [
      'an ID token of another client',
      () => (other.tokens = async (nonce) => await other.right(nonce, { aud: 'x' })),
      /for another client/,
    ],
    [
      'an ID token of another sign-in',
      () => (other.tokens = async () => await other.right('x')),
      /of another sign-in/,
    ],
    ['an ID token that is none', () => (other.tokens = async () => ({ id_token: 'x' })), /gave no ID token/],
    [
      'claims without end',
      () =>
        (other.tokens = async (nonce) =>
          await other.right(
            nonce,
            Object.fromEntries(Array.from({ length: 2000 }, (_, at) => [`c${at}`, 1])),
          )),
      /more claims/,
    ],
  ])('is refused where it answers the code with %s', async (_, how, why) => {
    other.reset()
    how()
    const ran = await compared(line(), go)
    expect([ran.code, ran.stdout, ran.stderr]).toEqual([1, '', expect.stringMatching(why)])
  })

  it('must name itself where it says that it does, and has its own state', async () => {
    other.reset()
    other.change = { authorization_response_iss_parameter_supported: true }
    const statuses: number[] = []
    const ran = await compared(line(), async (address) => {
      if (!address.startsWith(other.url)) return await visited(address)
      const { searchParams } = new URL(address)
      const state = searchParams.get('state')
      for (const query of [
        'code=c',
        `code=c&state=x&iss=${other.url}`,
        `code=c&state=${state}`,
        `code=c&state=${state}&iss=${here.url}`,
      ])
        statuses.push((await fetch(`${redirectUri}?${query}`)).status)
      await fetch(`${other.url}/authorize?${searchParams}`, { redirect: 'manual' })
      return await fetch(`${redirectUri}?code=c&state=${state}&iss=${encodeURIComponent(other.url)}`)
    })
    expect(statuses).toEqual([404, 404, 404, 404])
    expect(ran.code).toBe(2)
  })

  it('that refuses is told with its reason', async () => {
    other.reset()
    const ran = await compared(line(), async (address) => {
      const state = new URL(address).searchParams.get('state')
      await fetch(`${redirectUri}?error=access_denied&error_description=Not+you&state=${state}`)
    })
    expect(ran).toMatchObject({ code: 1, stderr: expect.stringContaining('Nobody is signed in: Not you') })
  })
})
