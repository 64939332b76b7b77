import type { Service } from '../../service.ts'
import { administrationSchemas } from './administration.ts'
import type { HeaderName, Piece } from './parts.ts'
import { samples } from './samples.ts'
import { schemas } from './schemas.ts'

/** What the paths refer to: schemas, headers and the ways to authenticate. */
export function components({ issuer }: Pick<Service, 'issuer'>): Piece {
  return { schemas: { ...schemas, ...administrationSchemas }, headers: headers(issuer), securitySchemes }
}

function headers(issuer: string): Record<HeaderName | 'x-request-id', Piece> {
  const prefix = issuer.startsWith('https:') ? '__Host-' : ''
  return {
    'x-request-id': {
      description: 'Names this request in the service’s log; quote it when you ask the operators.',
      required: true,
      schema: { type: 'string', format: 'uuid' },
    },
    'Cache-Control': {
      description:
        '`no-store` on tokens, people’s data and refusals; public documents say for how long they may be kept.',
      schema: { type: 'string' },
      example: 'no-store',
    },
    'WWW-Authenticate': {
      description:
        'How to authenticate: a bare `Bearer` when no token came, with `error="…"` when one was refused; `Basic` when the client used Basic, and left out when it used the body.',
      schema: { type: 'string' },
      example:
        'Bearer error="invalid_token", error_description="The access token is not valid, or has expired."',
    },
    'Retry-After': {
      description: 'Seconds until another try makes sense.',
      schema: { type: 'integer', minimum: 1 },
      example: 5,
    },
    Allow: {
      description: 'The methods that the address takes.',
      schema: { type: 'string' },
      example: 'GET, HEAD, OPTIONS, POST',
    },
    Location: {
      description: 'Where the browser goes.',
      schema: { type: 'string', format: 'uri' },
      example: samples.afterLogout,
    },
    'Set-Cookie': {
      description: `The service’s own cookies, such as \`${prefix}tessera-session\`: HttpOnly, SameSite=Lax, Secure on https. Nothing for clients to read.`,
      schema: { type: 'string' },
    },
    ETag: {
      description: 'The version; send it as If-Match with a change.',
      schema: { type: 'string' },
      example: '"3"',
    },
    'Access-Control-Allow-Origin': {
      description: 'Any web page may read this.',
      schema: { type: 'string', enum: ['*'] },
    },
  }
}

const securitySchemes: Piece = {
  bearer: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'An access token, in the Authorization header and nowhere else.',
  },
  clientBasic: {
    type: 'http',
    scheme: 'basic',
    description: 'A machine client: client_id and client_secret, each form-encoded (RFC 6749 §2.3.1).',
  },
  clientBody: {
    // OpenAPI knows no fields of a form here; this is the method's name in the IANA registry (RFC 7591 §2).
    type: 'http',
    scheme: 'client_secret_post',
    description: 'A machine client: client_id and client_secret as fields of the form body.',
  },
}
