/** What `tessera compare` asks of a service: every answer is bounded, checked, and no redirect is followed. */
import { hash } from 'node:crypto'
import { isLoopbackHost } from '../../protocol/redirect-uri.ts'
import type { Claims } from './claims.ts'

const largest = 512 * 1024
const mostClaims = 1000
const deepest = 32
const timeout = 15_000

/** An issuer whose discovery document was read, with the addresses that are used of it. */
export interface Issuer {
  issuer: string
  authorization: string
  token: string
  userinfo: string | undefined
  revocation: string | undefined
  /** Whether its answers name it (RFC 9207 §2.4). */
  namesItself: boolean
  takesBasic: boolean
}

export interface ComparedClient {
  id: string
  secret: string | undefined
  redirectUri: string
}

/** Reads the discovery document (OpenID Connect Discovery 1.0 §4). Throws what is wrong with it. */
export async function readIssuer(named: string): Promise<Issuer> {
  refuseAddress(named, undefined, `${named} is no issuer`)
  const address = `${named.replace(/\/$/, '')}/.well-known/openid-configuration`
  const { status, body } = await asked(address)
  if (status !== 200 || body === undefined) throw new Error(`${named} has no discovery document (${status}).`)
  const { issuer } = body
  // §4.3: it MUST be the one that was asked.
  if (issuer !== named)
    throw new Error(
      typeof issuer === 'string'
        ? `The service at ${named} is ${short(issuer)}: name it so.`
        : `The discovery document of ${named} names no issuer.`,
    )
  const endpoint = (name: string): string | undefined => {
    const at = body[`${name}_endpoint`]
    if (at === undefined || at === null) return undefined
    if (typeof at !== 'string') throw new Error(`The ${name}_endpoint of ${named} is no address.`)
    refuseAddress(at, named, `The ${name}_endpoint of ${named} is not used`)
    return at
  }
  const [authorization, token] = [endpoint('authorization'), endpoint('token')]
  if (authorization === undefined || token === undefined)
    throw new Error(`The discovery document of ${named} names no authorization or token endpoint.`)
  const methods = body.token_endpoint_auth_methods_supported
  return {
    issuer: named,
    authorization,
    token,
    userinfo: endpoint('userinfo'),
    revocation: endpoint('revocation'),
    namesItself: body.authorization_response_iss_parameter_supported === true,
    takesBasic: !Array.isArray(methods) || methods.includes('client_secret_basic'),
  }
}

/** An address of TLS, or on this machine where the issuer is there too. */
function refuseAddress(address: string, issuer: string | undefined, why: string): void {
  const url = URL.canParse(address) ? new URL(address) : undefined
  if (url === undefined || url.username !== '' || url.password !== '' || url.hash !== '')
    throw new Error(`${why}: it must be an address such as https://id.example.com.`)
  if (issuer === undefined && url.search !== '') throw new Error(`${why}: it has a query.`)
  const isHere =
    isLoopbackHost(url.hostname) && (issuer === undefined || isLoopbackHost(new URL(issuer).hostname))
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isHere))
    throw new Error(`${why}: it must be https, or on this machine.`)
}

/** What both services were asked for, as an application sees the answers. */
export interface Answers {
  token: Claims
  id: Claims
  access: Claims | undefined
  userinfo: Claims | undefined
}

/** Exchanges the code and reads what it gives. The tokens are revoked where that is possible, and kept nowhere. */
export async function answersOf(
  issuer: Issuer,
  client: ComparedClient,
  { code, verifier, nonce }: { code: string; verifier: string; nonce: string },
): Promise<Answers> {
  const exchange = {
    grant_type: 'authorization_code',
    code,
    redirect_uri: client.redirectUri,
    code_verifier: verifier,
  }
  const { status, body = {} } = await asked(issuer.token, form(issuer, client, exchange))
  if (status !== 200) throw new Error(`${issuer.issuer} gave no tokens (${status}): ${reasonOf(body)}`)
  try {
    const {
      id_token: idToken,
      access_token: access,
      refresh_token: refresh,
      token_type,
      expires_in,
      scope,
    } = body
    const id = claimsOf(idToken)
    if (id === undefined) throw new Error(`${issuer.issuer} gave no ID token: does --scope have openid?`)
    refuseForeign(issuer, client, id, nonce)
    return {
      token: present({
        token_type: typeof token_type === 'string' ? token_type.toLowerCase() : token_type,
        expires_in,
        scope,
        refresh_token: refresh === undefined ? undefined : 'given',
      }),
      id: without(id, body),
      access: without(claimsOf(access), body),
      userinfo: without(typeof access === 'string' ? await userinfoOf(issuer, access) : undefined, body),
    }
  } finally {
    await revoked(issuer, client, body).catch(() => undefined)
  }
}

/** Claims in which no token stands that came with them. */
function without<T extends Claims | undefined>(claims: T, answer: Claims): T {
  if (claims === undefined) return claims
  const tokens = [answer.id_token, answer.access_token, answer.refresh_token].filter(
    (one) => typeof one === 'string' && one.length > 7,
  )
  const text = tokens.reduce<string>(
    (left, one) => left.replaceAll(String(one), '[token]'),
    JSON.stringify(claims),
  )
  return JSON.parse(text) as T
}

const present = (all: Claims): Claims =>
  Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined))

/** What an application would refuse (OpenID Connect Core 1.0 §3.1.3.7); the signature is spared by TLS. */
function refuseForeign({ issuer }: Issuer, client: ComparedClient, id: Claims, nonce: string): void {
  if (id.iss !== issuer) throw new Error(`The ID token of ${issuer} names another issuer.`)
  if (![id.aud].flat().includes(client.id))
    throw new Error(`The ID token of ${issuer} is for another client.`)
  if (id.nonce !== nonce) throw new Error(`The ID token of ${issuer} is of another sign-in.`)
}

