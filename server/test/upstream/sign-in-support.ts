/** What tests of the sign-in through an organisation's provider share: the provider, the upstream, people, the way through. */
import { afterAll, beforeAll, expect } from 'vitest'
import type { AuditRecord } from '../../dist/audit/read.js'
import { acme, Administrator, globex, startAdministered } from '../administration/support.ts'
import { answerOf, authorizeRequest, post, TestBrowser, type Visit } from '../harness/browser.ts'
import type { Dialect } from '../harness/databases.ts'
import type { Tessera } from '../harness/harness.ts'
import { auditOf, noticesBegun } from '../harness/states.ts'
import { UpstreamProvider } from '../harness/upstream-provider.ts'

export type Claims = Record<string, unknown>
type Changes = Record<string, string | undefined>

export const password = 'a long enough password of somebody'

/** The provider of the tests is at a private address. */
const toProviders = { TESSERA_WEBHOOKS_TO_PRIVATE_ADDRESSES: 'true' }

/** A service with an organisation whose people sign in at a provider of its own. */
export class Place {
  readonly tessera = {} as Tessera
  readonly provider = new UpstreamProvider()
  /** Who administers everything, by a machine. */
  admin = new Administrator('', '')
  /** The upstream of Acme. */
  upstream = ''
  #count = 0

  async start(dialect: Dialect, settings: Record<string, string>): Promise<void> {
    await this.provider.listen()
    const tessera = await startAdministered(dialect, { ...toProviders, ...settings })
    Object.assign(this.tessera, tessera)
    this.provider.now = () => Math.floor(tessera.clock.now() / 1000)
    this.admin = await this.administrator()
  }

  /** Whose token is of now. */
  administrator = async (): Promise<Administrator> => await Administrator.machine(this.url)

  get url(): string {
    return this.tessera.url
  }

  async close(): Promise<void> {
    await this.tessera.close()
    await this.provider.close()
  }

  browser = (): TestBrowser => new TestBrowser(this.url)

  /** Makes something by the API; yields its uuid. */
  async make(path: string, body: object): Promise<string> {
    const answer = await this.admin.post(path, body)
    expect(answer.status, answer.text).toBe(201)
    return String(answer.json.uuid)
  }

  async change(path: string, body: object): Promise<void> {
    const answer = await this.admin.patch(path, body)
    expect(answer.status, answer.text).toBe(200)
  }

  /** An upstream of a provider. */
  async addUpstream(provider: UpstreamProvider, changes: object): Promise<string> {
    const { issuer, clientId: client_id, clientSecret: client_secret } = provider
    const own = { code: 'entra', name: 'Acme ID', kind: 'oidc', organisation_uuid: acme }
    return await this.make('/upstreams', { ...own, issuer, client_id, client_secret, ...changes })
  }

  /** An address that nobody has, and a subject: another at each call. */
  somebody(domain = 'acme.example'): { sub: string; email: string; name: string } {
    const sub = `subject-${++this.#count}`
    return { sub, email: `${sub}@${domain}`, name: 'Somebody' }
  }

  /** An account with these profiles. */
  async account(
    { email }: { email: string },
    profiles: readonly object[] = [{ role_code: 'importer', organisation_uuid: acme }],
    more: object = { password },
  ): Promise<{ uuid: string; profiles: string[] }> {
    const uuid = await this.make('/users', { email, name: 'Somebody', email_verified: true, ...more })
    const made: string[] = []
    for (const one of profiles) made.push(await this.make('/profiles', { user_uuid: uuid, ...one }))
    return { uuid, profiles: made }
  }

  /** Types the address, and takes the button of the organisation; yields the redirect to the provider. */
  async leave(browser: TestBrowser, path: string, email: string): Promise<Visit> {
    return await browser.submit(await browser.open(path), { email, choice: 'organisation' })
  }

  /** The provider answers what it says of this person, and the browser goes on. */
  async back(browser: TestBrowser, left: Visit, person: Claims, provider = this.provider): Promise<Visit> {
    return await browser.open(this.brought(left, person, provider))
  }

  /** The address at which the provider lets the browser come back. */
  brought(left: Visit, person: Claims, provider = this.provider): string {
    expect(left.location ?? `${left.status} ${left.url} ${textOf(left)}`).toMatch(
      `${provider.issuer}/authorize`,
    )
    provider.person = { name: 'Somebody', ...person }
    return provider.authorise(left.location ?? '').href
  }

  /** The whole way; yields the page, or the redirect to the client. */
  async signIn(
    person: Claims,
    { browser = this.browser(), changes = {} }: { browser?: TestBrowser; changes?: Changes } = {},
  ): Promise<{ visit: Visit; browser: TestBrowser; request: ReturnType<typeof authorizeRequest> }> {
    const request = authorizeRequest(changes)
    const left = await this.leave(browser, request.path, String(person.email))
    return { visit: await this.back(browser, left, person), browser, request }
  }

  /** Exchanges the code that a sign-in ended with. */
  async redeem(
    visit: Visit,
    request: ReturnType<typeof authorizeRequest>,
  ): Promise<{ status: number; json: Record<string, string> }> {
    const { status, json } = await post(`${this.url}/oauth2/token`, {
      grant_type: 'authorization_code',
      client_id: request.parameters.client_id ?? '',
      redirect_uri: request.parameters.redirect_uri ?? '',
      code: answerOf(visit).code ?? '',
      code_verifier: request.verifier,
    })
    return { status, json: json as Record<string, string> }
  }

  /** The tokens of a person who signs in through the upstream. */
  async tokens(
    person: Claims,
    options: { browser?: TestBrowser; changes?: Changes } = {},
  ): Promise<Record<string, string>> {
    const { visit, request } = await this.signIn(person, options)
    const { status, json } = await this.redeem(visit, request)
    expect(status, JSON.stringify(json)).toBe(200)
    return json
  }

  async audit(filter: Parameters<typeof auditOf>[1]): Promise<AuditRecord[]> {
    return await auditOf(this.tessera, filter)
  }

  kindsOf = async (user: string): Promise<string[]> => (await this.audit({ user })).map(({ kind }) => kind)
}

/** One that runs while the tests of the describe block do: Acme has its domain, and an upstream with these fields. */
export function placeOn(
  dialect: Dialect,
  { upstream = {}, settings = {} }: { upstream?: object; settings?: Record<string, string> } = {},
): Place {
  const place = new Place()
  beforeAll(async () => {
    await place.start(dialect, settings)
    await noticesBegun(place.tessera)
    await place.make('/domains', { name: 'acme.example', organisation_uuid: acme, given: true })
    place.upstream = await place.addUpstream(place.provider, upstream)
  })
  afterAll(() => place.close())
  return place
}

export const textOf = ({ body }: Visit): string =>
  body
    .replaceAll(/<(script|style)[\s\S]*?<\/\1>/g, '')
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll(/\s+/g, ' ')

export { acme, globex }
