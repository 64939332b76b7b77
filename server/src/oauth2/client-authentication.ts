import { timingSafeEqual } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { addressKey } from '../identity/address.ts'
import { ProtocolError } from '../protocol/errors.ts'
import { keyMethod } from '../protocol/client-type.ts'
import { invalidRequest } from '../protocol/refusals.ts'
import type { Parameters } from '../protocol/parameters.ts'
import type { Service } from '../service.ts'
import { record } from '../audit/record.ts'
import { assertionProblem, assertionType, longestAssertion } from './client-assertion.ts'
import { clientKeys } from './client-keys.ts'
import { claimedClient, federatedAuthentication } from './federated-assertion.ts'
import { type Client, findClient, type Secret } from '../store/clients.ts'
import type { Reading } from '../store/in-transaction.ts'
import { hashSecret } from '../protocol/identifier.ts'

/**
 * Finds out which client asks (RFC 6749 §2.3, §3.2.1). A public client names itself and sends no secret;
 * others prove themselves by body or by Basic, not both. Throws `invalid_client`, or `too_many_requests`
 * after too many failures of this client from this address.
 */
export type AuthenticateClient = (
  request: FastifyRequest,
  parameters: Parameters,
  store?: Reading,
) => Promise<Client>

export function clientAuthentication(service: Service): AuthenticateClient {
  const failures = service.limits.clientAuth
  const keysAt = clientKeys(service)
  // Apart: administrators of organisations choose addresses of keys, and those of issuers stay in memory.
  const checkFederated = federatedAuthentication(service, clientKeys(service))
  const checkAssertion: CheckAssertion = async (client, assertion, asked) => {
    if (client.federated !== null) return await checkFederated(client, client.federated, assertion, asked)
    const wrong = await assertionProblem(service, keysAt, client, assertion)
    if (wrong !== undefined) throw refused(wrong.problem, false, wrong.detail)
  }
  return async (request, parameters, store = service.store) => {
    const credentials = await readCredentials(store, parameters, request.headers.authorization)
    const address = addressKey(request.ip)
    const key = `${credentials.client_id} ${address}`
    // A request without a secret is no guess, nor is a signature: else anybody could lock a client out for a shared address.
    const guesses = credentials.secret !== undefined
    if (guesses) failures.check(key)
    const client = await knownClient(store, credentials.client_id)
    try {
      return await authenticate(service, client, credentials, async (own, assertion) => {
        await checkAssertion(own, assertion, { request, store: asSeen(store) })
      })
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error
      // All unknown client_ids count as one, so that invented ones can't fill the table.
      const counted = client === undefined ? ` ${address}` : key
      if (client === undefined || !guesses) failures.check(counted)
      if (await failures.countAtOnce(counted)) await recordThrottled(service, request, client)
      throw error
    }
  }
}

/** The store for what comes after the client, of the revision that the client was just read at. */
function asSeen(store: Reading): Reading {
  const { seen } = store.cache
  return seen === undefined ? store : { ...store, cache: store.cache.at(seen) }
}

type CheckAssertion = (
  client: Client,
  assertion: string,
  asked: { request: FastifyRequest; store: Reading },
) => Promise<void>

/** Recorded once a minute for a client and an address, so that failures can't fill the disk. */
async function recordThrottled(
  { store, now, settings }: Service,
  { ip: address, id: requestId }: FastifyRequest,
  client: Client | undefined,
): Promise<void> {
  await record(store, {
    at: now(),
    kind: 'client_authentication.throttled',
    actor: { kind: 'anonymous' },
    address,
    requestId,
    target: client ? { kind: 'client', id: client.client_id } : { kind: 'address', id: addressKey(address) },
    client_id: client?.client_id,
    detail: { failures: settings.limits.clientAuth },
  })
}

interface Credentials {
  client_id: string
  secret: string | undefined
  assertion?: string
  byBasic: boolean
  /** What was probably done wrong, where the id is not known. */
  hint?: string
}

async function readCredentials(
  store: Reading,
  parameters: Parameters,
  authorization: string | undefined,
): Promise<Credentials> {
  const client_id = parameters.optional('client_id')
  const secret = parameters.optional('client_secret')
  const assertion = readAssertion(parameters)
  if (assertion !== undefined) {
    if (secret !== undefined || authorization !== undefined)
      throw invalidRequest('The client authenticates in several ways; use one of them.')
    const claimed = client_id === undefined ? await claimedClient(store, assertion) : { client_id }
    if (claimed === undefined) throw refused('The client_assertion is no JWT with a sub.', false)
    return { ...claimed, secret, assertion, byBasic: false }
  }
  if (authorization === undefined) {
    if (client_id === undefined) throw invalidRequest('The parameter client_id is missing.')
    return { client_id, secret, byBasic: false }
  }
  const basic = readBasic(authorization)
  if (basic === undefined) {
    throw refused('The Authorization header is not well-formed Basic authentication.', true)
  }
  if (secret !== undefined) {
    throw invalidRequest('The client authenticates by body and by header; use one of them.')
  }
  if (client_id !== undefined && client_id !== basic.client_id) {
    throw invalidRequest(
      `The client_id of the body differs from that of the Authorization header.${basic.hint}`,
    )
  }
  return { ...basic, byBasic: true }
}

