import type { claimsSupported } from '../../protocol/claims.ts'
import type { Piece } from './parts.ts'
import { samples } from './samples.ts'

/** What is not in `claims_supported`, since clients don't read access tokens. */
type AccessTokenClaim = 'jti' | 'client_id' | 'scope' | 'permissions'
type ClaimName = (typeof claimsSupported)[number] | AccessTokenClaim

const seconds = { type: 'integer', description: 'Seconds since 1970.' }

/** Every claim there is. A claim without an entry here does not compile. */
const claims: Record<ClaimName, Piece> = {
  iss: { type: 'string', description: 'The issuer, exactly as in the discovery document.' },
  sub: {
    type: 'string',
    description: 'A person’s stable UUID, never reused; in a machine’s token its client_id.',
  },
  aud: {
    oneOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }],
    description: 'Whom the token is for: a string when one, an array when several.',
  },
  exp: { ...seconds, description: 'When the token ends, seconds since 1970.' },
  iat: { ...seconds, description: 'When the token was made, seconds since 1970.' },
  auth_time: { ...seconds, description: 'When the person signed in; a refresh does not change it.' },
  nonce: { type: 'string', description: 'The nonce of the authorization request; not after a refresh.' },
  at_hash: { type: 'string', description: 'Ties the ID token to the access token beside it.' },
  sid: { type: 'string', description: 'The browser session that the tokens come from.' },
  acr: { type: 'string', description: 'How strong the sign-in was: 1, by password.' },
  amr: { type: 'array', items: { type: 'string' }, description: 'How the person signed in, e.g. pwd.' },
  profile_uuid: { type: 'string', format: 'uuid', description: 'The active profile.' },
  role_code: { type: 'string', description: 'The role of the active profile.' },
  organisation_uuid: {
    type: 'string',
    format: 'uuid',
    description: 'The organisation of the active profile or of the machine; left out when there is none.',
  },
  organisation_unit_uuid: {
    type: 'string',
    format: 'uuid',
    description: 'The unit of the active profile; left out when there is none.',
  },
  email: { type: 'string', description: 'With the scope email.' },
  email_verified: { type: 'boolean', description: 'With the scope email.' },
  name: { type: 'string', description: 'With the scope profile, as all that follow.' },
  given_name: { type: 'string' },
  family_name: { type: 'string' },
  preferred_username: { type: 'string' },
  picture: { type: 'string' },
  locale: { type: 'string' },
  zoneinfo: { type: 'string' },
  updated_at: { ...seconds, description: 'When the person’s data last changed, seconds since 1970.' },
  jti: { type: 'string', description: 'Names this one token.' },
  client_id: { type: 'string', description: 'The client that got the token.' },
  scope: { type: 'string', description: 'The granted scopes, separated by spaces.' },
  permissions: {
    type: 'array',
    items: { type: 'string' },
    description:
      'With the scope service.api: what the bearer may do, each `<service>.<resource>.<action>`, compared exactly.',
  },
}

const context = ['profile_uuid', 'role_code', 'organisation_uuid', 'organisation_unit_uuid'] as const
const ofEmail = ['email', 'email_verified'] as const
const ofProfile = [
  'name',
  'given_name',
  'family_name',
  'preferred_username',
  'picture',
  'locale',
  'zoneinfo',
  'updated_at',
] as const
const ofSignIn = ['sid', 'auth_time', 'acr', 'amr'] as const

function claimSet(description: string, names: readonly ClaimName[], required: readonly ClaimName[]): Piece {
  return {
    type: 'object',
    description,
    required,
    properties: Object.fromEntries(names.map((name) => [name, claims[name]])),
  }
}

const always = ['iss', 'sub', 'aud', 'exp', 'iat', 'jti', 'client_id', 'scope'] as const
const idTokenAlways = ['iss', 'sub', 'aud', 'exp', 'iat', 'at_hash', ...ofSignIn] as const

export const claimSchemas: Record<'AccessTokenClaims' | 'IdTokenClaims' | 'Userinfo', Piece> = {
  AccessTokenClaims: claimSet(
    'What an access token holds (RFC 9068; header `typ` is `at+jwt`). For protected services; clients don’t read it.',
    [...always, ...ofSignIn, ...context, 'email', 'permissions'],
    always,
  ),
  IdTokenClaims: claimSet(
    'What an ID token holds (OpenID Connect Core 1.0 §2; header `typ` is `JWT`). `aud` is the client_id.',
    [...idTokenAlways, 'nonce', ...context, ...ofEmail, ...ofProfile],
    [...idTokenAlways, 'profile_uuid', 'role_code'],
  ),
  Userinfo: claimSet(
    'Who the person is, within the granted scopes, and as whom they act.',
    ['sub', ...ofEmail, ...ofProfile, ...context],
    ['sub', 'profile_uuid', 'role_code'],
  ),
}

export const sampleContext = {
  profile_uuid: samples.profileUuid,
  role_code: 'importer',
  organisation_uuid: samples.organisationUuid,
  organisation_unit_uuid: samples.unitUuid,
} as const
