/** One that is measured, Tessera or a peer: what a client has to know of it, and how its requests look. */
import { createHash, randomBytes } from 'node:crypto'
import { form, get } from '../load.ts'

/** A peer's process prints this as a line of JSON when it is ready. */
export interface Known {
  issuer: string
  port: number
  /** Paths. */
  jwks: string
  authorize: string
  token: string
  /** Of somebody who is signed in. */
  cookie?: string
  /** What a public client sends to the authorization endpoint, beside what every request has of its own. */
  web: { client_id: string; redirect_uri: string } & Record<string, string>
  /** What a confidential client sends for a token of its own. */
  machine: { client_id: string } & Record<string, string>
}

export interface Target extends Known {
  name: string
  version: string
  cookie: string
  /** The status of the redirect that brings a code. */
  redirect: 302 | 303
  /** Whether a refresh is answered with an ID token as well. */
  refreshesIdToken: boolean
  /** Begins to count: yields what its processes used since, user and system, in µs. */
  countCpu(): () => number
  stop(): Promise<void>
}

export interface Authorization {
  request: string
  state: string
  verifier: string
}

export function machineRequest({ token, machine }: Target): string {
  return form(token, { grant_type: 'client_credentials', ...machine })
}

export function authorization({ authorize, web, cookie }: Known): Authorization & { path: string } {
  const verifier = randomBytes(32).toString('base64url')
  const state = randomBytes(16).toString('base64url')
  const query = new URLSearchParams({
    ...web,
    response_type: 'code',
    state,
    nonce: randomBytes(16).toString('base64url'),
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  })
  const path = `${authorize}?${query}`
  return { path, state, verifier, request: get(path, { cookie: cookie ?? '' }) }
}

/** `answer`: the redirect that the authorization was answered with. */
export function exchangeRequest({ token, web }: Target, asked: Authorization, answer: string): string {
  const location = /^location: (.+)\r$/im.exec(answer)?.[1] ?? ''
  const { searchParams } = new URL(location)
  const code = searchParams.get('code')
  if (code === null || searchParams.get('state') !== asked.state)
    throw new Error(`There is no code for this request in ${location}`)
  return form(token, {
    grant_type: 'authorization_code',
    client_id: web.client_id,
    redirect_uri: web.redirect_uri,
    code,
    code_verifier: asked.verifier,
  })
}

export function refreshRequest({ token, web }: Target, refreshToken: string): string {
  return form(token, {
    grant_type: 'refresh_token',
    client_id: web.client_id,
    refresh_token: refreshToken,
  })
}
