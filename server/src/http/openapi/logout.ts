import { answer, inForm, inQuery, page, type Parameter, type Piece } from './parts.ts'
import { refusals } from './refusals.ts'
import { samples } from './samples.ts'

/** GET and POST /oauth2/logout, and the form that asks. */
export function logoutPaths(): Piece {
  const shared = { tags: ['Signing people out'], security: [] }
  return {
    '/oauth2/logout': {
      get: {
        ...shared,
        operationId: 'logout',
        summary: 'Sign a person out',
        description,
        parameters: inQuery(parameters),
        responses: answers,
      },
      post: {
        ...shared,
        operationId: 'logoutByForm',
        summary: 'The same by form',
        description,
        requestBody: inForm(parameters),
        responses: answers,
      },
    },
    '/oauth2/logout/confirm': {
      post: {
        ...shared,
        operationId: 'logoutConfirm',
        summary: 'The button of the page that asks',
        description: 'Posted by the page of /oauth2/logout; clients never call it.',
        requestBody: inForm([
          ...parameters,
          { name: 'csrf', description: 'Ties the form to the browser it was shown in.' },
        ]),
        responses: {
          ...answers,
          ...refusals([...codes, 'form_expired'], options),
        },
      },
    },
  }
}

const description = `Clear your own session first, then send the browser here (OpenID Connect RP-Initiated Logout 1.0). The browser
session ends with every token family that came from it, and clients with a back-channel logout address are told.

A client that took part in the session, or an id_token_hint of the same person, signs out at once; otherwise a
page asks. Only a registered post_logout_redirect_uri is accepted; when it is another, the session stays.`

const parameters: readonly Parameter[] = [
  {
    name: 'client_id',
    description:
      'The registered client. Needed for post_logout_redirect_uri, unless the id_token_hint tells it.',
    example: samples.clientId,
  },
  {
    name: 'post_logout_redirect_uri',
    description: 'Exactly one that is registered. Without it, a page says that the person is signed out.',
    example: samples.afterLogout,
  },
  {
    name: 'id_token_hint',
    description: 'An ID token of this client, expired or not.',
  },
  { name: 'state', description: 'Comes back at the post_logout_redirect_uri.', example: samples.state },
  {
    name: 'ui_locales',
    description: 'The languages of the page, best first.',
    schema: { type: 'string', maxLength: 200 },
  },
]

const codes = ['invalid_client', 'invalid_redirect_uri', 'invalid_request', 'request_too_large'] as const
const options = { forPeople: true, statuses: { invalid_client: 400 } } as const

const answers: Piece = {
  '200': answer('A page: signed out, or the question whether to.', {
    headers: ['Cache-Control', 'Set-Cookie'],
    content: page,
  }),
  '303': answer('Signed out, and back to the post_logout_redirect_uri, with `state` when it was sent.', {
    headers: ['Cache-Control', 'Location', 'Set-Cookie'],
  }),
  ...refusals(codes, options),
}
