/** A proxy of the tests: it asks about requests as Caddy and nginx do, and hands on what is below /.tessera/. */
import { request as httpRequest } from 'node:http'
import { TestBrowser } from '../harness/browser.ts'

/** Where proxies ask: below the path of the issuer. */
export const question = `${process.env.TESSERA_TEST_PATH ?? ''}/oauth2/forward-auth`

export const wiki = 'https://wiki.example.com'

/** What the proxies of the tests connect from. */
export const proxied = { TESSERA_FORWARD_AUTH_PROXIES: '127.0.0.1, ::1' }

export interface Answer {
  status: number
  headers: Readonly<Record<string, string | string[] | undefined>>
  body: string
}

/** Header lines as they are sent, also twice. */
export type Lines = readonly (readonly [name: string, value: string])[]

/** One request with exactly these headers; fetch would join or refuse some. */
export async function send(
  url: string,
  { method = 'GET', lines = [], body }: { method?: string; lines?: Lines; body?: string } = {},
): Promise<Answer> {
  const { hostname, port, pathname, search } = new URL(url)
  return await new Promise((resolve, reject) => {
    const asked = httpRequest(
      {
        host: hostname,
        port,
        method,
        path: `${pathname}${search}`,
        headers: ['Host', `${hostname}:${port}`, ...lines.flat(), ...lengthOf(body)],
      },
      (answer) => {
        let text = ''
        answer.setEncoding('utf8').on('data', (part: string) => {
          text += part
        })
        answer.on('end', () =>
          resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: text }),
        )
      },
    )
    asked.on('error', reject)
    asked.end(body)
  })
}

const lengthOf = (body: string | undefined): string[] =>
  body === undefined
    ? []
    : ['Content-Type', 'application/x-www-form-urlencoded', 'Content-Length', String(Buffer.byteLength(body))]

export interface Asked {
  method?: string
  origin?: string
  /** Path and query. */
  target?: string
  cookie?: string
  /** Besides; what a browser sends for a page by default. */
  lines?: Lines
}

const page: Lines = [
  ['Accept', 'text/html'],
  ['Sec-Fetch-Mode', 'navigate'],
  ['Sec-Fetch-Dest', 'document'],
]

/** The headers by which Caddy and Traefik tell of a request. */
export const forwarded = ({ method = 'GET', origin = wiki, target = '/' }: Asked): Lines => [
  ['X-Forwarded-Proto', new URL(origin).protocol.slice(0, -1)],
  ['X-Forwarded-Host', new URL(origin).host],
  ['X-Forwarded-Method', method],
  ['X-Forwarded-Uri', target],
]

/** Asks about a request. */
export async function ask(listening: string, asked: Asked = {}): Promise<Answer> {
  const { cookie, lines = page } = asked
  const cookies: Lines = cookie === undefined || cookie === '' ? [] : [['Cookie', cookie]]
  return await send(`${listening}${question}`, {
    lines: [...forwarded(asked), ...cookies, ...lines],
  })
}

/** A browser that visits an application; its cookies there are apart from those of the issuer. */
export class Visitor {
  readonly jar = new Map<string, string>()
  readonly #listening: string
  readonly #origin: string
  readonly issuer: TestBrowser

  constructor(
    tessera: { url: string; listening: string },
    { origin = wiki, issuer = new TestBrowser(tessera.url) } = {},
  ) {
    this.#listening = tessera.listening
    this.#origin = origin
    this.issuer = issuer
  }

  get cookie(): string {
    return [...this.jar].map(([name, value]) => `${name}=${value}`).join('; ')
  }

  #keep({ headers }: Answer): void {
    for (const one of [headers['set-cookie'] ?? []].flat()) {
      const [pair = '', ...attributes] = one.split('; ')
      const at = pair.indexOf('=')
      const [name, value] = [pair.slice(0, at), pair.slice(at + 1)]
      if (attributes.some((attribute) => /^max-age=0$/i.test(attribute))) this.jar.delete(name)
      else this.jar.set(name, value)
    }
  }

  /** Asks about a request of this browser. */
  async ask(asked: Asked = {}): Promise<Answer> {
    const answer = await ask(this.#listening, { origin: this.#origin, cookie: this.cookie, ...asked })
    this.#keep(answer)
    return answer
  }

  /** An address of ours at the application, which its proxy hands on. */
  async at(target: string, init: { method?: string; body?: string; lines?: Lines } = {}): Promise<Answer> {
    const cookies: Lines = this.cookie === '' ? [] : [['Cookie', this.cookie]]
    const answer = await send(`${this.#listening}${target}`, {
      ...init,
      lines: [...forwarded({ origin: this.#origin }), ...cookies, ...page, ...(init.lines ?? [])],
    })
    this.#keep(answer)
    return answer
  }

  /** Signs in through the real pages; yields the answer to the callback. */
  async signIn(
    person: { email: string; password: string },
    { target = '/', profile }: { target?: string; profile?: string } = {},
  ): Promise<Answer> {
    const begun = await this.ask({ target })
    return await this.comeBack(await this.through(String(begun.headers.location), person, profile))
  }

  /** From the sign-in's address to the one that the browser comes back to. */
  async through(
    location: string,
    person: { email: string; password: string },
    profile?: string,
  ): Promise<string> {
    let visit = await this.issuer.open(location)
    if (new URL(visit.url).pathname.endsWith('/sign-in')) visit = await this.issuer.submit(visit, person)
    if (new URL(visit.url).pathname.endsWith('/choose-profile') && profile !== undefined)
      visit = await this.issuer.submit(visit, { profile_uuid: profile })
    if (visit.body.includes('value="allow"')) visit = await this.issuer.submit(visit, { choice: 'allow' })
    if (visit.location === undefined)
      throw new Error(`No way back but ${visit.status} ${visit.url}: ${visit.body.slice(0, 1500)}`)
    return visit.location
  }

  async comeBack(location: string): Promise<Answer> {
    const { pathname, search } = new URL(location)
    return await this.at(`${pathname}${search}`)
  }
}

/** The wiki of the tests. */
export const wikiClient = {
  client_id: 'wiki',
  client_name: 'Wiki',
  type: 'proxied',
  origins: [wiki],
  first_party: true,
  routes: {
    '* /*': 'signed-in',
    'GET /public/*': 'public',
    'GET /ledger/*': 'ledger.entry.read',
    'POST /ledger/*': 'ledger.entry.create',
    'GET /:book/private': 'submissions-tool.submission.approve',
  },
  headers: ['Remote-User', 'Remote-Email', 'Remote-Name', 'Remote-Groups', 'Remote-Organisation'],
}
