import { timingSafeEqual } from 'node:crypto'
import { addressKey } from '../identity/address.ts'
import { ProtocolError } from '../protocol/errors.ts'
import type { Parameters } from '../protocol/parameters.ts'
import type { Service } from '../service.ts'
import { record } from '../store/audit.ts'
import { type Client, findClient, type Secret } from '../store/clients.ts'
import { hashSecret } from '../store/identifier.ts'

/** What a request says of its client: parameters of the body, and the Authorization header. */
export interface ClientRequest {
  parameters: Parameters
  authorization: string | undefined
  address: string
  requestId: string
}

/**
 * Finds out which client asks (RFC 6749 §2.3, §3.2.1). A public client names itself and sends no secret; a
 * machine client proves itself by body or by Basic, not both. Throws `invalid_client`, or `too_many_requests`
 * after too many failures of this client from this address.
 */
export type AuthenticateClient = (request: ClientRequest) => Promise<Client>

export function clientAuthentication(service: Service): AuthenticateClient {
  const failures = service.limits.clientAuth
  return async (request) => {
    const credentials = readCredentials(request)
    const address = addressKey(request.address)
    const key = `${credentials.clientId} ${address}`
    // Who sends no secret guesses none: failures in a public client's name must not shut out an office that uses it.
    const guesses = credentials.secret !== undefined
    if (guesses) failures.check(key)
    const client = await knownClient(service, credentials.clientId)
    try {
      return await authenticate(service, client, credentials)
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error
      // Names that nobody has are counted as one: else each that somebody invents would cost a row.
      const counted = client === undefined ? ` ${address}` : key
      if (client === undefined || !guesses) failures.check(counted)
      if (await failures.countAtOnce(counted)) await recordThrottled(service, request, client)
      throw error
    }
  }
}

/** Recorded once a minute for a client and an address: each failure by itself could fill the disk. */
async function recordThrottled(
  { store, now, settings }: Service,
  { address, requestId }: ClientRequest,
  client: Client | undefined,
): Promise<void> {
  await record(store, {
    at: now(),
    kind: 'client_authentication.throttled',
    actor: { kind: 'anonymous' },
    address,
    requestId,
    target: client ? { kind: 'client', id: client.clientId } : { kind: 'address', id: addressKey(address) },
    clientId: client?.clientId,
    detail: { failures: settings.limits.clientAuth },
  })
}

interface Credentials {
  clientId: string
  secret: string | undefined
  byBasic: boolean
}

function readCredentials({ parameters, authorization }: ClientRequest): Credentials {
  const clientId = parameters.optional('client_id')
  const secret = parameters.optional('client_secret')
  if (authorization === undefined) {
    if (clientId === undefined)
      throw new ProtocolError('invalid_request', 'The parameter client_id is missing.')
    return { clientId, secret, byBasic: false }
  }
  const basic = readBasic(authorization)
  if (basic === undefined) {
    throw refused('The Authorization header is not well-formed Basic authentication.', true)
  }
  if (secret !== undefined) {
    throw new ProtocolError(
      'invalid_request',
      'The client authenticates by body and by header; use one of them.',
    )
  }
  if (clientId !== undefined && clientId !== basic.clientId) {
    throw new ProtocolError(
      'invalid_request',
      'The client_id of the body differs from that of the Authorization header.',
    )
  }
  return { ...basic, byBasic: true }
}

/**
 * Both parts are form-encoded before they are joined (RFC 6749 §2.3.1). An empty secret is none, as in the body:
 * common libraries send a public client's name in this way.
 */
function readBasic(authorization: string): { clientId: string; secret: string | undefined } | undefined {
  const [, encoded] = /^basic +([A-Za-z0-9+/]+={0,2})$/i.exec(authorization) ?? []
  if (encoded === undefined) return undefined
  const text = Buffer.from(encoded, 'base64').toString('utf8')
  const colon = text.indexOf(':')
  if (colon < 1) return undefined
  try {
    const secret = formDecoded(text.slice(colon + 1))
    return { clientId: formDecoded(text.slice(0, colon)), secret: secret === '' ? undefined : secret }
  } catch {
    return undefined
  }
}

const formDecoded = (text: string) => decodeURIComponent(text.replaceAll('+', ' '))

async function knownClient(service: Service, clientId: string): Promise<Client | undefined> {
  return clientId.includes('\0') ? undefined : await findClient(service.store, clientId)
}

async function authenticate(
  service: Service,
  client: Client | undefined,
  { secret, byBasic }: Credentials,
): Promise<Client> {
  if (client === undefined || !client.active) {
    throw refused(
      'The client is unknown, or it or its organisation is inactive. Check the client_id.',
      byBasic,
    )
  }
  if (client.type === 'public') {
    if (secret !== undefined) throw refused('A public client has no secret; send none.', byBasic)
    return client
  }
  if (secret === undefined) throw refused('The client_secret is missing.', byBasic)
  const given = Buffer.from(hashSecret(secret))
  const now = service.now()
  const matches = ({ hash, expiresAt }: Secret) =>
    (expiresAt === null || expiresAt > now) &&
    hash.length === given.length &&
    timingSafeEqual(Buffer.from(hash), given)
  if (!client.secrets.some(matches)) {
    throw refused('The client_secret is wrong or has expired.', byBasic)
  }
  return client
}

/** 401 in every case; the challenge only where the client used the scheme (RFC 6749 §5.2). */
export function refused(description: string, byBasic: boolean): ProtocolError {
  const headers = byBasic ? { 'www-authenticate': 'Basic realm="Tessera", charset="UTF-8"' } : {}
  return new ProtocolError('invalid_client', description, { headers })
}
