import { grantTypes } from '../../oauth2/token.ts'
import { supportedScopes } from '../../protocol/scope.ts'
import type { Service } from '../../service.ts'
import { rotationGrace } from '../../store/refresh-tokens.ts'
import { answer, inForm, type Parameter, type Piece, schema } from './parts.ts'
import { refusals } from './refusals.ts'
import { samples, spoken } from './samples.ts'

type Described = Pick<Service, 'settings'>

/** POST /oauth2/token and POST /v1/iam/token/refresh. */
export function tokenPaths(service: Described): Piece {
  return {
    '/oauth2/token': {
      post: {
        tags: ['Tokens'],
        operationId: 'token',
        summary: 'Exchange a code, refresh, or get a machine token',
        description: describeToken(service),
        security: [{}, { clientBody: [] }, { clientBasic: [] }],
        requestBody: inForm([grantType, clientId, ...codeFields, refreshField, ...shared], {
          variants: [exchange, refresh, machine],
          examples: { authorization_code: { value: exchanged }, ...otherExamples },
        }),
        responses: {
          '200': tokensAnswer(service, { byMachine: true }),
          ...refusals([...refreshRefusals, 'unsupported_grant_type']),
        },
      },
    },
    '/v1/iam/token/refresh': {
      post: {
        tags: ['Tokens'],
        operationId: 'refresh',
        summary: 'Refresh',
        description: describeRefresh(service),
        security: [],
        requestBody: inForm([{ ...refreshField, required: true }, clientId, ...shared], {
          examples: {
            refresh: { summary: 'Refresh', value: asked },
            other_profile: {
              summary: 'Go on under another profile',
              value: { ...asked, profile_uuid: samples.profileUuid },
            },
          },
        }),
        responses: { '200': tokensAnswer(service, { byMachine: false }), ...refusals(refreshRefusals) },
      },
    },
  }
}

const refreshRefusals = [
  'invalid_request',
  'invalid_client',
  'invalid_grant',
  'invalid_scope',
  'invalid_target',
  'unauthorized_client',
  'request_too_large',
  'too_many_requests',
] as const

function describeToken({ settings: { lifetimes } }: Described): string {
  return `Parameters count only in the body, each at most once.

- **authorization_code**: within ${spoken(lifetimes.code)}, once. A wrong client, redirect_uri or verifier does not burn the code; a second exchange answers \`invalid_grant\` and revokes what the first gave. Public clients send no secret.
- **client_credentials**: a machine client proves itself by body or by Basic, not both. The answer is exactly access_token, token_type, expires_in.
- **refresh_token**: the same as [/v1/iam/token/refresh](#/Tokens/refresh).`
}

function describeRefresh({ settings: { lifetimes } }: Described): string {
  return `Every refresh replaces the refresh token: store the new one at once. The replaced one, presented again within
${spoken(rotationGrace)} (a lost response, two tabs), gets the same successor; presented later it revokes its whole family.

A refresh token ends ${spoken(lifetimes.refreshIdle)} after its last use and ${spoken(lifetimes.refreshAbsolute)} after the sign-in, unless the
client has lifetimes of its own; and with logout, or when the user, the client or the profile is disabled.
Permissions and roles are read anew. The ID token keeps auth_time and has no nonce.`
}

const grantType: Parameter = {
  name: 'grant_type',
  required: true,
  description: `One of ${grantTypes.join(', ')}.`,
  schema: { type: 'string', enum: grantTypes },
  example: 'authorization_code',
}

/** Not `required` by the schema: a client may name itself by Basic instead. */
const clientId: Parameter = {
  name: 'client_id',
  description: 'The registered client; only with Basic authentication it may be left out.',
  example: samples.clientId,
}

const codeFields: readonly Parameter[] = [
  { name: 'code', description: 'The code, as it came to the redirect_uri.', example: samples.code },
  {
    name: 'redirect_uri',
    description: 'The same as in the authorization request.',
    example: samples.redirectUri,
  },
  {
    name: 'code_verifier',
    description: 'What the code_challenge was made from.',
    schema: { type: 'string', pattern: '^[A-Za-z0-9._~-]{43,128}$' },
    example: samples.verifier,
  },
  {
    name: 'client_secret',
    description: 'Of a machine client. A public client that sends one is refused.',
    example: samples.machineSecret,
  },
]

const refreshField: Parameter = {
  name: 'refresh_token',
  description: 'The newest refresh token.',
  example: samples.refreshToken,
}

const shared: readonly Parameter[] = [
  {
    name: 'scope',
    description: `For a refresh or a machine: narrows what was granted. Of ${supportedScopes.join(', ')}; a machine has service.api alone.`,
    example: 'service.api',
  },
  {
    name: 'resource',
    description: 'Narrows the access token to one service, by its audience (RFC 8707).',
    example: samples.resource,
  },
  {
    name: 'profile_uuid',
    description: 'For a refresh: go on under another profile of the same person.',
    schema: { type: 'string', format: 'uuid' },
    example: samples.profileUuid,
  },
]

const exchange: Piece = {
  title: 'authorization_code',
  properties: { grant_type: { const: 'authorization_code' } },
  required: ['client_id', 'redirect_uri', 'code', 'code_verifier'],
}
const refresh: Piece = {
  title: 'refresh_token',
  properties: { grant_type: { const: 'refresh_token' } },
  required: ['refresh_token'],
}
const machine: Piece = {
  title: 'client_credentials',
  properties: { grant_type: { const: 'client_credentials' } },
}

const exchanged = {
  grant_type: 'authorization_code',
  client_id: samples.clientId,
  redirect_uri: samples.redirectUri,
  code: samples.code,
  code_verifier: samples.verifier,
}
const asked = { client_id: samples.clientId, refresh_token: samples.refreshToken }
const otherExamples = {
  client_credentials: {
    value: {
      grant_type: 'client_credentials',
      client_id: samples.machine,
      client_secret: samples.machineSecret,
    },
  },
  refresh_token: { value: { grant_type: 'refresh_token', ...asked } },
}

function tokensAnswer({ settings }: Described, { byMachine }: { byMachine: boolean }): Piece {
  const issued = {
    access_token: samples.accessToken,
    token_type: 'Bearer',
    expires_in: settings.lifetimes.accessToken / 1000,
  }
  const forPerson = {
    ...issued,
    refresh_token: samples.refreshToken,
    scope: samples.scope,
    id_token: samples.idToken,
  }
  const examples = {
    person: { summary: 'To a person’s client', value: forPerson },
    ...(byMachine && { machine: { summary: 'To a machine', value: issued } }),
  }
  const one = schema('TokenResponse')
  const content = {
    'application/json': {
      schema: byMachine ? { anyOf: [one, schema('MachineTokenResponse')] } : one,
      examples,
    },
  }
  return answer('The tokens.', { headers: ['Cache-Control'], content })
}
