import { type Claims, optionalClaims } from '../../protocol/claims.ts'
import { claimScope, type MadeClaim } from '../../protocol/client-claims.ts'
import type { Scope } from '../../protocol/scope.ts'

/** The sources of the claims of a preview, and why others are absent. */

/** What is made when a token is issued. */
export const onlyIssued = {
  access_token: {
    jti: '‹id of the token›',
    sid: '‹id of the session›',
  },
  id_token: {
    at_hash: '‹hash of the access token›',
    nonce: '‹nonce of the request›',
    sid: '‹id of the session›',
  },
} as const satisfies Record<string, Claims>

/** Claims of a sign-in: nobody signs in for a preview. */
export const onlySignedIn = { acr: '‹level of the sign-in›', amr: ['‹methods of the sign-in›'] } as const

export type Explained = 'access_token' | 'id_token' | 'userinfo' | 'machine'

/** Each claim with its source, and the reason why it can be absent where that is not a missing scope. */
const sources: Record<string, readonly [source: string, absent?: string]> = {
  iss: ['the issuer of this service'],
  sub: ['the uuid of the user'],
  aud: ['the client_id'],
  exp: ['iat and the lifetime of access tokens'],
  iat: ['the time of issue'],
  jti: ['made when it is issued'],
  client_id: ['the client'],
  scope: ['the scopes that are asked for and assigned to the client'],
  sid: ['the session of the browser'],
  auth_time: ['the time of the sign-in; in a preview, now'],
  acr: ['the sign-in'],
  amr: ['the sign-in'],
  nonce: ['the authorization request, where it sends one; none after a refresh'],
  at_hash: ['the access token beside it'],
  profile_uuid: ['the profile'],
  role_code: ['the role of the profile'],
  organisation_uuid: ['the organisation of the profile', 'The profile is of no organisation.'],
  organisation_unit_uuid: ['the unit of the profile', 'The profile is of no unit.'],
  permissions: ['the role, at the services of aud, within the list of the client'],
  email: ['the address of the user'],
  email_verified: ['whether the address of the user is verified'],
  name: ['the name of the user'],
  ...Object.fromEntries(optionalClaims.map((name) => [name, [`the ${name} of the user`]])),
  preferred_username: [
    'the preferred_username of the user, else the address',
    'The user has none, and without the scope email the address is not told.',
  ],
  updated_at: ['the last change of the user'],
  groups: ['groups of the client'],
}

const context = ['profile_uuid', 'role_code', 'organisation_uuid', 'organisation_unit_uuid']
const signIn = ['sid', 'auth_time', 'acr', 'amr', ...context]
const token = ['iss', 'sub', 'aud', 'exp', 'iat']
const person = ['email', 'email_verified', 'name', ...optionalClaims, 'updated_at', 'groups']
const known: Record<Explained, readonly string[]> = {
  machine: [...token, 'jti', 'client_id', 'scope', 'organisation_uuid', 'permissions'],
  access_token: [...token, ...signIn, 'jti', 'client_id', 'scope', 'permissions', 'email'],
  id_token: [...token, ...signIn, 'nonce', 'at_hash', ...person],
  userinfo: ['sub', ...context, ...person],
}

/** What differs from the list by the kind of token. */
const besides: Partial<Record<Explained, Record<string, readonly [source: string, absent?: string]>>> = {
  access_token: { aud: ['the services of the client, or the issuer without service.api'] },
  machine: {
    sub: ['the client_id'],
    aud: ['the services of the client'],
    organisation_uuid: ['the organisation of the client', 'The client is of no organisation.'],
    permissions: ['the permissions of the client, at the services of aud'],
  },
}

interface About {
  scopes: readonly Scope[]
  own: readonly MadeClaim[] | undefined
}

/** A document with its claims and those that are not there. */
export function explained(kind: Explained, claims: Claims, about?: About) {
  const named = (about?.own ?? []).filter((one) => one.in.some((place) => place === kind))
  const ownNames = named.map((one) => one.name).filter((name) => !known[kind].includes(name))
  const names = [...known[kind], ...ownNames]
  const told = names.map((claim) => ({ claim, value: claims[claim] }))
  return {
    claims: told
      .filter(({ value }) => value !== undefined)
      .map(({ claim, value }) => ({ claim, value, source: sourceOf(kind, claim, named, about) })),
    absent: told
      .filter(({ value }) => value === undefined)
      .map(({ claim }) => ({ claim, reason: reasonOf(kind, claim, named, about) })),
  }
}

const standard = (kind: Explained, claim: string) => besides[kind]?.[claim] ?? sources[claim] ?? []

/** The rule of the client by which the claim is there, where no scope gives it. */
function ruleOf(claim: string, own: readonly MadeClaim[], scopes: readonly Scope[] = []) {
  const scope = claimScope(claim)
  return scope !== undefined && scopes.includes(scope) ? undefined : own.find((one) => one.name === claim)
}

function sourceOf(kind: Explained, claim: string, own: readonly MadeClaim[], about?: About): string {
  const rule = ruleOf(claim, own, about?.scopes)
  if (rule === undefined) return standard(kind, claim)[0] ?? ''
  const from = rule.source === undefined ? 'a constant' : (sources[rule.source]?.[0] ?? rule.source)
  return `claims of the client: ${from}`
}

function reasonOf(kind: Explained, claim: string, own: readonly MadeClaim[], about?: About): string {
  const rule = ruleOf(claim, own, about?.scopes)
  if (rule !== undefined) return `There is no ${rule.source ?? 'value'}.`
  const scope = claim === 'permissions' ? 'service.api' : claimScope(claim)
  if (scope !== undefined && about?.scopes.includes(scope) !== true)
    return `The scope ${scope} is not granted.`
  return standard(kind, claim)[1] ?? 'The user has none.'
}
