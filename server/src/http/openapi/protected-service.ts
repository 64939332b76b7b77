import { answer, json, type Piece } from './parts.ts'
import { samples } from './samples.ts'

/** What a protected service answers, shown by the one mapping that the interface names (§4.9). Not served here. */
export function protectedServicePaths(): Piece {
  return {
    '/{api_area}/vista-import': {
      servers: [{ url: samples.resource, description: 'A protected service, not this one: put yours here.' }],
      parameters: [
        {
          name: 'api_area',
          in: 'path',
          required: true,
          description: 'The area of the API.',
          schema: { type: 'string' },
          example: 'submissions',
        },
      ],
      post: {
        tags: ['Protected services'],
        operationId: 'vistaImport',
        summary: `Needs ${samples.permission}`,
        description: `An example of a service that trusts this one: it checks signature, issuer, audience, expiry and type of the access
token, then the permission. Its payload is the service’s own; \`examples/submissions-api\` is a whole one.`,
        security: [{ bearer: [samples.permission] }],
        'x-required-permission': samples.permission,
        requestBody: {
          required: true,
          content: { 'text/csv': { schema: { type: 'string', description: 'The service’s own format.' } } },
        },
        responses: { '201': answer('Imported.'), '401': unauthorized, '403': forbidden },
      },
    },
  }
}

const refusal: Piece = {
  type: 'object',
  required: ['error', 'error_description'],
  properties: {
    error: { type: 'string' },
    error_description: { type: 'string' },
    permission: { type: 'string', description: 'The one that is missing; with 403.' },
  },
}

const unauthorized = answer(
  'No token, or one that is invalid, expired, of another issuer or for another service.',
  {
    headers: ['WWW-Authenticate'],
    content: json(refusal, {
      error: 'invalid_token',
      error_description: 'The access token is not valid.',
    }),
  },
)

const forbidden = answer('The token is valid, but lacks the permission.', {
  headers: ['WWW-Authenticate'],
  content: json(refusal, {
    error: 'insufficient_scope',
    error_description: 'The access token lacks the required permission.',
    permission: samples.permission,
  }),
})
