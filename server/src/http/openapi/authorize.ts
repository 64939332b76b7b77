import { promptValues } from '../../protocol/authorize-parameters.ts'
import { type ErrorCode, errorCatalogue } from '../../protocol/errors.ts'
import { withParameters } from '../../protocol/redirect-uri.ts'
import { supportedScopes } from '../../protocol/scope.ts'
import type { Service } from '../../service.ts'
import { answer, inForm, inQuery, type Parameter, type Piece } from './parts.ts'
import { refusals } from './refusals.ts'
import { samples } from './samples.ts'

/** GET and POST /oauth2/authorize. */
export function authorizePaths({ issuer }: Pick<Service, 'issuer'>): Piece {
  const shared = { tags: ['Signing people in'], description, security: [], responses: answers(issuer) }
  return {
    '/oauth2/authorize': {
      get: {
        ...shared,
        operationId: 'authorize',
        summary: 'Sign a person in',
        parameters: inQuery(parameters),
      },
      post: {
        ...shared,
        operationId: 'authorizeByForm',
        summary: 'The same by form',
        requestBody: inForm(parameters),
      },
    },
  }
}

const description = `Send the browser here. The person signs in and, where needed, chooses a profile and gives
consent; then the browser is sent to the redirect_uri with \`code\`, \`state\` and \`iss\`.

An unknown client or redirect_uri is answered here and never redirected. Every later mistake is sent to the
redirect_uri as \`error\`, \`error_description\`, \`state\` and \`iss\`. Each parameter may occur once; unknown ones
are ignored.`

const optional: readonly Parameter[] = [
  {
    name: 'response_mode',
    description: 'How the answer travels; query is the only way.',
    schema: { type: 'string', enum: ['query'] },
  },
  {
    name: 'prompt',
    description: `One or more of ${promptValues.join(', ')}, separated by spaces; \`none\` stands alone and never shows a page.`,
    schema: { type: 'string', pattern: `^(${promptValues.join('|')})( (${promptValues.join('|')}))*$` },
    example: 'login',
  },
  {
    name: 'max_age',
    description: 'The person must have signed in within so many seconds.',
    schema: { type: 'integer', minimum: 0 },
    example: '3600',
  },
  {
    name: 'login_hint',
    description: 'Fills in the e-mail address.',
    schema: { type: 'string', maxLength: 320 },
    example: 'importer@acme.example',
  },
  {
    name: 'id_token_hint',
    description: 'An ID token of this client, expired or not: the same person must sign in.',
  },
  {
    name: 'ui_locales',
    description: 'The languages of the pages, best first.',
    schema: { type: 'string', maxLength: 200 },
    example: 'de en',
  },
  {
    name: 'resource',
    description:
      'With service.api: the audience of one service, when the token shall be for that one alone (RFC 8707).',
    example: samples.resource,
  },
  {
    name: 'profile_uuid',
    description: 'The profile to act under; skips the choice when it is the person’s own.',
    schema: { type: 'string', format: 'uuid' },
    example: samples.profileUuid,
  },
]

const parameters: readonly Parameter[] = [
  {
    name: 'client_id',
    required: true,
    description: 'The registered client.',
    example: samples.clientId,
  },
  {
    name: 'redirect_uri',
    required: true,
    description: 'Exactly one that is registered, byte for byte.',
    example: samples.redirectUri,
  },
  {
    name: 'response_type',
    required: true,
    description: 'The only one is code.',
    schema: { type: 'string', enum: ['code'] },
    example: 'code',
  },
  {
    name: 'scope',
    required: true,
    description: `Separated by spaces, of ${supportedScopes.join(', ')}; with openid, and only what is assigned to the client. service.api only when a service is called.`,
    example: samples.scope,
  },
  {
    name: 'state',
    required: true,
    description: 'Random; comes back unchanged. Compare it before anything else.',
    example: samples.state,
  },
  {
    name: 'nonce',
    required: true,
    description: 'Random; comes back in the ID token.',
    example: samples.nonce,
  },
  {
    name: 'code_challenge',
    required: true,
    description: 'BASE64URL(SHA256(code_verifier)).',
    schema: { type: 'string', pattern: '^[A-Za-z0-9_-]{43}$' },
    example: samples.challenge,
  },
  {
    name: 'code_challenge_method',
    required: true,
    description: 'The only one is S256.',
    schema: { type: 'string', enum: ['S256'] },
    example: 'S256',
  },
  ...optional,
]

/** The errors that travel to the redirect_uri. */
const redirected: readonly ErrorCode[] = [
  'invalid_request',
  'invalid_scope',
  'invalid_target',
  'unauthorized_client',
  'unsupported_response_type',
  'access_denied',
  'login_required',
  'interaction_required',
  'consent_required',
  'request_not_supported',
  'request_uri_not_supported',
]

function answers(issuer: string): Piece {
  const found = answer(
    'To a page of the service while something is missing, then to the redirect_uri: with `code`, `state`, `iss`, or with one of these errors:\n\n' +
      redirected.map((code) => `- \`${code}\`: ${errorCatalogue[code].meaning}`).join('\n'),
    { headers: ['Cache-Control', 'Set-Cookie'] },
  )
  const location = {
    description: 'Where the browser goes.',
    required: true,
    schema: { type: 'string', format: 'uri' },
    examples: {
      success: {
        value: withParameters(samples.redirectUri, { code: samples.code, state: samples.state, iss: issuer }),
      },
      ...Object.fromEntries(redirected.map((code) => [code, { value: errorLocation(code, issuer) }])),
    },
  }
  return {
    '303': { ...found, headers: { ...(found.headers as Piece), Location: location } },
    ...refusals(
      ['invalid_client', 'invalid_redirect_uri', 'invalid_request', 'request_too_large', 'too_many_requests'],
      { forPeople: true, statuses: { invalid_client: 400 } },
    ),
  }
}

function errorLocation(code: ErrorCode, issuer: string): string {
  const { meaning } = errorCatalogue[code]
  return withParameters(samples.redirectUri, {
    error: code,
    error_description: meaning,
    state: samples.state,
    iss: issuer,
  })
}
