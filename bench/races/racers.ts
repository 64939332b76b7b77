import { fileURLToPath } from 'node:url'
import {
  authorizeRequest,
  people,
  redirectUri,
  signIn,
  TestBrowser,
} from '../../server/test/harness/browser.ts'
import { freePort, Serving } from '../../server/test/harness/process.ts'
import { type History, type Operation, shortened } from '../history.ts'
import { Client, form, get } from '../load.ts'

const acme = fileURLToPath(new URL('../../server/test/fixtures/acme.yaml', import.meta.url))

/** The service closes a connection that was idle for 65 s. */
const longestIdle = 30_000

/** An answer over a raw socket. */
export interface Answer {
  status: number
  text: string
  json: Record<string, string>
}

/** Two real processes on one database, and light connections to both. */
export class Racers {
  readonly issuer: string
  readonly environment: Record<string, string>
  readonly services: readonly Serving[]
  readonly history: History
  round = 0
  readonly #ports: readonly number[]
  readonly #free: { client: Client; since: number }[][]
  #cookie = ''

  private constructor(services: readonly Serving[], environment: Record<string, string>, history: History) {
    this.services = services
    this.environment = environment
    this.history = history
    this.issuer = services[0]?.issuer ?? ''
    this.#ports = services.map(({ url }) => Number(new URL(url).port))
    this.#free = services.map(() => [])
  }

  static async start(databaseUrl: string, history: History): Promise<Racers> {
    const port = await freePort()
    const environment = {
      TESSERA_DATABASE_URL: databaseUrl,
      TESSERA_ISSUER: `http://localhost:${port}`,
      TESSERA_HOST: '127.0.0.1',
      TESSERA_SECRET: 'a-secret-of-the-tests-0123456789-abcdef',
      TESSERA_LOG_LEVEL: 'error',
      TESSERA_DECLARED: acme,
      TESSERA_DATABASE_CONNECT_TIMEOUT: '30',
      // All of it comes from one address.
      TESSERA_LIMIT_AUTHORIZE: '0',
      TESSERA_LIMIT_GRANTS: '0',
      TESSERA_LIMIT_SIGN_IN_ADDRESS: '0',
    }
    const services = await Promise.all([
      Serving.start({ ...environment, TESSERA_PORT: String(port) }),
      Serving.start(environment),
    ])
    const racers = new Racers(services, environment, history)
    await racers.signIn()
    return racers
  }

  async stop(): Promise<void> {
    for (const { client } of this.#free.flat()) client.close()
    await Promise.all(this.services.map((service) => service.stop()))
  }

  async signIn(): Promise<void> {
    const browser = new TestBrowser(this.issuer)
    await signIn(browser, authorizeRequest().path, people.importer)
    this.#cookie = browser.cookieHeader()
  }

  /** A code of the person who is signed in, as the form of its exchange. */
  async code(): Promise<Record<string, string>> {
    const { path, verifier } = authorizeRequest()
    const { text } = await this.#send(this.round, get(path, { cookie: this.#cookie }))
    const location = /^location: (.+)\r$/im.exec(text)?.[1] ?? ''
    const code = URL.canParse(location) ? (new URL(location).searchParams.get('code') ?? '') : ''
    if (code === '') throw new Error(`There is no code: ${text.slice(0, 300)}`)
    const client = { client_id: 'submissions-web', redirect_uri: redirectUri }
    return { grant_type: 'authorization_code', ...client, code, code_verifier: verifier }
  }

  async exchange(process: number, exchange: Record<string, string>): Promise<Answer> {
    return await this.#record(
      'exchange',
      exchange.code,
      exchange.code,
      process,
      form('/oauth2/token', exchange),
    )
  }

  /** `family`: the code that opened it. */
  async refresh(process: number, token: string, family: string): Promise<Answer> {
    const fields = { client_id: 'submissions-web', refresh_token: token }
    return await this.#record('refresh', token, family, process, form('/v1/iam/token/refresh', fields))
  }

  async revoke(process: number, token: string, family: string): Promise<Answer> {
    const fields = { client_id: 'submissions-web', token }
    return await this.#record('revoke', token, family, process, form('/oauth2/revoke', fields))
  }

  async machine(process: number): Promise<Answer> {
    const client = { client_id: 'nightly-import', client_secret: 'nightly-import-development-secret' }
    const fields = { grant_type: 'client_credentials', ...client }
    return await this.#record('sign', 'nightly-import', undefined, process, form('/oauth2/token', fields))
  }

  async #record(
    kind: Operation['kind'],
    subject: string | undefined,
    family: string | undefined,
    process: number,
    request: string,
  ): Promise<Answer> {
    const { round } = this
    const began = Date.now()
    const answer = await this.#send(process, request)
    const { status, json } = answer
    const got = json.refresh_token ?? json.access_token
    this.history.add({
      round,
      kind,
      subject: shortened(subject),
      began,
      ended: Date.now(),
      status,
      ...(family !== undefined && { family: shortened(family) }),
      ...(status === 200 && got !== undefined && { result: shortened(got) }),
      ...(json.error !== undefined && { error: json.error }),
    })
    return answer
  }

  /** A connection that nobody uses. One that was idle for long is being closed, maybe just now: not that. */
  #idle(index: number): Client | undefined {
    const free = this.#free[index] ?? []
    for (let last = free.pop(); last !== undefined; last = free.pop()) {
      if (last.client.open && performance.now() - last.since < longestIdle) return last.client
      last.client.close()
    }
    return undefined
  }

  async #send(process: number, request: string): Promise<Answer> {
    const index = process % this.services.length
    const client = this.#idle(index) ?? new Client(this.#ports[index] ?? 0)
    const text = await client.send(request)
    this.#free[index]?.push({ client, since: performance.now() })
    const body = text.slice(text.indexOf('\r\n\r\n') + 4)
    const json = body.startsWith('{') ? (JSON.parse(body) as Record<string, string>) : {}
    return { status: Number(text.slice(9, 12)), text, json }
  }
}
