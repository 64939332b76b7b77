/** The requests that are measured, and what is asked of their answers. */
import { createHash, createPublicKey, type JsonWebKey, type KeyObject, verify } from 'node:crypto'
import { form, get } from '../load.ts'
import type { Askers } from './askers.ts'
import type { Seeded } from './seeded.ts'

export const kinds = ['client_credentials', 'authorize with a session', 'code exchange', 'refresh'] as const
export type Kind = (typeof kinds)[number]

/** Requests of one kind, each of which works once. */
export interface Batch {
  kind: Kind
  requests: string[]
  status: number
  /** Takes the answers to as many of the requests as were sent, in order. Throws at a wrong one: it voids the run. */
  check(answers: readonly string[]): void
}

interface Asked {
  clientId: string
  redirectUri: string
  state: string
  nonce: string
  verifier: string
}

/** One round: what the authorizations give is what the exchanges take, and so on. */
export class Journey {
  readonly #askers: Askers
  readonly #random: Seeded
  readonly #keys: ReadonlyMap<string, KeyObject>
  /** No token is given twice. */
  readonly #seen = new Set<string>()
  #codes: (Asked & { code: string })[] = []
  #tokens: { clientId: string; refreshToken: string }[] = []

  private constructor(askers: Askers, random: Seeded, keys: ReadonlyMap<string, KeyObject>) {
    this.#askers = askers
    this.#random = random
    this.#keys = keys
  }

  static async at(url: string, askers: Askers, random: Seeded): Promise<Journey> {
    const answer = await fetch(`${url}/oauth2/jwks`)
    const { keys } = (await answer.json()) as { keys: (JsonWebKey & { kid: string })[] }
    return new Journey(
      askers,
      random,
      new Map(keys.map((key) => [key.kid, createPublicKey({ key, format: 'jwk' })])),
    )
  }

  batch(kind: Kind, count: number): Batch {
    if (kind === 'client_credentials') return this.#machines(count)
    if (kind === 'authorize with a session') return this.#authorizations(count)
    return kind === 'code exchange' ? this.#exchanges(count) : this.#refreshes(count)
  }

  #machines(count: number): Batch {
    const machines = Array.from({ length: count }, () => this.#askers.machine())
    return {
      kind: 'client_credentials',
      requests: machines.map(({ clientId, secret }) =>
        form('/oauth2/token', {
          grant_type: 'client_credentials',
          client_id: clientId,
          client_secret: secret,
        }),
      ),
      status: 200,
      check: (answers) => {
        answers.forEach((answer, index) => {
          const { clientId } = at(machines, index)
          const { sub } = this.#claims(bodyOf(answer).access_token)
          if (sub !== clientId) throw new Error(`${clientId} got a token of ${String(sub)}.`)
        })
      },
    }
  }

  #authorizations(count: number): Batch {
    const asked = Array.from({ length: count }, () => authorization(this.#askers.person(), this.#random))
    return {
      kind: 'authorize with a session',
      requests: asked.map(({ request }) => request),
      status: 303,
      check: (answers) => {
        this.#codes = answers.map((answer, index) => {
          const one = at(asked, index)
          const location = new URL(/^location: (.+)\r$/im.exec(answer)?.[1] ?? '')
          const { code, state, iss } = Object.fromEntries(location.searchParams)
          const right = location.href.startsWith(`${one.redirectUri}?`) && state === one.state && iss
          if (!right || code === undefined) throw new Error(`A wrong redirect: ${location.href}`)
          this.#new(code)
          return { ...one, code }
        })
      },
    }
  }

  #exchanges(count: number): Batch {
    const codes = this.#codes.splice(0, count)
    return {
      kind: 'code exchange',
      requests: codes.map(({ clientId, redirectUri, code, verifier }) =>
        form('/oauth2/token', {
          grant_type: 'authorization_code',
          client_id: clientId,
          redirect_uri: redirectUri,
          code,
          code_verifier: verifier,
        }),
      ),
      status: 200,
      check: (answers) => {
        this.#tokens = answers.map((answer, index) => this.#tokensOf(answer, at(codes, index)))
      },
    }
  }

  #refreshes(count: number): Batch {
    const tokens = this.#askers.refreshTokens?.(count) ?? this.#tokens.splice(0, count)
    return {
      kind: 'refresh',
      requests: tokens.map(({ clientId, refreshToken }) =>
        form('/v1/iam/token/refresh', { client_id: clientId, refresh_token: refreshToken }),
      ),
      status: 200,
      check: (answers) => {
        answers.forEach((answer, index) => this.#tokensOf(answer, at(tokens, index)))
      },
    }
  }

  #tokensOf(answer: string, { clientId, nonce }: { clientId: string; nonce?: string }) {
    const body = bodyOf(answer)
    const access = this.#claims(body.access_token)
    const id = this.#claims(body.id_token)
    const right = access.client_id === clientId && id.aud === clientId && id.sub === access.sub
    if (!right || id.nonce !== nonce) throw new Error(`Wrong tokens: ${JSON.stringify({ access, id })}`)
    const refreshToken = String(body.refresh_token)
    this.#new(refreshToken)
    return { clientId, refreshToken }
  }

  /** Of a token whose signature is right and that nobody got before. */
  #claims(token: unknown): Record<string, unknown> {
    const text = String(token)
    const [header = '', payload = '', signature = ''] = text.split('.')
    const { kid, alg } = decoded(header)
    const key = this.#keys.get(String(kid))
    const data = Buffer.from(text.slice(0, text.lastIndexOf('.')))
    const bytes = Buffer.from(signature, 'base64url')
    const right =
      key && verify('sha256', data, alg === 'ES256' ? { key, dsaEncoding: 'ieee-p1363' } : key, bytes)
    if (!right) throw new Error(`No key of the service verifies ${text.slice(0, 80)}…`)
    this.#new(signature)
    return decoded(payload)
  }

  #new(secret: string): void {
    if (this.#seen.has(secret)) throw new Error('The service gave the same twice.')
    this.#seen.add(secret)
  }
}

function authorization(
  { cookie, clientId, redirectUri }: ReturnType<Askers['person']>,
  random: Seeded,
): Asked & { request: string } {
  const [state, nonce, verifier] = [random.text(), random.text(), random.text()]
  const query = new URLSearchParams({
    client_id: clientId,
    redirect_uri: redirectUri,
    response_type: 'code',
    scope: 'openid email profile service.api',
    state,
    nonce,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  })
  return {
    clientId,
    redirectUri,
    state,
    nonce,
    verifier,
    request: get(`/oauth2/authorize?${query}`, { cookie }),
  }
}

/** The `alg` of the access token in an answer. */
export function algorithmOf(answer: string): string {
  return String(decoded(String(bodyOf(answer).access_token).split('.')[0] ?? '').alg)
}

function at<T>(all: readonly T[], index: number): T {
  const one = all[index]
  if (one === undefined) throw new Error('There are more answers than requests.')
  return one
}

function bodyOf(answer: string): Record<string, unknown> {
  const body = answer.slice(answer.indexOf('\r\n\r\n') + 4)
  return JSON.parse(Buffer.from(body, 'latin1').toString()) as Record<string, unknown>
}

function decoded(part: string): Record<string, unknown> {
  return JSON.parse(Buffer.from(part, 'base64url').toString()) as Record<string, unknown>
}
