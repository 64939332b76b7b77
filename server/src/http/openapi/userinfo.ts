import { sampleContext } from './claims.ts'
import { answer, json, type Piece, schema } from './parts.ts'
import { refusals } from './refusals.ts'
import { samples } from './samples.ts'

/** GET and POST /oauth2/userinfo. */
export function userinfoPaths(): Piece {
  const shared = {
    tags: ['Tokens'],
    description: `Asked with the access token of a person that has the scope openid, while the person, the profile, the session and
the client are active. Values that do not exist are left out. A machine’s token is answered 403, a token in the
query or in the body is not looked at.`,
    security: [{ bearer: [] }],
    responses: {
      '200': answer('Who the person is, and as whom they act.', {
        headers: ['Cache-Control'],
        content: json(schema('Userinfo'), {
          sub: samples.userUuid,
          email: 'importer@acme.example',
          email_verified: true,
          name: 'Acme Importer',
          updated_at: samples.time,
          ...sampleContext,
        }),
      }),
      ...refusals(['invalid_request', 'invalid_token', 'insufficient_scope', 'request_too_large']),
    },
  }
  return {
    '/oauth2/userinfo': {
      get: { ...shared, operationId: 'userinfo', summary: 'Who the person is' },
      post: { ...shared, operationId: 'userinfoByPost', summary: 'The same by POST, without a body' },
    },
  }
}
