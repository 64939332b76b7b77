import {
  authorizeRequest,
  people,
  post,
  redirectUri,
  signIn,
  TestBrowser,
} from '../../server/test/harness/browser.ts'
import { type History, type Operation, shortened } from '../history.ts'

/** What one authorization gave a client, as far as it was told. */
export interface Family {
  name: string
  exchange: Record<string, string>
  /** Refresh tokens, the current one last. */
  tokens: string[]
  accessToken: string
  /** When the last was got, by the service's clock. */
  at: number
}

/** A client that knows only what it was answered, and writes down all that it asks. */
export class Client {
  round = 0
  readonly #history: History
  readonly #url: string
  readonly #now: () => number
  #browser: TestBrowser

  constructor(url: string, history: History, now: () => number) {
    this.#url = url
    this.#history = history
    this.#now = now
    this.#browser = new TestBrowser(url)
  }

  /** A new browser; true when the service told it that it is signed in. */
  async signIn(): Promise<boolean> {
    this.#browser = new TestBrowser(this.#url)
    try {
      const visit = await signIn(this.#browser, authorizeRequest().path, people.importer)
      return visit.location?.startsWith(redirectUri) ?? false
    } catch {
      return false
    }
  }

  /** A code for the person who is signed in, as the form of its exchange. */
  async authorize(): Promise<Record<string, string> | undefined> {
    const { path, verifier } = authorizeRequest()
    let code: string | undefined
    await this.#record({ kind: 'authorize', subject: 'session' }, async () => {
      const visit = await this.#browser.request(path)
      if (visit.status === 303 && visit.location?.startsWith(redirectUri))
        code = new URL(visit.location).searchParams.get('code') ?? undefined
      return code === undefined ? { status: visit.status } : { status: 200, result: shortened(code) }
    })
    if (code === undefined) return undefined
    const client = { client_id: 'submissions-web', redirect_uri: redirectUri }
    return { grant_type: 'authorization_code', ...client, code, code_verifier: verifier }
  }

  async exchange(form: Record<string, string>): Promise<Family | undefined> {
    const name = shortened(form.code)
    const json = await this.#grant('exchange', name, name, '/oauth2/token', form)
    if (json === undefined) return undefined
    const tokens = [String(json.refresh_token)]
    return { name, exchange: form, tokens, accessToken: String(json.access_token), at: this.#now() }
  }

  /** Presents a refresh token, the current one unless another is given; true when the answer was a success. */
  async refresh(family: Family, token = family.tokens.at(-1) ?? ''): Promise<boolean> {
    const form = { client_id: 'submissions-web', refresh_token: token }
    const json = await this.#grant('refresh', shortened(token), family.name, '/v1/iam/token/refresh', form)
    if (json === undefined) return false
    const successor = String(json.refresh_token)
    if (!family.tokens.includes(successor)) {
      family.tokens.push(successor)
      family.at = this.#now()
    }
    family.accessToken = String(json.access_token)
    return true
  }

  async revoke(family: Family): Promise<void> {
    const token = family.tokens.at(-1) ?? ''
    await this.#record({ kind: 'revoke', subject: shortened(token), family: family.name }, async () => {
      return await post(`${this.#url}/oauth2/revoke`, { client_id: 'submissions-web', token })
    })
  }

  async userinfo({ accessToken, name }: Family): Promise<void> {
    await this.#record({ kind: 'userinfo', subject: shortened(accessToken), family: name }, async () => {
      const headers = { authorization: `Bearer ${accessToken}` }
      return { status: (await fetch(`${this.#url}/oauth2/userinfo`, { headers })).status }
    })
  }

  async #grant(
    kind: 'exchange' | 'refresh',
    subject: string,
    family: string,
    path: string,
    form: Record<string, string>,
  ): Promise<Record<string, unknown> | undefined> {
    let got: Record<string, unknown> | undefined
    await this.#record({ kind, subject, family }, async () => {
      const { status, json } = await post(`${this.#url}${path}`, form)
      if (status === 200) {
        got = json
        return { status, result: shortened(String(json.refresh_token)) }
      }
      const replayed = String(json.error_description).includes('already used')
      return { status, error: replayed ? 'replayed' : String(json.error) }
    })
    return got
  }

  /** An answer that does not come is written down as one. */
  async #record(
    asked: Pick<Operation, 'kind' | 'subject' | 'family'>,
    ask: () => Promise<Pick<Operation, 'result' | 'error'> & { status: number }>,
  ): Promise<void> {
    const { round } = this
    const began = this.#now()
    const answer = await ask().catch(() => ({ status: undefined }))
    const told = { status: answer.status, ...('result' in answer && { result: answer.result }) }
    const error = 'error' in answer && { error: answer.error }
    this.#history.add({ round, ...asked, ...told, ...error, began, ended: this.#now() } as Operation)
  }
}
