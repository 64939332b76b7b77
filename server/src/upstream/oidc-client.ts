import { createHash, createPublicKey } from 'node:crypto'
import { importPKCS8 } from 'jose'
import type { ClientAuth, Configuration, CustomFetch } from 'openid-client'
import { fetched, type Reaching } from './fetch.ts'
import { type OidcDocuments, oidcAlgs } from './oidc-documents.ts'
import { type RefusalCode, UpstreamRefusal } from './refusal.ts'
import type { Upstream } from './upstream.ts'

/** Seconds that the clocks of an upstream and of the service may differ. */
export const skew = 30

/** The library loads when the first upstream is asked. */
export const openidClient = async () => await import('openid-client')

/** What openid-client works on. Without `now` nothing is asked with it. */
export async function configurationOf(
  reaching: Reaching,
  upstream: Upstream,
  documents: OidcDocuments,
  now?: number,
): Promise<Configuration> {
  const client = await openidClient()
  const clocks =
    now === undefined
      ? {}
      : { [client.clockSkew]: Math.round((now - Date.now()) / 1000), [client.clockTolerance]: skew }
  const auth = await clientAuthentication(upstream, documents)
  const { scopes_supported: _, token_endpoint_auth_methods_supported: _methods, ...addresses } = documents
  // Our list of algorithms counts, not the upstream's.
  const server = { ...addresses, id_token_signing_alg_values_supported: [...oidcAlgs] }
  const configuration = new client.Configuration(server, clientIdOf(upstream), clocks, auth)
  // Where http is let through, `fetched` decides.
  client.allowInsecureRequests(configuration)
  configuration[client.customFetch] = askedBy(reaching)
  return configuration
}

export function clientIdOf({ client_id }: Upstream): string {
  if (client_id === null || client_id === '')
    throw new UpstreamRefusal(
      'client_refused',
      'The upstream has no client_id; enter what it is registered as there.',
    )
  return client_id
}

/** openid-client asks with this alone, so that the rules of `fetched` hold for all of it. */
function askedBy(reaching: Reaching): CustomFetch {
  return async (url, { method, headers, body }) => {
    const posted = method === 'POST' ? String(body) : undefined
    const { status, type, bytes } = await fetched(reaching, { url, headers, body: posted })
    if (status < 200 || status > 499) throw new UpstreamRefusal('unreachable', `${url} answered ${status}.`)
    return new Response(bytes.length === 0 ? null : bytes.toString('utf8'), {
      status,
      headers: type === undefined ? {} : { 'content-type': type },
    })
  }
}

/** The client's proof: the secret, else a signed assertion of a minute. */
async function clientAuthentication(
  { secret, private_key }: Upstream,
  { token_endpoint_auth_methods_supported: methods = ['client_secret_basic'] }: OidcDocuments,
): Promise<ClientAuth> {
  const client = await openidClient()
  if (secret !== undefined)
    return methods.includes('client_secret_basic') ? basic(secret) : client.ClientSecretPost(secret)
  if (private_key === undefined)
    throw new UpstreamRefusal('client_refused', 'The upstream has neither a secret nor a key.')
  const key = await importPKCS8(private_key, 'RS256')
  return client.PrivateKeyJwt(
    { key, kid: jwkOf(private_key).kid },
    {
      [client.modifyAssertion]: (header, payload) => {
        header.typ = 'JWT'
        // Some take no clock that is ahead of theirs.
        delete payload.nbf
      },
    },
  )
}

/** RFC 6749 §2.3.1. Escapes only what it has to: not every provider undoes it. */
const basic =
  (secret: string): ClientAuth =>
  (_server, { client_id }, _body, headers) => {
    const pair = `${encodeURIComponent(client_id)}:${encodeURIComponent(secret)}`
    headers.set('authorization', `Basic ${Buffer.from(pair).toString('base64')}`)
  }

/** The public keys by which the upstream checks our assertions. */
export const ownJwks = ({ private_key }: Pick<Upstream, 'private_key'>) => ({
  keys: private_key === undefined ? [] : [jwkOf(private_key)],
})

function jwkOf(privateKey: string) {
  const { e = '', n = '' } = createPublicKey(privateKey).export({ format: 'jwk' })
  const kty = 'RSA'
  // RFC 7638
  const kid = createHash('sha256').update(JSON.stringify({ e, kty, n })).digest('base64url')
  return { kty, n, e, kid, use: 'sig', alg: 'RS256' }
}

/** Does it with openid-client, and says as a refusal what that says as an error. */
export async function orRefusal<T>(work: () => Promise<T>): Promise<T> {
  const client = await openidClient()
  try {
    return await work()
  } catch (error) {
    const causes = causesOf(error)
    const own = causes.find((one) => one instanceof UpstreamRefusal)
    if (own !== undefined) throw own
    if (error instanceof client.AuthorizationResponseError) throw answeredRefusal(error.error)
    if (error instanceof client.ResponseBodyError) throw tokenRefusal(error)
    // The causes hold tokens: they are told by their messages alone.
    if (error instanceof client.ClientError)
      throw claimRefusal(causes.map(({ message }) => message).join(': '))
    throw error
  }
}

function causesOf(error: unknown): Error[] {
  return error instanceof Error ? [error, ...causesOf(error.cause)] : []
}

const claimCodes: Readonly<Record<string, RefusalCode>> = {
  iss: 'issuer',
  aud: 'audience',
  azp: 'audience',
  nonce: 'nonce',
  exp: 'expired',
  nbf: 'expired',
  sub: 'no_subject',
  alg: 'signature',
}

/** openid-client names the claim that is wrong or missing. */
function claimRefusal(message: string): UpstreamRefusal {
  const [, claim = ''] = /(?:JWT|ID Token) "(\w+)"/.exec(message) ?? []
  return new UpstreamRefusal(claimCodes[claim] ?? 'response', message)
}

const errorCode = (error: string) => (/^\w{1,60}$/.test(error) ? error : 'an error without a name')

/** RFC 6749 §4.1.2.1. A browser brings it, and nothing signs it. */
function answeredRefusal(error: string): UpstreamRefusal {
  const detail = `The upstream answered ${errorCode(error)}.`
  if (['server_error', 'temporarily_unavailable'].includes(error))
    return new UpstreamRefusal('unreachable', detail, { byVisitor: true })
  const isOurs = ['invalid_request', 'unauthorized_client', 'unsupported_response_type', 'invalid_scope']
  const code = isOurs.includes(error) ? 'client_refused' : 'denied'
  return new UpstreamRefusal(code, detail, { byVisitor: true })
}

/** RFC 6749 §5.2. A code that was used, or is too old, is a request that is over. */
function tokenRefusal({
  error,
  error_description = '',
}: {
  error: string
  error_description?: string | undefined
}) {
  const told = error_description.replace(/[^\x20-\x7e]/g, ' ').slice(0, 300)
  const detail = `The token endpoint answered ${errorCode(error)}. ${told}`.trim()
  // The others may be about the code, which a browser brought.
  const byVisitor = !['invalid_client', 'unauthorized_client'].includes(error)
  const code = error === 'invalid_grant' ? 'request_over' : 'client_refused'
  return new UpstreamRefusal(code, detail, { byVisitor })
}
