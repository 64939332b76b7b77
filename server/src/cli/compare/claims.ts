/** What two services say of one person, claim by claim, and whether an application would notice. Pure. */
import { isDeepStrictEqual } from 'node:util'

export type Claims = Readonly<Record<string, unknown>>

/** Answers of both services of one kind: an ID token, an access token, userinfo. Undefined: there is none. */
export interface Pair {
  of: string
  here: Claims | undefined
  there: Claims | undefined
}

type Verdict = 'same' | 'always_differs' | 'changed' | 'type_changed' | 'only_here' | 'only_there'

export interface ClaimRow {
  in: string
  claim: string
  here: unknown
  there: unknown
  verdict: Verdict
  /** Whether an application that was made for the other service would notice. */
  noticed: boolean
  why?: string
}

/** Claims of one sign-in, or of the service itself: no application compares them with anything but what it asked for. */
const ofEachToken = new Set([
  ...[
    'iat',
    'exp',
    'nbf',
    'auth_time',
    'jti',
    'sid',
    'session_state',
    'nonce',
    'at_hash',
    'c_hash',
    's_hash',
  ],
  ...['expires_in', 'refresh_expires_in', 'not-before-policy', 'updated_at', 'header kid'],
])

/** Seldom read: an application that does knows of it. */
const seldomRead: Readonly<Record<string, string>> = {
  acr: 'matters where the application asks for a level',
  amr: 'matters where the application asks how people signed in',
  azp: 'matters where there are several audiences',
  typ: 'a claim of Keycloak; others say it in the header',
  'allowed-origins': 'read by Keycloak’s own adapters alone',
}

const reasons: Readonly<Record<string, string>> = {
  iss: 'changes with the issuer in the settings of the application',
  sub: 'the application takes them for somebody else',
  aud: 'who checks the audience refuses the token',
  'header alg': 'a verifier that is set to one algorithm refuses the token',
  'header typ': 'some verifiers take one typ alone',
}

/** Lists of words, in which the order says nothing. */
const wordLists = new Set(['scope', 'aud', 'groups', 'roles', 'permissions', 'amr'])

/** The issuers of both. */
interface Places {
  here: string
  there: string
}

/** All rows, those that an application would notice first in each answer. */
export const compared = (pairs: readonly Pair[], places: Places): ClaimRow[] =>
  pairs.flatMap((pair) => rowsOf(pair, places))

function rowsOf({ of, here, there }: Pair, places: Places): ClaimRow[] {
  if (here === undefined && there === undefined) return []
  if (here === undefined || there === undefined) return [missing(of, here)]
  const names = [...new Set([...Object.keys(there), ...Object.keys(here)])].sort()
  const rows = names.map((claim) =>
    rowOf(of, claim, { here: valueIn(here, claim), there: valueIn(there, claim) }, places),
  )
  const rank = (row: ClaimRow) => (row.noticed ? 0 : row.verdict === 'same' ? 2 : 1)
  return rows.sort((a, b) => rank(a) - rank(b))
}

/** A whole answer that one of them does not give, or not as claims. */
function missing(of: string, here: Claims | undefined): ClaimRow {
  const given = (is: boolean) => (is ? 'given' : undefined)
  const isThere = here === undefined
  const verdict = isThere ? 'only_there' : 'only_here'
  return { in: of, claim: '(all)', here: given(!isThere), there: given(isThere), verdict, noticed: isThere }
}

/** A name such as `constructor` is no claim of an object that has none. */
const valueIn = (claims: Claims, name: string): unknown =>
  Object.hasOwn(claims, name) ? claims[name] : undefined

interface Values {
  here: unknown
  there: unknown
}

function rowOf(of: string, claim: string, values: Values, places: Places): ClaimRow {
  const verdict = verdictOf(claim, values, places)
  const seldom = valueIn(seldomRead, claim)
  const isKnown = ofEachToken.has(claim) || seldom !== undefined
  const noticed = !isKnown && ['changed', 'type_changed', 'only_there'].includes(verdict)
  const why = verdict === 'same' ? undefined : (seldom ?? valueIn(reasons, claim) ?? lifeOf(claim))
  return { in: of, claim, ...values, verdict, noticed, ...(typeof why === 'string' && { why }) }
}

const lifeOf = (claim: string) => (claim === 'expires_in' ? 'how long tokens live' : undefined)

function verdictOf(claim: string, { here, there }: Values, places: Places): Verdict {
  if (there === undefined) return 'only_here'
  if (here === undefined) return 'only_there'
  const areEqual = (one: unknown, other: unknown) =>
    isDeepStrictEqual(ordered(claim, one), ordered(claim, other))
  if (areEqual(here, there)) return 'same'
  if (ofEachToken.has(claim)) return 'always_differs'
  if (areEqual(placeless(here, places.here), placeless(there, places.there))) return 'always_differs'
  return kindOf(claim, here) === kindOf(claim, there) ? 'changed' : 'type_changed'
}

/** A value without the address of the service that says it: `iss`, the audience of its own endpoints, pictures there. */
const placeless = (value: unknown, issuer: string): unknown =>
  JSON.parse(JSON.stringify(value).replaceAll(issuer, '')) as unknown

/** `aud` may be one text or a list of them (RFC 7519 §4.1.3). */
const kindOf = (claim: string, value: unknown): string =>
  claim === 'aud' ? 'aud' : Array.isArray(value) ? 'list' : value === null ? 'null' : typeof value

function ordered(claim: string, value: unknown): unknown {
  if (!wordLists.has(claim)) return value
  const list = claim === 'scope' && typeof value === 'string' ? value.split(' ') : [value].flat()
  return list.every((one) => typeof one === 'string') ? [...new Set(list)].sort() : value
}

/** Names whose value names a session or a token. */
const ofSecrets = /^(jti|sid|session_state|nonce|\w+_hash|header kid)$/
const tokenLike = /eyJ[\w-]{5,}\.[\w-]+(\.[\w-]*)*/g
const longest = 200
/** Entries of one value. */
const most = 100

/** A value as it may be shown: no whole token, and nothing that names one. */
export function shown(claim: string, value: unknown): unknown {
  if (typeof value === 'string') {
    if (ofSecrets.test(claim)) return cut(value, 6)
    return cut(
      value.replaceAll(tokenLike, (token) => cut(token, 6)),
      longest,
    )
  }
  if (Array.isArray(value)) return value.slice(0, most).map((one) => shown(claim, one))
  if (typeof value !== 'object' || value === null) return value
  // Not by assignment, to which `__proto__` is no name.
  return Object.fromEntries(
    Object.entries(value)
      .slice(0, most)
      .map(([name, one]) => [cut(name, longest), shown(name, one)]),
  )
}

const cut = (text: string, length: number): string =>
  text.length > length ? `${text.slice(0, length)}…` : text
