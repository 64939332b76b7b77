import { sampleContext } from './claims.ts'
import { answer, inForm, type Parameter, type Piece, schema } from './parts.ts'
import { refusals } from './refusals.ts'
import { samples } from './samples.ts'
import type { Service } from '../../service.ts'

const tokenField = (description: string, example: string): Parameter => ({
  name: 'token',
  required: true,
  description,
  schema: { type: 'string', maxLength: 65_536 },
  example,
})

const clientFields: readonly Parameter[] = [
  {
    name: 'client_id',
    description: 'The client that asks; only with Basic authentication it may be left out.',
    example: samples.clientId,
  },
  { name: 'client_secret', description: 'Of a machine client.', example: samples.machineSecret },
]

const clientSecrets = [{ clientBody: [] }, { clientBasic: [] }]
const codes = ['invalid_request', 'invalid_client', 'request_too_large', 'too_many_requests'] as const

/** POST /oauth2/revoke and POST /oauth2/introspect. */
export function afterIssuingPaths(service: Pick<Service, 'issuer'>): Piece {
  return { '/oauth2/revoke': { post: revoke }, '/oauth2/introspect': { post: introspect(service) } }
}

const revoke: Piece = {
  tags: ['Tokens'],
  operationId: 'revoke',
  summary: 'Revoke a token',
  description: `RFC 7009. A refresh token ends its whole family, the access tokens with it; an access token ends alone. A token that is
unknown or over is answered 200 as well; another client’s is refused. Protected services that check tokens by
themselves accept a revoked access token until it expires.`,
  security: [{}, ...clientSecrets],
  requestBody: inForm(
    [tokenField('A refresh token or an access token.', samples.refreshToken), ...clientFields],
    {
      examples: {
        public: { value: { token: samples.refreshToken, client_id: samples.clientId } },
      },
    },
  ),
  responses: {
    '200': answer('The token counts no more. No body.', { headers: ['Cache-Control'] }),
    ...refusals(codes),
  },
}

function introspect({ issuer }: Pick<Service, 'issuer'>): Piece {
  return {
    tags: ['Tokens'],
    operationId: 'introspect',
    summary: 'Ask whether an access token still counts',
    description: `RFC 7662, for machine clients. One may ask about tokens that are for a service assigned to it, and about its own; of
every other token, and of refresh tokens, it learns nothing but \`active: false\`. Unlike the signature alone, the
answer knows of revocation, logout and disabled users.`,
    security: clientSecrets,
    requestBody: inForm([tokenField('The access token.', samples.accessToken), ...clientFields], {
      examples: {
        machine: {
          value: {
            token: samples.accessToken,
            client_id: samples.machine,
            client_secret: samples.machineSecret,
          },
        },
      },
    }),
    responses: {
      '200': answer('Whether it counts, and if so its claims.', {
        headers: ['Cache-Control'],
        content: {
          'application/json': {
            schema: schema('Introspection'),
            examples: {
              active: { value: { active: true, token_type: 'Bearer', ...claims(issuer) } },
              inactive: { value: { active: false } },
            },
          },
        },
      }),
      ...refusals(codes),
    },
  }
}

function claims(issuer: string): Piece {
  return {
    iss: issuer,
    sub: samples.userUuid,
    sid: samples.sid,
    auth_time: samples.time,
    acr: '1',
    amr: ['pwd'],
    ...sampleContext,
    email: 'importer@acme.example',
    aud: samples.resource,
    iat: samples.time,
    exp: samples.time + 900,
    jti: samples.jti,
    client_id: samples.clientId,
    scope: samples.scope,
    permissions: [samples.permission],
  }
}
