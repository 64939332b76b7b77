import { createHash, randomUUID } from 'node:crypto'
import { calculateJwkThumbprint, SignJWT } from 'jose'
import { type Claims, keyOf, type Signing } from './workload-tokens.ts'

/** A key, the proofs that it signs, and what it is known by. */
export interface ProofKey extends Signing {
  jkt: string
}

export async function proofKey(alg: Signing['alg'] = 'ES256'): Promise<ProofKey> {
  const key = await keyOf(alg, 'proofs')
  const { kid: _, ...jwk } = key.jwk
  return { ...key, jwk, jkt: await calculateJwkThumbprint(jwk) }
}

/** What a proof is for; what differs from a right one stands in `claims` and `header`. */
export interface Proving {
  url: string
  method?: string
  token?: string | undefined
  now?: number
  claims?: Claims
  header?: Record<string, unknown>
}

/** Seconds. */
const seconds = () => Math.floor(Date.now() / 1000)

/** A proof as RFC 9449 §4.2 describes it. */
export async function proofBy(
  { privateKey, jwk, alg }: Pick<Signing, 'privateKey' | 'jwk' | 'alg'>,
  { url, method = 'POST', token, now = seconds(), claims = {}, header = {} }: Proving,
): Promise<string> {
  const ath = token === undefined ? {} : { ath: createHash('sha256').update(token).digest('base64url') }
  const said = { jti: randomUUID(), htm: method, htu: url, iat: now, ...ath, ...claims }
  return await new SignJWT(JSON.parse(JSON.stringify(said)) as Claims)
    .setProtectedHeader({ alg, typ: 'dpop+jwt', jwk, ...header })
    .sign(privateKey)
}