async function userinfoOf({ userinfo }: Issuer, access: string): Promise<Claims | undefined> {
  if (userinfo === undefined) return undefined
  const { status, text, body } = await asked(userinfo, { headers: { authorization: `Bearer ${access}` } })
  if (status !== 200) return undefined
  // §5.3.2: it may be signed.
  return body === undefined ? claimsOf(text.trim()) : bounded(body)
}

async function revoked(issuer: Issuer, client: ComparedClient, tokens: Claims): Promise<void> {
  const token = tokens.refresh_token ?? tokens.access_token
  if (issuer.revocation === undefined || typeof token !== 'string') return
  await asked(issuer.revocation, form(issuer, client, { token }))
}

/** A form of the client, which proves itself by its secret where it has one (RFC 6749 §2.3.1). */
function form(
  { takesBasic }: Issuer,
  { id, secret }: ComparedClient,
  fields: Record<string, string>,
): RequestInit {
  const isBasic = secret !== undefined && takesBasic
  const own = { client_id: id, ...(secret !== undefined && { client_secret: secret }) }
  const encoded = (text: string) => new URLSearchParams([['', text]]).toString().slice(1)
  const basic = Buffer.from(`${encoded(id)}:${encoded(secret ?? '')}`).toString('base64')
  return {
    method: 'POST',
    body: new URLSearchParams({ ...fields, ...(!isBasic && own) }),
    headers: isBasic ? { authorization: `Basic ${basic}` } : {},
  }
}

/** The claims of a JWT and what its header says of the kind; undefined: it is none, as an opaque token. */
function claimsOf(token: unknown): Claims | undefined {
  if (typeof token !== 'string') return undefined
  const [header, payload, signature, ...more] = token.split('.')
  if (signature === undefined || more.length > 0) return undefined
  const decoded = (part = '') => objectOf(Buffer.from(part, 'base64url').toString())
  const [head, claims] = [decoded(header), decoded(payload)]
  if (head === undefined || claims === undefined) return undefined
  const named = present({ 'header alg': head.alg, 'header typ': head.typ, 'header kid': head.kid })
  return bounded({ ...claims, ...named })
}

function bounded(claims: Claims): Claims {
  if (Object.keys(claims).length > mostClaims)
    throw new Error('An answer has more claims than any service gives.')
  return claims
}

interface Answer {
  status: number
  text: string
  /** Undefined: it is no JSON object. */
  body: Claims | undefined
}

async function asked(address: string, init: RequestInit = {}): Promise<Answer> {
  const { origin } = new URL(address)
  try {
    const signal = AbortSignal.timeout(timeout)
    const headers = { accept: 'application/json', ...(init.headers as Record<string, string> | undefined) }
    const response = await fetch(address, { ...init, headers, redirect: 'manual', signal })
    if (response.status >= 300 && response.status < 400) {
      await response.body?.cancel()
      throw new Refusal(`${origin} leads elsewhere (${response.status}), which is not followed.`)
    }
    const text = await textOf(response, origin)
    return { status: response.status, text, body: objectOf(text) }
  } catch (error) {
    if (error instanceof Refusal) throw error
    const { cause = error } = error as Error
    const { code, message } = cause as NodeJS.ErrnoException
    throw new Error(`${origin} gave no answer (${short(code ?? message)}).`, { cause: error })
  }
}

class Refusal extends Error {}

async function textOf({ body }: Response, origin: string): Promise<string> {
  const parts: Uint8Array[] = []
  let size = 0
  for await (const part of body ?? []) {
    size += part.byteLength
    // Leaving the loop cancels the rest.
    if (size > largest) throw new Refusal(`${origin} answered with more than ${largest / 1024} KiB.`)
    parts.push(part)
  }
  return Buffer.concat(parts).toString()
}

function objectOf(text: string): Claims | undefined {
  if (isDeep(text)) return undefined
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Claims)
      : undefined
  } catch {
    return undefined
  }
}

/** Whether a text is nested deeper than any claim: too deep for what compares and writes it. */
function isDeep(text: string): boolean {
  let depth = 0
  let inText = false
  for (let at = 0; at < text.length; at++) {
    const character = text[at]
    if (inText && character === '\\') at++
    else if (character === '"') inText = !inText
    else if (inText) continue
    else if (character === '[' || character === '{') depth++
    else if (character === ']' || character === '}') depth--
    if (depth > deepest) return true
  }
  return false
}

const short = (text: string): string => (text.length > 200 ? `${text.slice(0, 200)}…` : text)

/** Why, as the service says it. */
export const reasonOf = ({ error, error_description: description }: Claims): string =>
  short(String(description ?? error ?? 'it does not say why'))

/** An authorization request for the person and the client, with PKCE (RFC 7636). */
export function authorizationAt(
  { authorization }: Issuer,
  { id, redirectUri }: ComparedClient,
  { scope, as, state, nonce, verifier }: Record<'scope' | 'as' | 'state' | 'nonce' | 'verifier', string>,
): string {
  const url = new URL(authorization)
  const parameters = {
    client_id: id,
    redirect_uri: redirectUri,
    response_type: 'code',
    scope,
    state,
    nonce,
    login_hint: as,
    code_challenge: hash('sha256', verifier, 'base64url'),
    code_challenge_method: 'S256',
  }
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
  return url.href
}
