import { promptValues } from '../../protocol/authorize-parameters.ts'
import { supportedScopes } from '../../protocol/scope.ts'
import type { SigningAlg } from '../../protocol/signing-alg.ts'
import { claimSchemas } from './claims.ts'
import type { Piece } from './parts.ts'
import { errorSchema } from './refusals.ts'

const text: Piece = { type: 'string' }
const address: Piece = { type: 'string', format: 'uri' }
const texts: Piece = { type: 'array', items: text }

const issued: Piece = {
  access_token: {
    type: 'string',
    description:
      'A JWT, RS256, or ES256 when every service that it is for asks for that. Send it as `Authorization: Bearer`.',
  },
  token_type: { type: 'string', enum: ['Bearer'] },
  expires_in: { type: 'integer', minimum: 1, description: 'Life of the access token, seconds.' },
}

const tokenResponse: Piece = {
  type: 'object',
  required: ['access_token', 'token_type', 'expires_in', 'refresh_token', 'scope'],
  properties: {
    ...issued,
    refresh_token: { type: 'string', description: 'Replaces the one before. Opaque.' },
    id_token: {
      type: 'string',
      description: 'A JWT, RS256: see IdTokenClaims. Left out only when a refresh narrowed openid away.',
    },
    scope: { type: 'string', description: 'The granted scopes, separated by spaces.' },
  },
}

const machineTokenResponse: Piece = {
  type: 'object',
  required: ['access_token', 'token_type', 'expires_in'],
  properties: issued,
  additionalProperties: false,
}

const introspection: Piece = {
  description: 'Of a token that counts: its claims. Of any other, nothing but `active: false`.',
  oneOf: [
    {
      type: 'object',
      properties: { active: { const: false } },
      required: ['active'],
      additionalProperties: false,
    },
    {
      allOf: [
        {
          type: 'object',
          properties: { active: { const: true }, token_type: { const: 'Bearer' } },
          required: ['active', 'token_type'],
        },
        { $ref: '#/components/schemas/AccessTokenClaims' },
      ],
    },
  ],
}

function publicKey(kty: string, alg: SigningAlg, own: Piece): Piece {
  return {
    type: 'object',
    required: ['kty', 'kid', 'use', 'alg', ...Object.keys(own)],
    properties: {
      kty: { const: kty },
      kid: { type: 'string', description: 'Named by the header of every token.' },
      use: { const: 'sig' },
      alg: { const: alg, description: 'The only algorithm that it is for.' },
      ...own,
    },
    additionalProperties: false,
  }
}

const jwks: Piece = {
  type: 'object',
  required: ['keys'],
  properties: {
    keys: {
      type: 'array',
      minItems: 1,
      items: {
        oneOf: [
          publicKey('RSA', 'RS256', { n: text, e: text }),
          publicKey('EC', 'ES256', { crv: { const: 'P-256' }, x: text, y: text }),
        ],
      },
    },
  },
}

const discovery: Piece = {
  type: 'object',
  description: 'OpenID Connect Discovery 1.0 §3, RFC 8414 §2.',
  required: [
    'issuer',
    'authorization_endpoint',
    'token_endpoint',
    'userinfo_endpoint',
    'jwks_uri',
    'end_session_endpoint',
    'scopes_supported',
    'response_types_supported',
    'subject_types_supported',
    'id_token_signing_alg_values_supported',
    'code_challenge_methods_supported',
  ],
  properties: {
    issuer: { ...address, description: 'Compare it with `iss` of every token, exactly.' },
    authorization_endpoint: address,
    token_endpoint: address,
    userinfo_endpoint: address,
    jwks_uri: { ...address, description: 'The signing keys.' },
    end_session_endpoint: { ...address, description: 'Logout.' },
    revocation_endpoint: address,
    introspection_endpoint: address,
    scopes_supported: { type: 'array', items: { enum: supportedScopes } },
    response_types_supported: texts,
    response_modes_supported: texts,
    grant_types_supported: texts,
    subject_types_supported: texts,
    id_token_signing_alg_values_supported: texts,
    token_endpoint_auth_methods_supported: texts,
    revocation_endpoint_auth_methods_supported: texts,
    introspection_endpoint_auth_methods_supported: texts,
    code_challenge_methods_supported: texts,
    claims_supported: texts,
    prompt_values_supported: { type: 'array', items: { enum: promptValues } },
    ui_locales_supported: texts,
    authorization_response_iss_parameter_supported: { const: true },
    request_parameter_supported: { const: false },
    request_uri_parameter_supported: { const: false },
    claims_parameter_supported: { const: false },
    backchannel_logout_supported: { const: true },
    backchannel_logout_session_supported: { const: true },
    service_documentation: address,
  },
}

/** `components.schemas`: the bodies and what is inside the tokens. */
export const schemas = {
  TokenResponse: tokenResponse,
  MachineTokenResponse: machineTokenResponse,
  ...claimSchemas,
  Introspection: introspection,
  Discovery: discovery,
  Jwks: jwks,
  Error: errorSchema,
} satisfies Record<string, Piece>
