import { createHash, randomBytes } from 'node:crypto'

/** A page or a redirect, as a browser got it. */
export interface Visit {
  status: number
  headers: Headers
  url: string
  /** Of a redirect, absolute. */
  location: string | undefined
  body: string
}

/** A cookie jar that follows redirects within the service and submits the forms that are really on a page. */
export class TestBrowser {
  /** By their names without the port, which on http is another in each test: `tessera-4000-session` is `tessera-session`. */
  readonly cookies = new Map<string, string>()
  readonly headers: Record<string, string> = { accept: 'text/html,application/xhtml+xml' }
  readonly #origin: string
  readonly #port: string

  constructor(origin: string) {
    this.#origin = origin
    this.#port = new URL(origin).port
  }

  /** One request; redirects are not followed. */
  async request(
    url: string,
    init: {
      method?: string
      form?: Record<string, string> | URLSearchParams | FormData
      headers?: Record<string, string>
    } = {},
  ): Promise<Visit> {
    const target = new URL(url.startsWith('/') ? this.#below(url) : url, this.#origin)
    const { form } = init
    const cookie = this.cookieHeader()
    const body = form === undefined || form instanceof FormData ? form : new URLSearchParams(form)
    const response = await fetch(target, {
      method: init.method ?? (body === undefined ? 'GET' : 'POST'),
      redirect: 'manual',
      headers: { ...this.headers, ...(cookie !== '' && { cookie }), ...init.headers },
      ...(body !== undefined && { body }),
    })
    this.#keep(response.headers.getSetCookie())
    const location = response.headers.get('location')
    return {
      status: response.status,
      headers: response.headers,
      url: target.href,
      location: location === null ? undefined : new URL(location, target).href,
      body: await response.text(),
    }
  }

  /** The issuer may have a path, which tests leave out. */
  #below(url: string): string {
    const { pathname } = new URL(this.#origin)
    return pathname === '/' || url.startsWith(`${pathname}/`) ? url : `${pathname}${url}`
  }

  /** Follows redirects while they stay within the service; yields the page, or the redirect that leaves it. */
  async follow(visit: Visit): Promise<Visit> {
    let current = visit
    for (let step = 0; step < 10; step++) {
      if (current.location === undefined || !current.location.startsWith(`${this.#origin}/`)) return current
      current = await this.request(current.location)
    }
    throw new Error('More than ten redirects.')
  }

  async open(url: string): Promise<Visit> {
    return await this.follow(await this.request(url))
  }

  /** Submits the first form of a page with its hidden fields and what is given; follows within the service. */
  async submit(page: Visit, fields: Record<string, string> = {}): Promise<Visit> {
    return await this.follow(await this.submitOnce(page, fields))
  }

  async submitOnce(page: Visit, fields: Record<string, string> = {}): Promise<Visit> {
    const { action, hidden } = formOn(page)
    return await this.request(action, { form: { ...hidden, ...fields } })
  }

  /** The cookies as they are sent. */
  cookieHeader(): string {
    // An issuer of another port than it is asked at has that in its names.
    const sent = (name: string) =>
      /^tessera-(?:language$|\d)/.test(name) ? name : name.replace(/^tessera-/, `tessera-${this.#port}-`)
    return [...this.cookies].map(([name, value]) => `${sent(name)}=${value}`).join('; ')
  }

  #keep(setCookies: readonly string[]): void {
    for (const one of setCookies) {
      const [pair = '', ...attributes] = one.split('; ')
      const [sent = '', value = ''] = pair.split('=')
      const name = sent.replace(`tessera-${this.#port}-`, 'tessera-')
      if (attributes.some((attribute) => /^max-age=0$/i.test(attribute))) this.cookies.delete(name)
      else this.cookies.set(name, value)
    }
  }
}

/** The first form of a page: where it leads, and its hidden fields. */
export function formOn(page: Visit): { action: string; hidden: Record<string, string> } {
  const form = /<form\b[^>]*>[\s\S]*?<\/form>/.exec(page.body)?.[0]
  if (form === undefined)
    throw new Error(`There is no form on ${page.url} (${page.status}): ${page.body.slice(0, 300)}`)
  const action = attribute(form.slice(0, form.indexOf('>')), 'action') ?? page.url
  const hidden = [...form.matchAll(/<input\b[^>]*type="hidden"[^>]*>/g)].map(([input]) => [
    attribute(input, 'name') ?? '',
    attribute(input, 'value') ?? '',
  ])
  return { action: new URL(action, page.url).href, hidden: Object.fromEntries(hidden) }
}

