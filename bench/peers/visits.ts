/** What one target is asked in a run: what an authorization gives is exchanged, and what that gives is refreshed. */
import { createLocalJWKSet, type JSONWebKeySet, type JWTVerifyGetKey, jwtVerify } from 'jose'
import { load } from '../load.ts'
import { authorization, exchangeRequest, machineRequest, refreshRequest, type Target } from './target.ts'

export const kinds = ['client_credentials', 'code exchange', 'refresh'] as const
export type Kind = (typeof kinds)[number]

/** Of every so many answers, one has its signatures verified. */
const oneIn = 50

interface Tokens {
  access_token: string
  id_token?: string
  refresh_token?: string
}

/** Makes requests that each work once, and checks every answer: a wrong one voids the run. */
export class Visits {
  readonly target: Target
  readonly #connections: number
  readonly #keys: JWTVerifyGetKey
  /** No token is given twice. */
  readonly #seen = new Set<string>()
  #refreshTokens: string[] = []

  private constructor(target: Target, connections: number, keys: JWTVerifyGetKey) {
    this.target = target
    this.#connections = connections
    this.#keys = keys
  }

  static async to(target: Target, connections: number): Promise<Visits> {
    const response = await fetch(`http://localhost:${target.port}${target.jwks}`)
    const keys = (await response.json()) as JSONWebKeySet
    for (const { kty, n } of keys.keys) {
      const bits = Buffer.from(n ?? '', 'base64url').length * 8
      if (kty === 'RSA' && bits !== 2048) throw new Error(`${target.name} has an RSA key of ${bits} bits.`)
    }
    return new Visits(target, connections, createLocalJWKSet(keys))
  }

  /** Refreshes are of what the last exchanges gave, however many those were. */
  async prepare(kind: Kind, count: number): Promise<string[]> {
    if (kind === 'client_credentials') return Array<string>(count).fill(machineRequest(this.target))
    if (kind === 'code exchange') return await this.#exchanges(count)
    return this.#refreshTokens.map((token) => refreshRequest(this.target, token))
  }

  async check(kind: Kind, answers: readonly string[]): Promise<void> {
    const all = answers.map((answer) => this.#tokens(kind, answer))
    this.#refreshTokens = all.flatMap(({ refresh_token }) => refresh_token ?? [])
    for (const { access_token, id_token } of all.filter((_, index) => index % oneIn === 0)) {
      await this.#verify(access_token)
      if (id_token !== undefined) await this.#verify(id_token, this.target.web.client_id)
    }
  }

  /** By real authorizations of somebody who is signed in; these are not measured. */
  async #exchanges(count: number): Promise<string[]> {
    const { target } = this
    const asked = Array.from({ length: count }, () => authorization(target))
    const requests = asked.map(({ request }) => request)
    const { answers } = await load(target.port, requests, this.#connections, target.redirect, true)
    return asked.map((one, index) => exchangeRequest(target, one, answers[index] ?? ''))
  }

  #tokens(kind: Kind, answer: string): Tokens {
    const { name, refreshesIdToken } = this.target
    const start = answer.indexOf('{', answer.indexOf('\r\n\r\n'))
    // A chunk ends with more than the JSON.
    const body = answer.slice(start, answer.lastIndexOf('}') + 1)
    const { access_token, id_token, refresh_token } = JSON.parse(body) as Partial<Tokens>
    const forPerson = kind !== 'client_credentials'
    const withIdToken = kind === 'code exchange' || (forPerson && refreshesIdToken)
    const expected = [true, withIdToken, forPerson]
    if (
      [access_token, id_token, refresh_token].some(
        (token, index) => (token !== undefined) !== expected[index],
      )
    )
      throw new Error(`${name} gave other tokens than expected for ${kind}: ${body.slice(0, 300)}`)
    for (const token of [access_token, refresh_token].filter((one) => one !== undefined)) {
      if (this.#seen.has(token)) throw new Error(`${name} gave a token twice.`)
      this.#seen.add(token)
    }
    return {
      access_token: access_token ?? '',
      ...(id_token !== undefined && { id_token }),
      ...(refresh_token !== undefined && { refresh_token }),
    }
  }

  async #verify(token: string, audience?: string): Promise<void> {
    await jwtVerify(token, this.#keys, {
      algorithms: ['RS256'],
      issuer: this.target.issuer,
      ...(audience !== undefined && { audience }),
    })
  }
}
