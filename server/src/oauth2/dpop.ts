import { hash } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { calculateJwkThumbprint, EmbeddedJWK, errors, type JWTPayload, jwtVerify } from 'jose'
import { dpopAlgs, dpopChallenge, proofLife, proofSkew } from '../protocol/dpop.ts'
import { ProtocolError } from '../protocol/errors.ts'
import { invalidRequest } from '../protocol/refusals.ts'
import type { Service } from '../service.ts'
import type { Client } from '../store/clients.ts'
import { useProof } from '../store/used-once.ts'

const longestProof = 8192

/** The key that the tokens of a request are to be bound to; undefined: they are not. */
export async function boundKey(
  service: Service,
  request: FastifyRequest,
  client: Client,
): Promise<string | undefined> {
  const jkt = await provenKey(service, request)
  if (jkt !== undefined || client.dpop_bound_access_tokens === 0) return jkt
  throw invalidRequest('The tokens of this client are bound to a key: send a DPoP proof (RFC 9449).')
}

/**
 * The thumbprint of the key that a request proves to have (RFC 9449 §4.3); undefined: it sends no proof. Each proof
 * counts once, in every process; with `token`, it has to be for that one. Throws `invalid_dpop_proof`.
 */
export async function provenKey(
  service: Service,
  request: FastifyRequest,
  token?: string,
): Promise<string | undefined> {
  // Node joins repeated headers with a comma, and such a text is no JWT.
  const proof = [request.headers['dpop']].flat().join(', ')
  if (request.headers['dpop'] === undefined) return undefined
  const refuse = (problem: string) => invalidProof(problem, token !== undefined)
  if (proof.length > longestProof) throw refuse(`is longer than ${longestProof} characters`)
  const { claims, jkt } = await verified(service, proof, refuse)
  const { htm, htu, ath, iat = 0, jti } = claims
  if (htm !== request.method) throw refuse(`has another htm than ${request.method}`)
  const url = addressOf(service, request)
  if (withoutQuery(htu) !== url) throw refuse(`has another htu than ${url}`)
  if (token !== undefined && ath !== hash('sha256', token, 'base64url'))
    throw refuse('has no ath of this access token')
  if (typeof jti !== 'string' || jti === '' || jti.length > 255)
    throw refuse('needs a jti of 1 to 255 characters')
  if (await useProof(service.store, jkt, { jti, iat })) return jkt
  throw refuse('was used before; make a new one for each request')
}

async function verified(
  service: Service,
  proof: string,
  refuse: (problem: string) => ProtocolError,
): Promise<{ claims: JWTPayload; jkt: string }> {
  try {
    const { payload, protectedHeader } = await jwtVerify(proof, broughtKey, {
      algorithms: [...dpopAlgs],
      typ: 'dpop+jwt',
      currentDate: new Date(service.now()),
      maxTokenAge: proofLife - proofSkew,
      clockTolerance: proofSkew,
    })
    return { claims: payload, jkt: await calculateJwkThumbprint(protectedHeader.jwk ?? {}) }
  } catch (error) {
    // The two others: the key does not fit what the header says, or is none.
    if (![errors.JOSEError, TypeError, DOMException].some((one) => error instanceof one)) throw error
    const { message } = error as Error
    throw refuse(`does not count: ${message.slice(0, 200).replaceAll(/[^ -~]|["\\]/g, '')}`)
  }
}

/** An RSA key of any size or exponent would be as dear to verify as its holder likes; 683 characters are 4096 bits. */
const broughtKey: typeof EmbeddedJWK = async (header, token) => {
  const { n = '', e = 'AQAB' } = header?.jwk ?? {}
  if (n.length > 683 || e !== 'AQAB')
    throw new errors.JWKInvalid('the RSA key is too large or has an unusual exponent')
  return await EmbeddedJWK(header, token)
}

/**
 * The address that was asked, as the client knows it: nothing of it comes from Host or X-Forwarded, nor from a request line
 * that names a host too (RFC 9112 §3.2.2).
 */
function addressOf({ issuer }: Service, { originalUrl }: FastifyRequest): string {
  const [path] = originalUrl.replace(/^https?:\/\/[^/?#]*/, '').split('?')
  return new URL(`${new URL(issuer).origin}${path}`).href
}

/** RFC 9449 §4.3: query and fragment count for nothing. */
function withoutQuery(htu: unknown): string | undefined {
  if (typeof htu !== 'string' || !URL.canParse(htu)) return undefined
  return Object.assign(new URL(htu), { search: '', hash: '' }).href
}

/** The refusal of a proof: where a token is presented it is 401, with how to do better (RFC 9449 §7.1). */
function invalidProof(problem: string, isOfToken: boolean): ProtocolError {
  const description = `The DPoP proof ${problem}.`
  const headers = { 'www-authenticate': dpopChallenge('invalid_dpop_proof', description) }
  return new ProtocolError('invalid_dpop_proof', description, isOfToken ? { status: 401, headers } : {})
}