/** RFC 7521 §4.2 */
function readAssertion(parameters: Parameters): string | undefined {
  const assertion = parameters.optional('client_assertion', longestAssertion)
  const type = parameters.optional('client_assertion_type')
  if (assertion === undefined && type === undefined) return undefined
  if (assertion === undefined || type === undefined)
    throw invalidRequest('The parameters client_assertion and client_assertion_type come together.')
  if (type === assertionType) return assertion
  throw refused(`The only client_assertion_type is ${assertionType}.`, false)
}

/**
 * Both parts are form-encoded before they are joined (RFC 6749 §2.3.1). An empty secret counts as none, because common
 * libraries send a public client's name in this way.
 */
function readBasic(
  authorization: string,
): { client_id: string; secret: string | undefined; hint: string } | undefined {
  const [, encoded] = /^basic +([A-Za-z0-9+/]+={0,2})$/i.exec(authorization) ?? []
  if (encoded === undefined) return undefined
  const text = Buffer.from(encoded, 'base64').toString('utf8')
  const colon = text.indexOf(':')
  if (colon < 1) return undefined
  try {
    const secret = formDecoded(text.slice(colon + 1))
    const client_id = formDecoded(text.slice(0, colon))
    return {
      client_id,
      secret: secret === '' ? undefined : secret,
      hint: text.includes(':', colon + 1) ? joined : '',
    }
  } catch {
    return undefined
  }
}

/** The id of a URL or a URN has colons, and libraries leave them as they are. */
const joined =
  ' A second colon in the Authorization header: percent-encode the client_id and the secret before they are joined (RFC 6749 2.3.1).'

const formDecoded = (text: string) => decodeURIComponent(text.replaceAll('+', ' '))

async function knownClient(store: Reading, client_id: string): Promise<Client | undefined> {
  return client_id.includes('\0') ? undefined : await findClient(store, client_id)
}

/** The client, when it proves who it is. */
async function authenticate(
  service: Service,
  client: Client | undefined,
  credentials: Credentials,
  checkAssertion: (client: Client, assertion: string) => Promise<void>,
): Promise<Client> {
  const { secret, assertion, byBasic, hint = '' } = credentials
  if (client === undefined || !client.usable) {
    throw refused(
      `The client is unknown, or it or its organisation is inactive. Check the client_id.${hint}`,
      byBasic,
    )
  }
  if (client.type === 'proxied')
    throw refused('A proxied client gets no tokens: the service signs people in to it by itself.', byBasic)
  if (client.document !== undefined)
    return await asItsDocumentSays(client, client.document.methods, credentials, checkAssertion)
  if (client.type === 'public') {
    if (assertion !== undefined)
      throw refused('A public client has no keys; send no client_assertion.', false)
    if (secret !== undefined) throw refused('A public client has no secret; send none.', byBasic)
    return client
  }
  const isByKey = client.token_endpoint_auth_method === keyMethod
  if (assertion !== undefined) {
    if (!isByKey) throw refused('The client proves itself by its secret, and by no client_assertion.', false)
    await checkAssertion(client, assertion)
    return client
  }
  if (isByKey)
    throw refused(
      'The client proves itself by a client_assertion (private_key_jwt), and by no secret.',
      byBasic,
    )
  if (secret === undefined) throw refused('The client_secret is missing.', byBasic)
  const given = Buffer.from(hashSecret(secret))
  const now = service.now()
  const matches = ({ secret_hash, expires_at }: Secret) =>
    (expires_at === null || expires_at > now) &&
    secret_hash.length === given.length &&
    timingSafeEqual(Buffer.from(secret_hash), given)
  if (!client.secrets.some(matches)) {
    throw refused('The client_secret is wrong or has expired.', byBasic)
  }
  return client
}

/** A client that is a document, when it proves who it is in one of the ways that the document names. */
async function asItsDocumentSays(
  client: Client,
  methods: readonly string[],
  { secret, assertion, byBasic }: Credentials,
  checkAssertion: (client: Client, assertion: string) => Promise<void>,
): Promise<Client> {
  if (methods.length === 0) throw refused('The document of the client was not read, or is gone.', byBasic)
  if (secret !== undefined) throw refused('A client that is a document has no secret; send none.', byBasic)
  if (assertion !== undefined) {
    if (!methods.includes(keyMethod))
      throw refused('The document of the client names no private_key_jwt; send no client_assertion.', false)
    await checkAssertion(client, assertion)
  } else if (!methods.includes('none')) throw refused('The client_assertion is missing.', byBasic)
  return client
}

/** Always 401; the challenge is sent only when the client used Basic (RFC 6749 §5.2). */
export function refused(description: string, byBasic: boolean, detail?: string): ProtocolError {
  const headers = byBasic ? { 'www-authenticate': 'Basic realm="Tessera", charset="UTF-8"' } : {}
  return new ProtocolError('invalid_client', description, {
    headers,
    ...(detail !== undefined && { detail }),
  })
}