function attribute(tag: string, name: string): string | undefined {
  const value = new RegExp(`\\b${name}="([^"]*)"`).exec(tag)?.[1]
  return value
    ?.replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
}

/** People of fixtures/acme.yaml. */
export const people = {
  importer: { email: 'importer@acme.example', password: 'correct horse battery one' },
  both: { email: 'both@acme.example', password: 'correct horse battery two' },
  nobody: { email: 'nobody@acme.example', password: 'correct horse battery three' },
  admin: { email: 'admin@acme.example', password: 'correct horse battery four' },
} as const

export const profilesOfBoth = {
  reader: '0d9f1c52-2f0e-4c53-8d3a-6a1f2f6f0201',
  bookkeeper: '0d9f1c52-2f0e-4c53-8d3a-6a1f2f6f0202',
} as const

export const redirectUri = 'http://127.0.0.1:4001/callback'

/** An authorization request of submissions-web that is right in everything; `changes` make it wrong (undefined: left out). */
export function authorizeRequest(changes: Record<string, string | undefined> = {}) {
  const verifier = randomBytes(32).toString('base64url')
  const parameters: Record<string, string | undefined> = {
    client_id: 'submissions-web',
    redirect_uri: redirectUri,
    response_type: 'code',
    scope: 'openid email profile service.api',
    state: randomBytes(16).toString('base64url'),
    nonce: randomBytes(16).toString('base64url'),
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    ...changes,
  }
  const sent = Object.entries(parameters).filter((entry): entry is [string, string] => entry[1] !== undefined)
  const query = new URLSearchParams(sent)
  return { verifier, parameters, query, path: `/oauth2/authorize?${query}` }
}

/** Signs in through the real pages; yields the redirect that leaves the service. */
export async function signIn(
  browser: TestBrowser,
  path: string,
  person: { email: string; password: string },
  profile?: string,
): Promise<Visit> {
  let visit = await browser.submit(await browser.open(path), person)
  if (visit.status === 200 && new URL(visit.url).pathname === '/choose-profile' && profile !== undefined) {
    visit = await browser.submit(visit, { profile_uuid: profile })
  }
  return visit
}

/** Posts a form as a program does; JSON when the answer is. */
export async function post(
  url: string,
  form: Record<string, string> | URLSearchParams,
  headers: Record<string, string> = {},
) {
  const response = await fetch(url, { method: 'POST', body: new URLSearchParams(form), headers })
  const text = await response.text()
  const json = text.startsWith('{') ? (JSON.parse(text) as Record<string, unknown>) : {}
  return { status: response.status, headers: response.headers, text, json }
}

/** The query of a redirect. */
export function answerOf(visit: Visit): Record<string, string> {
  if (visit.location === undefined)
    throw new Error(`Not a redirect but ${visit.status}: ${visit.body.slice(0, 300)}`)
  return Object.fromEntries(new URL(visit.location).searchParams)
}

/** Signs in and exchanges the code: the tokens of submissions-web. */
export async function tokensFor(
  url: string,
  person: { email: string; password: string },
  options: { profile?: string; changes?: Record<string, string | undefined>; browser?: TestBrowser } = {},
): Promise<Record<string, string>> {
  const request = authorizeRequest(options.changes)
  const browser = options.browser ?? new TestBrowser(url)
  let visit = await signIn(browser, request.path, person, options.profile)
  // A second factor is demanded, and may be put off.
  if (visit.body.includes('value="later"')) visit = await browser.submit(visit, { choice: 'later' })
  const { json, text } = await post(`${url}/oauth2/token`, {
    grant_type: 'authorization_code',
    client_id: request.parameters.client_id ?? '',
    redirect_uri: request.parameters.redirect_uri ?? '',
    code: answerOf(visit).code ?? '',
    code_verifier: request.verifier,
  })
  if (typeof json.access_token !== 'string') throw new Error(`No tokens: ${text}`)
  return json as Record<string, string>
}

/** The header of a JWT. */
export const headerOf = (jwt: string | undefined) =>
  JSON.parse(Buffer.from(jwt?.split('.')[0] ?? '', 'base64url').toString()) as {
    alg: string
    typ: string
    kid: string
  }

/** The claims of a JWT, unverified. */
export function claimsOf(jwt: string | undefined): Record<string, unknown> {
  return JSON.parse(Buffer.from(jwt?.split('.')[1] ?? '', 'base64url').toString()) as Record<string, unknown>
}
