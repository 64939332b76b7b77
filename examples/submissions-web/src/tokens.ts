/**
 * The tokens of a signed-in person: how they are kept, and how they are taken apart for show.
 */
import type { IDToken, TokenEndpointResponse, TokenEndpointResponseHelpers } from 'openid-client'
import { type Profile, withActive } from './profiles.ts'

export interface SignedIn {
  readonly accessToken: string
  /** Epoch milliseconds by our own clock: `expires_in` counts from the moment of the answer. */
  readonly accessTokenExpiresAt: number
  readonly refreshToken: string | undefined
  readonly idToken: string
  /** The claims of the validated ID token: the only ones that this application believes. */
  readonly claims: IDToken
  /** Those that the person has used since they signed in, the active one last. An older version kept none. */
  readonly profiles?: readonly Profile[]
}

type TokenAnswer = TokenEndpointResponse & TokenEndpointResponseHelpers

/**
 * `previous` fills in what an answer may leave out: a refresh need not repeat what has not changed. `before`: who was
 * signed in when a new sign-in began, perhaps the same person.
 */
export function signedInFrom(
  answer: TokenAnswer,
  now: number,
  { previous, before = previous }: { previous?: SignedIn | undefined; before?: SignedIn | undefined } = {},
): SignedIn {
  const idToken = answer.id_token ?? previous?.idToken
  const claims = answer.claims() ?? previous?.claims
  if (idToken === undefined || claims === undefined) throw new TypeError('the answer holds no ID token')
  if (previous !== undefined && claims.sub !== previous.claims.sub) {
    // OpenID Connect Core 12.2: a refresh never changes who is signed in.
    throw new TypeError('the refreshed ID token is for another person')
  }
  return {
    accessToken: answer.access_token,
    accessTokenExpiresAt: now + (answer.expires_in ?? 0) * 1000,
    refreshToken: answer.refresh_token ?? previous?.refreshToken,
    idToken,
    claims,
    profiles: withActive((before?.claims.sub === claims.sub ? before.profiles : undefined) ?? [], claims),
  }
}

export type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json }
export type Claims = Readonly<Record<string, Json | undefined>>

export interface DecodedToken {
  readonly header: Claims
  readonly payload: Claims
}

/**
 * Takes a JWT apart WITHOUT verifying it. Good for a page that shows tokens, and for nothing else: decisions rest
 * on the validated ID token, and the access token is the API's to read. To its client it is just a string.
 */
export function decodeForDisplay(jwt: string): DecodedToken | undefined {
  const [header, payload] = jwt.split('.').map(decodePart)
  return header === undefined || payload === undefined ? undefined : { header, payload }
}

function decodePart(part: string): Claims | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString('utf8'))
    return typeof value === 'object' && value !== null ? (value as Claims) : undefined
  } catch {
    return undefined
  }
}

/** The claims that are seconds since 1970 (RFC 7519 NumericDate), and what each one says. */
export const TIME_CLAIMS: Readonly<Record<string, string>> = {
  auth_time: 'signed in',
  iat: 'issued',
  nbf: 'valid from',
  exp: 'expires',
  updated_at: 'profile changed',
}
