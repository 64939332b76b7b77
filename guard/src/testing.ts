/**
 * Mints tokens for a service's tests, in the form of Tessera's, with keys of its own. `createTestIssuer` works without
 * network; `listenTestIssuer` serves the same over HTTP, for a service that is tested as a process.
 */
import { base64url, CompactSign, calculateJwkThumbprint, exportJWK, generateKeyPair, type JWK } from 'jose'
import type { AccessTokenClaims } from './claims.ts'
import type { FetchLike, GuardOptions } from './options.ts'

/** Claims to set or, with undefined, to leave out; any other claim can be added. */
export type TestClaims = { readonly [K in keyof AccessTokenClaims]?: AccessTokenClaims[K] | undefined } & {
  readonly [claim: string]: unknown
}

export interface TestIssuerOptions {
  /** Default: `https://issuer.test`. */
  readonly issuer?: string | undefined
  readonly audience: string
  /** What tokens are signed with, by the `access_token_alg` of the service. Default: `RS256`. */
  readonly alg?: TestAlgorithm | undefined
  /** The clock, in ms since 1970. Default `Date.now`. */
  readonly now?: (() => number) | undefined
}

type TestAlgorithm = 'RS256' | 'ES256'

export interface TestIssuer {
  readonly issuer: string
  readonly audience: string
  /** Options of `createGuard`: issuer, audience, clock, a fetch that answers in memory. */
  readonly guardOptions: GuardOptions & { readonly fetch: FetchLike }
  /** Answers for the discovery document and the key set, and 404 for all else. */
  readonly fetch: FetchLike
  /** A person's access token, valid for 900 s. Claims and header members given here replace the usual ones. */
  token(claims?: TestClaims, header?: Readonly<Record<string, unknown>>): Promise<string>
  /** A machine's access token: `sub` is its `client_id`, and there is no profile. */
  machineToken(claims?: TestClaims): Promise<string>
  /** A token that expired one second ago. */
  expiredToken(claims?: TestClaims): Promise<string>
  /** A token for another service. */
  otherAudienceToken(claims?: TestClaims): Promise<string>
  /** A token that another issuer signed with its own key and names itself in. */
  otherIssuerToken(claims?: TestClaims): Promise<string>
  /** A token that another key signed under this issuer's name and `kid`. */
  forgedToken(claims?: TestClaims): Promise<string>
  /** An ID token of this issuer, which is no access token. */
  idToken(claims?: TestClaims): Promise<string>
  /** Signs with a new key from now on. The old one stays published unless it is to be dropped. */
  rotate(options?: { readonly drop?: boolean }): Promise<void>
}

/** A holder of a key that tokens are bound to (DPoP). */
export interface TestHolder {
  /** The thumbprint, for a token of theirs: `issuer.token({ cnf: { jkt: holder.jkt } })`. */
  readonly jkt: string
  /** The headers of one request: the token, and a proof for this method and address. Each proof counts once. */
  headers(token: string, method: string, url: string): Promise<{ authorization: string; dpop: string }>
}

interface SigningKey {
  readonly kid: string
  readonly alg: TestAlgorithm
  readonly privateKey: Awaited<ReturnType<typeof generateKeyPair>>['privateKey']
  readonly jwk: JWK
}

/** Makes an issuer in memory. Its first key takes about 0.1 s. */
export async function createTestIssuer(options: TestIssuerOptions): Promise<TestIssuer> {
  const { issuer = 'https://issuer.test', audience, alg = 'RS256', now = Date.now } = options
  let signing = await createKey(alg)
  let published = [signing]
  const seconds = () => Math.floor(now() / 1000)
  const fetch: FetchLike = async (url) => serve(url, issuer, published)
  const person = (claims: TestClaims = {}) => ({ ...usualClaims(issuer, audience, seconds()), ...claims })
  const forged = async (claims: TestClaims) => sign(person(claims), await createKey(alg, signing.kid))

  return {
    issuer,
    audience,
    fetch,
    guardOptions: { issuer, audience, now, fetch },
    token: (claims, header) => sign(person(claims), signing, header),
    machineToken: (claims) =>
      sign({ ...person(withoutPerson), sub: 'test-machine', client_id: 'test-machine', ...claims }, signing),
    expiredToken: (claims) => sign(person({ iat: seconds() - 901, exp: seconds() - 1, ...claims }), signing),
    otherAudienceToken: (claims) => sign(person({ aud: 'https://other.test/api', ...claims }), signing),
    otherIssuerToken: (claims) => forged({ iss: 'https://other-issuer.test', ...claims }),
    forgedToken: (claims) => forged(claims ?? {}),
    idToken: (claims) => sign(person({ aud: 'test-client', nonce: 'n', ...claims }), signing, { typ: 'JWT' }),
    async rotate({ drop = false } = {}) {
      signing = await createKey(alg)
      published = drop ? [signing] : [...published, signing]
    },
  }
}

