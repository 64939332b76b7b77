import { X509Certificate } from 'node:crypto'
import { hashSecret } from '../../protocol/identifier.ts'
import { parseJson } from '../../protocol/json.ts'
import { redirectUriProblem } from '../../protocol/redirect-uri.ts'
import { decide, type Remark } from '../told.ts'
import type { RealmClient } from './realm.ts'

/** An attribute of a client; undefined: it is not there, or empty. */
export const attributeOf = (attributes: RealmClient['attributes'], name: string): string | undefined => {
  const value = Object.hasOwn(attributes, name) ? attributes[name] : undefined
  return typeof value === 'string' && value !== '' ? value : undefined
}

export const isAddress = (uri: string | undefined): uri is string =>
  uri !== undefined && redirectUriProblem(uri, 'web') === undefined

/** Keycloak takes its token endpoint as the audience of an assertion, and most libraries name that. */
const asKept = {
  token_endpoint_auth_method: 'private_key_jwt',
  assertion_audience: 'token_endpoint',
} as const

/** How a client proves who it is: its keys, or the hash of its secret. */
export function proofOf({ clientAuthenticatorType: method, attributes, secret }: RealmClient) {
  const keys = method === 'client-jwt' ? keysOf(attributes) : undefined
  if (keys !== undefined) return { ...keys, ...asKept }
  return secret === undefined || isMasked(secret)
    ? {}
    : { client_secret_hash: `sha256:${hashSecret(secret)}` }
}

function keysOf(attributes: RealmClient['attributes']): { jwks: unknown } | { jwks_uri: string } | undefined {
  const [uri, keys, certificate] = [
    attributeOf(attributes, 'use.jwks.url') === 'true' ? attributeOf(attributes, 'jwks.url') : undefined,
    attributeOf(attributes, 'use.jwks.string') === 'true'
      ? attributeOf(attributes, 'jwks.string')
      : undefined,
    attributeOf(attributes, 'jwt.credential.certificate'),
  ]
  if (isAddress(uri)) return { jwks_uri: uri }
  try {
    if (keys !== undefined) return { jwks: parseJson(keys) }
    if (certificate === undefined) return undefined
    const pem = `-----BEGIN CERTIFICATE-----\n${certificate}\n-----END CERTIFICATE-----`
    return { jwks: { keys: [new X509Certificate(pem).publicKey.export({ format: 'jwk' })] } }
  } catch {
    return undefined
  }
}

/** What a partial export writes in place of a secret. */
const isMasked = (secret: string) => /^\*+$/.test(secret)

export function secretRemarks({
  clientId,
  secret = '',
  clientAuthenticatorType: method,
  attributes,
}: RealmClient): Remark[] {
  if (method === 'client-jwt')
    return keysOf(attributes) === undefined
      ? [
          decide(
            'A client proves itself by keys that the export does not hold: register its jwks_uri or jwks.',
            clientId,
          ),
        ]
      : []
  if (secret === '' || isMasked(secret))
    return [decide('The export holds no secret of a client: export by kc.sh, or give it another.', clientId)]
  // 22 characters of base64url are 128 bits.
  return secret.length < 22
    ? [
        decide(
          'A client secret has less than 128 bits: let it be made anew when the application can take another.',
          clientId,
        ),
      ]
    : []
}
