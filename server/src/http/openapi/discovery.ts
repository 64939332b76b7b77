import { discoveryDocument } from '../../oauth2/discovery.ts'
import type { Service } from '../../service.ts'
import { answer, json, type Piece, schema } from './parts.ts'
import { refusals } from './refusals.ts'
import { samples, spoken } from './samples.ts'

/** The documents that anyone may read: discovery, keys, and this description. */
export function discoveryPaths(service: Pick<Service, 'issuer' | 'settings'>): Piece {
  const open = { security: [] }
  const discovery = (operationId: string, summary: string) => ({
    get: {
      ...open,
      tags: ['Discovery'],
      operationId,
      summary,
      description:
        'What the service can do and where. Clients read it once and need no other address. The same bytes at both addresses.',
      responses: {
        '200': answer('The discovery document; may be kept for 1 hour.', {
          headers: ['Cache-Control', 'Access-Control-Allow-Origin'],
          content: json(schema('Discovery'), discoveryDocument(service)),
        }),
        ...refusals([]),
      },
    },
  })
  return {
    '/.well-known/openid-configuration': discovery('discovery', 'The discovery document'),
    '/.well-known/oauth-authorization-server': discovery(
      'metadata',
      'The same, where OAuth 2.0 looks for it',
    ),
    '/oauth2/jwks': { get: { ...open, ...jwks() } },
    '/api/doc': { get: { ...open, ...documentationPage } },
    '/api/doc.json': { get: { ...open, ...documentationDocument } },
  }
}

function jwks(): Piece {
  const kept = spoken(samples.jwksCacheSeconds * 1000)
  return {
    tags: ['Discovery'],
    operationId: 'jwks',
    summary: 'The signing keys',
    description: `May be kept for ${kept}. RSA keys, by which ID tokens and access tokens are signed, and keys on P-256 for access tokens of services that ask for ES256; RSA first. A new key is published before it signs, and an old one stays until its last token has expired; so fetch again only after ${kept} or when a token names an unknown \`kid\`.`,
    responses: {
      '200': answer('The public keys (RFC 7517 §5).', {
        headers: ['Cache-Control', 'Access-Control-Allow-Origin'],
        content: json(schema('Jwks'), {
          keys: [
            { kty: 'RSA', kid: samples.kid, use: 'sig', alg: 'RS256', n: 'xjlCRBqkQRT7…', e: 'AQAB' },
            {
              kty: 'EC',
              kid: samples.otherKid,
              use: 'sig',
              alg: 'ES256',
              crv: 'P-256',
              x: 'JUKyTLZPtI-c…',
              y: '1xg9ISvdbAzC…',
            },
          ],
        }),
      }),
      ...refusals([]),
    },
  }
}

const documentationPage: Piece = {
  tags: ['Discovery'],
  operationId: 'documentationPage',
  summary: 'This page',
  responses: {
    '200': answer('The interface description, to read and to try.', {
      headers: ['Cache-Control'],
      content: { 'text/html': { schema: { type: 'string' } } },
    }),
    ...refusals([]),
  },
}

const documentationDocument: Piece = {
  tags: ['Discovery'],
  operationId: 'documentationDocument',
  summary: 'This description as OpenAPI 3.1',
  responses: {
    '200': answer('The interface description; may be kept for 5 minutes.', {
      headers: ['Cache-Control', 'Access-Control-Allow-Origin'],
      content: json(
        { type: 'object', required: ['openapi', 'info', 'paths'] },
        { openapi: '3.1.0', info: {}, paths: {} },
      ),
    }),
    ...refusals([]),
  },
}
