import {
  createHash,
  createHmac,
  createPublicKey,
  generateKeyPairSync,
  type JsonWebKey,
  type KeyObject,
  randomBytes,
  randomUUID,
} from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { calculateJwkThumbprint, CompactSign, type JWK } from 'jose'

type Claims = Record<string, unknown>

interface ProviderKey {
  kid: string
  alg: string
  privateKey: KeyObject
  jwk: JWK
}

/** At once: Node 20 sometimes loses a key that is made beside other work. */
const newRsaKeys = () => generateKeyPairSync('rsa', { modulusLength: 2048 })
const rsaKeys: ReturnType<typeof newRsaKeys>[] = []
let taken = 0

/** Another one than the eleven before. To make each anew took a twentieth of the time of these tests. */
const nextRsaKeys = () => (rsaKeys[taken++ % 12] ??= newRsaKeys())

async function providerKey(alg: string): Promise<ProviderKey> {
  const { publicKey, privateKey } = alg.startsWith('ES')
    ? generateKeyPairSync('ec', { namedCurve: alg === 'ES384' ? 'P-384' : 'P-256' })
    : nextRsaKeys()
  const jwk = publicKey.export({ format: 'jwk' }) as JWK
  const kid = await calculateJwkThumbprint(jwk)
  return { kid, alg, privateKey, jwk: { ...jwk, kid, use: 'sig' } }
}

/** How a token is signed, if not as it should be. */
export type ForgedSignature = 'none' | 'HS256 by the public key' | 'HS256 by the secret' | 'a foreign key'

/** In what its answers differ from those of an honest provider. */
export interface Twists {
  /** The claims of the ID token, changed. */
  claims?: (claims: Claims) => Claims
  header?: Claims
  signature?: ForgedSignature
  /** This ID token, whatever was asked for. */
  idToken?: string
  /** Userinfo, instead of what the ID token says. */
  userinfo?: Claims
  /** Changes what the browser brings back. */
  brought?: (parameters: URLSearchParams) => void
  documents?: Claims
  /** What is answered at a path. */
  at?: Record<string, 'hang' | 'huge' | 'redirect' | { status: number; body: Claims }>
}

interface Authorised {
  parameters: URLSearchParams
  claims: Claims
}

