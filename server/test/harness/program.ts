import { createRemoteJWKSet, type JWTPayload, jwtVerify } from 'jose'
import type { Store } from '../../dist/database/store.js'
import { allLinked, openStore } from './stores.ts'
import { moveRevision } from '../../dist/database/revision.js'
import { answerOf, authorizeRequest, people, post, signIn, TestBrowser } from './browser.ts'

/** What tests of the program side share: codes, exchanges and refreshes as a right client makes them. */

export const machine = {
  client_id: 'nightly-import',
  client_secret: 'nightly-import-development-secret',
} as const
export const otherMachine = {
  client_id: 'ledger-report',
  client_secret: 'ledger-report-development-secret',
} as const
export const audiences = {
  submissions: 'https://submissions.acme.example/api',
  ledger: 'https://ledger.acme.example/api',
} as const

export type Answer = Awaited<ReturnType<typeof post>>
export type Changes = Record<string, string | undefined>

/** A person who has signed in once; each further authorization goes straight through. */
export class Visitor {
  readonly browser: TestBrowser
  readonly #url: string
  readonly #person: { email: string; password: string }
  #signedIn = false

  constructor(url: string, person: { email: string; password: string } = people.importer) {
    this.#url = url
    this.#person = person
    this.browser = new TestBrowser(url)
  }

  /** Authorizes; yields the form of the exchange that is right for the code. */
  async code(changes: Changes = {}): Promise<Record<string, string>> {
    const request = authorizeRequest(changes)
    const visit = this.#signedIn
      ? await this.browser.open(request.path)
      : await signIn(this.browser, request.path, this.#person)
    const { code } = answerOf(visit)
    if (code === undefined) throw new Error(`No code: ${visit.location}`)
    this.#signedIn = true
    return {
      grant_type: 'authorization_code',
      client_id: request.parameters.client_id ?? '',
      redirect_uri: request.parameters.redirect_uri ?? '',
      code,
      code_verifier: request.verifier,
    }
  }

  /** Authorizes and exchanges. */
  async tokens(changes: Changes = {}): Promise<Record<string, string>> {
    return tokensOf(await token(this.#url, await this.code(changes)))
  }
}

/** POST /oauth2/token. */
export async function token(
  url: string,
  form: Record<string, string> | URLSearchParams,
  headers: Record<string, string> = {},
): Promise<Answer> {
  return await post(`${url}/oauth2/token`, form, headers)
}

/** POST /v1/iam/token/refresh, as submissions-web does. */
export async function refresh(
  url: string,
  refreshToken: string | undefined,
  changes: Record<string, string> = {},
  headers: Record<string, string> = {},
): Promise<Answer> {
  const form = { client_id: 'submissions-web', refresh_token: refreshToken ?? '', ...changes }
  return await refreshAs(url, form, headers)
}

/** POST /v1/iam/token/refresh. */
export async function refreshAs(
  url: string,
  form: Record<string, string>,
  headers: Record<string, string> = {},
): Promise<Answer> {
  return await post(`${url}/v1/iam/token/refresh`, form, headers)
}

/** A machine's access token. */
export async function machineToken(url: string, form: Record<string, string> = machine): Promise<string> {
  return tokensOf(await token(url, { grant_type: 'client_credentials', ...form })).access_token ?? ''
}

/** The tokens of an answer that must be a success. */
export function tokensOf(answer: Answer): Record<string, string> {
  if (answer.status !== 200) throw new Error(`No tokens but ${answer.status}: ${answer.text}`)
  return answer.json as Record<string, string>
}

/** GET /oauth2/userinfo. */
export async function userinfo(url: string, accessToken: string | undefined) {
  const response = await fetch(`${url}/oauth2/userinfo`, {
    headers: { authorization: `Bearer ${accessToken}` },
  })
  return {
    status: response.status,
    headers: response.headers,
    json: (await response.json()) as Record<string, unknown>,
  }
}

/** POST /oauth2/introspect, as the machine that may ask about tokens for the submissions tool. */
export async function introspect(
  url: string,
  subject: string | undefined,
  caller: Record<string, string> = machine,
) {
  return (await post(`${url}/oauth2/introspect`, { ...caller, token: subject ?? '' })).json
}

/** Asserts the shape of a refusal: status, code, a description of allowed characters, never stored. */
export function refusalOf(answer: Answer): string {
  const { error, error_description: description, ...more } = answer.json
  if (typeof error !== 'string' || typeof description !== 'string' || Object.keys(more).length > 0)
    throw new Error(`Not the shape of an error: ${answer.status} ${answer.text}`)
  // RFC 6749 §5.2: no other character may stand in an error_description.
  if (!/^[\x20-\x21\x23-\x5B\x5D-\x7E]+$/.test(description))
    throw new Error(`A description with other characters: ${description}`)
  if (answer.headers.get('cache-control') !== 'no-store') throw new Error('A refusal that may be stored.')
  return `${answer.status} ${error}`
}

/** The claims of a JWT, verified against the published keys at the service's time. */
export async function verified(
  tessera: { url: string; clock: { now: () => number } },
  jwt: string | undefined,
  typ: 'JWT' | 'at+jwt',
): Promise<JWTPayload> {
  const keys = createRemoteJWKSet(new URL(`${tessera.url}/oauth2/jwks`))
  const options = {
    issuer: tessera.url,
    typ,
    algorithms: ['RS256'],
    currentDate: new Date(tessera.clock.now()),
  }
  return (await jwtVerify(jwt ?? '', keys, options)).payload
}

/** Works on the rows of a running service, as another process would. `idle`: where the store is kept for the next one. */
export async function withStore<T>(
  { databaseUrl, idle }: { databaseUrl: string; idle?: Store[] },
  work: (store: Store) => Promise<T>,
): Promise<T> {
  const store = idle?.pop() ?? (await openStore(databaseUrl))
  let keeps = false
  try {
    await allLinked(store)
    const done = await work(store)
    // As every verb does that changes what processes keep in memory.
    await moveRevision(store.db)
    keeps = idle?.length === 0
    return done
  } finally {
    if (keeps) idle?.push(store)
    else await store.close()
  }
}
