import { createHash } from 'node:crypto'
import { people, redirectUri } from '../../server/test/harness/browser.ts'
import { Client, form, get } from '../load.ts'
import type { Authenticator } from '../../server/test/harness/authenticator.ts'
import type { Seeded } from './seeded.ts'

/** With a passkey it is that which signs in, and not the password. */
export interface Person {
  email: string
  password: string
  passkey?: Authenticator
}

/** A person with a browser of their own and one connection, as light as a client can be that reads real forms. */
export class Visitor {
  readonly #client: Client
  readonly #random: Seeded
  readonly #person: Person
  #cookies = new Map<string, string>()

  constructor(port: number, random: Seeded, person: Person = people.importer) {
    this.#client = new Client(port)
    this.#random = random
    this.#person = person
  }

  /**
   * Opens the application's link, types e-mail address and password or uses the passkey, comes back with a code and gets
   * the tokens.
   * Undefined when the service is too busy with passwords (503). Throws at every other answer than the right one.
   */
  async signIn(): Promise<Record<string, unknown> | undefined> {
    this.#cookies = new Map()
    const [state, nonce, verifier] = [this.#random.text(), this.#random.text(), this.#random.text()]
    const query = new URLSearchParams({
      client_id: 'submissions-web',
      redirect_uri: redirectUri,
      response_type: 'code',
      scope: 'openid email profile service.api',
      state,
      nonce,
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
    })
    const asked = await this.#ask(`/oauth2/authorize?${query}`, 303)
    const { email, password, passkey } = this.#person
    const typed = await this.#fillIn(locationOf(asked), (page) =>
      passkey === undefined ? { email, password } : this.#byPasskey(page, passkey),
    )
    if (typed.startsWith('HTTP/1.1 503')) return undefined
    let next = locationOf(await this.#ask(locationOf(expected(typed, 303)), 303))
    if (next.startsWith('/choose-profile')) {
      const chosen = await this.#fillIn(next, firstProfile)
      next = locationOf(await this.#ask(locationOf(expected(chosen, 303)), 303))
    }
    const answer = new URL(next, 'http://localhost')
    if (answer.searchParams.get('state') !== state) throw new Error(`A wrong redirect: ${answer.href}`)
    const tokens = await this.#send(
      form('/oauth2/token', {
        grant_type: 'authorization_code',
        client_id: 'submissions-web',
        redirect_uri: redirectUri,
        code: answer.searchParams.get('code') ?? '',
        code_verifier: verifier,
      }),
    )
    return tokensOf(expected(tokens, 200), { nonce, email: this.#person.email })
  }

  /** Opens a page, and sends its form. */
  async #fillIn(path: string, typed: (page: string) => Fields | Promise<Fields>): Promise<string> {
    const page = await this.#ask(path, 200)
    const fields = { csrf: csrfOf(page), ...(await typed(page)) }
    return await this.#send(form(attribute(page, 'action') ?? path, fields, this.#headers()))
  }

  /** What the page's script does: asks for a challenge, and puts the answer to it into the form. */
  async #byPasskey(page: string, passkey: Authenticator): Promise<Fields> {
    const purpose = 'sign_in'
    const asking = form(
      attribute(page, 'data-passkeys') ?? '',
      { csrf: csrfOf(page), purpose },
      this.#headers(),
    )
    const { challenge_id, options } = bodyOf(expected(await this.#send(asking), 200)) as {
      challenge_id: string
      options: { challenge: string }
    }
    return { choice: 'credential', purpose, challenge_id, credential: passkey.get(options) }
  }

  close(): void {
    this.#client.close()
  }

  #headers(): Record<string, string> {
    if (this.#cookies.size === 0) return {}
    return { cookie: [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ') }
  }

  async #ask(path: string, status: number): Promise<string> {
    return expected(await this.#send(get(path, { accept: 'text/html', ...this.#headers() })), status)
  }

  async #send(request: string): Promise<string> {
    const answer = await this.#client.send(request)
    for (const [, name = '', value = ''] of answer.matchAll(/^set-cookie: ([^=]+)=([^;\r]*)/gim))
      this.#cookies.set(name, value)
    return answer
  }
}

type Fields = Record<string, string>

/** The first that a page has, but for the switch of the language, which is no form of this visit. */
function attribute(page: string, name: string): string | undefined {
  const found = [...page.matchAll(new RegExp(`\\s${name}="([^"]+)"`, 'g'))].map(([, value = '']) => value)
  return found.find((value) => value !== '/language')?.replaceAll('&amp;', '&')
}

const csrfOf = (page: string): string => /name="csrf" value="([^"]+)"/.exec(page)?.[1] ?? ''

const bodyOf = (answer: string): unknown => JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4))

/** A wrong answer voids the run. */
function expected(answer: string, status: number): string {
  if (!answer.startsWith(`HTTP/1.1 ${status}`)) throw new Error(`A wrong answer: ${answer.slice(0, 400)}`)
  return answer
}

/** Of a redirect within the service its path alone. */
function locationOf(answer: string): string {
  const location = /^location: (.+)\r$/im.exec(answer)?.[1] ?? ''
  return location.replace(/^http:\/\/localhost:\d+(?=\/)/, '')
}

const firstProfile = (page: string) => ({
  profile_uuid: /name="profile_uuid"[^>]* value="([^"]+)"/.exec(page)?.[1] ?? '',
})

function tokensOf(answer: string, wanted: { nonce: string; email: string }): Record<string, unknown> {
  const tokens = bodyOf(answer) as Record<string, unknown>
  const payload = String(tokens.id_token).split('.')[1] ?? ''
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as Record<string, unknown>
  if (claims.nonce !== wanted.nonce || claims.email !== wanted.email)
    throw new Error(`A wrong ID token: ${JSON.stringify(claims)}`)
  return tokens
}