/** A provider of OpenID Connect that signs whatever it is told to. Everybody who comes is `person`. */
export class UpstreamProvider {
  readonly clientId = 'tessera'
  readonly clientSecret = 'a secret: ~%/+'
  /** What it says of whoever signs in. */
  person: Claims = { sub: 'ada', email: 'ada@acme.example', name: 'Ada' }
  twists: Twists = {}
  /** Seconds since the epoch. */
  now = () => Math.floor(Date.now() / 1000)
  /** Paths, in the order in which they were asked for. */
  readonly asked: string[] = []
  /** The last request to the token endpoint. */
  tokenRequest: { authorization: string | undefined; body: URLSearchParams } | undefined
  /** What the last browser came with to sign out. */
  loggedOut: URLSearchParams | undefined
  #published: ProviderKey[] = []
  #signing: ProviderKey | undefined
  #foreign: ProviderKey | undefined
  readonly #codes = new Map<string, Authorised>()
  readonly #server: Server = createServer((request, response) => {
    this.#answer(request, response).catch((error: unknown) => response.writeHead(500).end(String(error)))
  })

  async listen(): Promise<void> {
    await this.rotate('RS256')
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve))
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  get issuer(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  /** Signs with a new key from now on, and publishes no other. */
  async rotate(alg = 'ES256'): Promise<void> {
    this.#signing = await providerKey(alg)
    this.#published = [this.#signing]
  }

  /** How often a path was asked for. */
  count = (path: string): number => this.asked.filter((one) => one === path).length

  /** What a browser brings back from the address that it was sent to. */
  authorise(address: string): URL {
    const { searchParams: parameters } = new URL(address)
    const code = randomBytes(16).toString('hex')
    const back = new URL(parameters.get('redirect_uri') ?? '')
    this.#codes.set(code, { parameters, claims: this.person })
    const brought = new URLSearchParams({ code, state: parameters.get('state') ?? '', iss: this.issuer })
    this.twists.brought?.(brought)
    back.search = brought.toString()
    return back
  }

  async logoutToken(
    claims: Claims = {},
    header: Claims = { typ: 'logout+jwt' },
    signature?: ForgedSignature,
  ) {
    const iat = this.now()
    const events = { 'http://schemas.openid.net/event/backchannel-logout': {} }
    const own = { iss: this.issuer, aud: this.clientId, iat, exp: iat + 120, jti: randomUUID(), events }
    return await this.sign({ ...own, sid: 'session-1', ...claims }, header, signature)
  }

  async sign(claims: Claims, header: Claims = {}, signature?: ForgedSignature): Promise<string> {
    const own = this.#signing
    if (own === undefined) throw new Error('It does not listen yet.')
    const key = signature === 'a foreign key' ? (this.#foreign ??= await providerKey(own.alg)) : own
    const full = { alg: own.alg, kid: own.kid, ...header }
    const payload = Buffer.from(JSON.stringify(claims))
    if (signature === undefined || signature === 'a foreign key')
      return await new CompactSign(payload)
        .setProtectedHeader(full)
        .sign(key.privateKey, { crit: { x: true } })
    const alg = signature === 'none' ? 'none' : 'HS256'
    const input = [JSON.stringify({ ...full, alg }), payload]
      .map((part) => Buffer.from(part).toString('base64url'))
      .join('.')
    if (signature === 'none') return `${input}.`
    const pem = createPublicKey({ key: own.jwk as JsonWebKey, format: 'jwk' }).export({
      type: 'spki',
      format: 'pem',
    })
    const secret = signature === 'HS256 by the secret' ? this.clientSecret : pem
    return `${input}.${createHmac('sha256', secret).update(input).digest('base64url')}`
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', this.issuer)
    this.asked.push(url.pathname)
    const otherwise = this.twists.at?.[url.pathname]
    if (otherwise === 'hang') return
    if (otherwise === 'huge') return void response.end(Buffer.alloc(1_048_577, ' '))
    if (otherwise === 'redirect')
      return void response.writeHead(302, { location: `${this.issuer}/jwks` }).end()
    const body = await bodyOf(request)
    const { status = 200, ...answer } = otherwise ?? (await this.#honest(url, request, body))
    if ('location' in answer) return void response.writeHead(303, { location: String(answer.location) }).end()
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer.body))
  }

  async #honest(
    url: URL,
    request: IncomingMessage,
    body: URLSearchParams,
  ): Promise<{ status?: number; body?: unknown; location?: string }> {
    switch (url.pathname) {
      case '/.well-known/openid-configuration':
        return { body: this.#documents() }
      case '/jwks':
        return { body: { keys: this.#published.map(({ jwk }) => jwk) } }
      case '/authorize':
        return { location: this.authorise(url.href).href }
      case '/token':
        return await this.#token(request, body)
      case '/userinfo':
        return { body: this.twists.userinfo ?? this.person }
      case '/logout':
        this.loggedOut = url.searchParams
        return { location: url.searchParams.get('post_logout_redirect_uri') ?? '/' }
      default:
        return { status: 404, body: {} }
    }
  }

  #documents(): Claims {
    const at = (path: string) => `${this.issuer}${path}`
    return {
      issuer: this.issuer,
      authorization_endpoint: at('/authorize'),
      token_endpoint: at('/token'),
      jwks_uri: at('/jwks'),
      userinfo_endpoint: at('/userinfo'),
      end_session_endpoint: at('/logout'),
      authorization_response_iss_parameter_supported: true,
      token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'private_key_jwt'],
      ...this.twists.documents,
    }
  }

  /** A code counts once, with its verifier and its redirect URI. */
  async #token(request: IncomingMessage, body: URLSearchParams) {
    this.tokenRequest = { authorization: request.headers.authorization, body }
    const code = body.get('code') ?? ''
    const found = this.#codes.get(code)
    this.#codes.delete(code)
    const verifier = body.get('code_verifier') ?? ''
    const isFor =
      found?.parameters.get('redirect_uri') === body.get('redirect_uri') &&
      found?.parameters.get('code_challenge') === createHash('sha256').update(verifier).digest('base64url')
    if (found === undefined || !isFor) return { status: 400, body: { error: 'invalid_grant' } }
    const iat = this.now()
    const nonce = found.parameters.get('nonce')
    const own = { iss: this.issuer, aud: this.clientId, iat, exp: iat + 300, nonce, ...found.claims }
    const { claims = (same: Claims) => same, header, signature, idToken } = this.twists
    const id_token = idToken ?? (await this.sign(claims(own), header, signature))
    return { body: { access_token: randomUUID(), token_type: 'Bearer', expires_in: 300, id_token } }
  }
}

async function bodyOf(request: IncomingMessage): Promise<URLSearchParams> {
  let body = ''
  for await (const chunk of request as AsyncIterable<Buffer>) body += chunk.toString()
  return new URLSearchParams(body)
}

/** One that listens. */
export async function startProvider(): Promise<UpstreamProvider> {
  const provider = new UpstreamProvider()
  await provider.listen()
  return provider
}