/**
 * Makes an issuer that answers over HTTP on loopback, on a free port.
 * @returns the issuer, and `close`, which ends the server and its connections.
 */
export async function listenTestIssuer(
  options: Omit<TestIssuerOptions, 'issuer'>,
): Promise<TestIssuer & { close(): Promise<void> }> {
  const { createServer } = await import('node:http')
  let answer: FetchLike | undefined
  const server = createServer((request, response) => {
    const pending = answer?.(request.url ?? '/', {
      headers: {},
      redirect: 'manual',
      signal: new AbortController().signal,
    })
    void pending?.then(async (found) => {
      response.writeHead(found.status, { 'content-type': 'application/json' })
      response.end(await found.text())
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  const issuer = await createTestIssuer({ ...options, issuer: `http://127.0.0.1:${port}` })
  answer = (path, init) => issuer.fetch(`${issuer.issuer}${path}`, init)
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  return { ...issuer, close }
}

/** Makes a key that tokens can be bound to, of a service with the option `dpop`. */
export async function createTestHolder({ now = Date.now }: { now?: () => number } = {}): Promise<TestHolder> {
  const key = await createKey('ES256')
  const { kid: _, ...jwk } = key.jwk
  return {
    jkt: await calculateJwkThumbprint(jwk),
    async headers(token, method, url) {
      const { origin, pathname } = new URL(url)
      const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(token))
      const claims = {
        jti: crypto.randomUUID(),
        htm: method,
        htu: origin + pathname,
        iat: Math.floor(now() / 1000),
        ath: base64url.encode(new Uint8Array(hash)),
      }
      const dpop = await sign(claims, key, { typ: 'dpop+jwt', kid: undefined, jwk })
      return { authorization: `DPoP ${token}`, dpop }
    },
  }
}

const withoutPerson: TestClaims = {
  sid: undefined,
  auth_time: undefined,
  acr: undefined,
  amr: undefined,
  profile_uuid: undefined,
  role_code: undefined,
}

function usualClaims(issuer: string, audience: string, seconds: number): TestClaims {
  return {
    iss: issuer,
    sub: '00000000-0000-4000-8000-000000000001',
    aud: audience,
    exp: seconds + 900,
    iat: seconds,
    jti: crypto.randomUUID(),
    client_id: 'test-client',
    scope: 'openid service.api',
    sid: '00000000-0000-4000-8000-000000000002',
    auth_time: seconds,
    acr: '1',
    amr: ['pwd'],
    profile_uuid: '00000000-0000-4000-8000-000000000003',
    role_code: 'tester',
    permissions: [],
  }
}

async function createKey(alg: TestAlgorithm, kid: string = crypto.randomUUID()): Promise<SigningKey> {
  const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true })
  const jwk = { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' }
  return { kid, alg, privateKey, jwk }
}

function sign(
  claims: TestClaims,
  key: SigningKey,
  header: Readonly<Record<string, unknown>> = {},
): Promise<string> {
  return new CompactSign(new TextEncoder().encode(JSON.stringify(claims)))
    .setProtectedHeader({ alg: key.alg, typ: 'at+jwt', kid: key.kid, ...header })
    .sign(key.privateKey)
}

function serve(url: string, issuer: string, keys: readonly SigningKey[]): Response {
  const base = issuer.replace(/\/$/, '')
  if (url === `${base}/.well-known/openid-configuration`) {
    return Response.json({ issuer, jwks_uri: `${base}/oauth2/jwks` })
  }
  if (url === `${base}/oauth2/jwks`) return Response.json({ keys: keys.map((key) => key.jwk) })
  return new Response('{}', { status: 404 })
}
