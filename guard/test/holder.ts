import { createHash, randomUUID } from 'node:crypto'
import { calculateJwkThumbprint, type CryptoKey, exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose'
import { type CredentialSource, createGuard, type Guard, type GuardOptions } from '../src/index.ts'
import { createTestIssuer, type TestClaims } from '../src/testing.ts'
import { audience, create } from './issuer.ts'

export const origin = 'https://submissions.acme.example'
export const url = `${origin}/s/vista-import`
export const algs = 'DPoP algs="ES256 PS256 EdDSA"'

/** Who has a key that tokens are bound to. */
export interface Holder {
  readonly alg: string
  readonly key: CryptoKey
  readonly jwk: JWK
  readonly jkt: string
}

export async function createHolder(alg: string): Promise<Holder> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true })
  const jwk = await exportJWK(publicKey)
  return { alg, key: privateKey, jwk, jkt: await calculateJwkThumbprint(jwk) }
}

/** What a test changes of the usual proof: one by the holder, for POST on the address, with the token. */
interface Change {
  readonly claims?: Readonly<Record<string, unknown>>
  readonly header?: Readonly<Record<string, unknown>>
  readonly by?: Holder
  readonly token?: string
}

/** What a test changes of the usual request. */
export interface Sent {
  readonly proof?: string | readonly string[]
  readonly authorization?: string
  readonly method?: string
  readonly target?: string
  readonly more?: Readonly<Record<string, string>>
}

/** A service with a guard, by a clock that stands still, and a holder with a token that is bound to their key. */
export async function startBound() {
  const clock = { ms: 1_800_000_000_000 }
  const issuer = await createTestIssuer({ audience, now: () => clock.ms })
  const guardWith = (options: Partial<GuardOptions> = {}): Guard =>
    createGuard({ ...issuer.guardOptions, dpop: { origin }, ...options })
  const guard = guardWith()
  const boundTo = ({ jkt }: Holder, claims: TestClaims = {}) =>
    issuer.token({ permissions: [create], cnf: { jkt }, ...claims })
  const holder = await createHolder('ES256')
  const token = await boundTo(holder)

  function prove({ claims, header, by = holder, token: of = token }: Change = {}): Promise<string> {
    const ath = createHash('sha256').update(of).digest('base64url')
    return new SignJWT({ jti: randomUUID(), htm: 'POST', htu: url, iat: clock.ms / 1000, ath, ...claims })
      .setProtectedHeader({ alg: by.alg, typ: 'dpop+jwt', jwk: by.jwk, ...header })
      .sign(by.key)
  }

  /** A request as node:http has it. */
  const requestOf = ({ proof, authorization = `DPoP ${token}`, method, target, more }: Sent) =>
    ({
      method: method ?? 'POST',
      url: target ?? '/s/vista-import',
      headers: { authorization, ...(proof !== undefined && { dpop: proof }), ...more },
    }) satisfies CredentialSource

  async function told(sent: Sent, by: Guard = guard): Promise<string> {
    const decision = await by.check(requestOf(sent), create)
    if (decision.allowed) return 'allowed'
    return `${decision.status} ${decision.reason}: ${decision.body.error_description}`
  }

  return { clock, issuer, guard, guardWith, holder, token, boundTo, prove, requestOf, told }
}
