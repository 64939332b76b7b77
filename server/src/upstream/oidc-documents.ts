import {
  type CompactJWSHeaderParameters,
  compactVerify,
  createLocalJWKSet,
  errors,
  type JSONWebKeySet,
} from 'jose'
import * as z from 'zod'
import { type JwkSet, usableKeys } from '../protocol/jwk-set.ts'
import { fetchDocument, type Reaching } from './fetch.ts'
import { UpstreamRefusal } from './refusal.ts'
import type { Upstream } from './upstream.ts'

/** What an ID token or a logout token may be signed with: no shared secret, and never nothing. */
export const oidcAlgs = ['RS256', 'PS256', 'ES256']

const minute = 60_000
/** Documents and keys are asked for anew after so long. */
const freshFor = 60 * minute
/** Unknown keys make us ask anew no sooner, for tokens of one purpose. */
const cooldown = minute
/** Upstreams in memory. */
const mostKept = 1000

const endpoint = z.url({ protocol: /^https?$/ })
const schema = z.object({
  issuer: z.string(),
  authorization_endpoint: endpoint,
  token_endpoint: endpoint,
  jwks_uri: endpoint,
  userinfo_endpoint: endpoint.exactOptional(),
  end_session_endpoint: endpoint.exactOptional(),
  authorization_response_iss_parameter_supported: z.boolean().exactOptional(),
  id_token_signing_alg_values_supported: z.array(z.string()).exactOptional(),
  token_endpoint_auth_methods_supported: z.array(z.string()).exactOptional(),
  scopes_supported: z.array(z.string()).exactOptional(),
})
export type OidcDocuments = z.infer<typeof schema>

/** What this process knows of an upstream. A changed row is not answered from it. */
interface KeptDocuments {
  updatedAt: number
  documents: Lasting<OidcDocuments>
  keys: Lasting<JwkSet>
  /** When a token of each purpose last made us ask for keys, by `performance.now()`. */
  askedFor: Map<TokenPurpose, number>
}

/** Anybody can post a logout token, and must not use up what a sign-in needs. */
export type TokenPurpose = 'sign-in' | 'logout'

const memory = new Map<string, KeptDocuments>()

function keptOf(reaching: Reaching, upstream: Upstream): KeptDocuments {
  const before = memory.get(upstream.uuid)
  if (before?.updatedAt === upstream.updated_at) return before
  const documents = new Lasting(() => readDocuments(reaching, upstream))
  const keys = new Lasting(async () => readKeys(reaching, await documents.now()))
  const kept = { updatedAt: upstream.updated_at, documents, keys, askedFor: new Map() }
  memory.delete(upstream.uuid)
  memory.set(upstream.uuid, kept)
  const [oldest] = memory.keys()
  if (memory.size > mostKept && oldest !== undefined) memory.delete(oldest)
  return kept
}

/** What was loaded counts for an hour. Whoever asks at the same time waits for the same answer; a failure is not kept. */
class Lasting<T> {
  readonly #load: () => Promise<T>
  #loaded: { value: T; at: number } | undefined
  #loading: Promise<T> | undefined

  constructor(load: () => Promise<T>) {
    this.#load = load
  }

  async now(): Promise<T> {
    const loaded = this.#loaded
    if (loaded !== undefined && performance.now() - loaded.at < freshFor) return loaded.value
    return await this.anew()
  }

  /** Undefined: nobody waits for it. */
  get loading(): Promise<T> | undefined {
    return this.#loading
  }

  async anew(): Promise<T> {
    this.#loading ??= this.#load()
      .then((value) => {
        this.#loaded = { value, at: performance.now() }
        return value
      })
      .finally(() => {
        this.#loading = undefined
      })
    return await this.#loading
  }
}

/** The metadata of an upstream, not older than an hour. Throws `unreachable` and `documents`. */
export const documentsOf = async (reaching: Reaching, upstream: Upstream): Promise<OidcDocuments> =>
  await keptOf(reaching, upstream).documents.now()

/** Reads metadata and keys anew, and keeps nothing. Throws as `documentsOf` does. */
export async function checkDocuments(reaching: Reaching, upstream: Upstream): Promise<OidcDocuments> {
  const documents = await readDocuments(reaching, upstream)
  await readKeys(reaching, documents)
  return documents
}

/** The address of the metadata of an issuer. */
export const documentsAt = (issuer: string): string =>
  `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`

/** Multi-tenant addresses of Entra: anybody with an account at Microsoft comes by them. */
const anyTenant = /^\/(common|organizations|consumers)(\/v2\.0)?\/?$|%7Btenant(id)?%7D/i
const oneTenant =
  'It is for every tenant, so that anybody could sign in; give the issuer of yours: https://login.microsoftonline.com/TENANT-ID/v2.0.'

async function readDocuments(reaching: Reaching, { issuer }: Upstream): Promise<OidcDocuments> {
  if (issuer === null || !/^https?:[^?#]+$/.test(issuer) || !URL.canParse(issuer))
    throw new UpstreamRefusal('documents', 'The issuer is no address of the form https://….')
  if (anyTenant.test(new URL(issuer).pathname)) throw new UpstreamRefusal('documents', oneTenant)
  const at = documentsAt(issuer)
  const { data, error } = schema.safeParse(await readJson(reaching, at))
  if (data === undefined)
    throw new UpstreamRefusal(
      'documents',
      `${at} is no metadata of OpenID Connect: ${z.prettifyError(error)}`,
    )
  if (/\{tenant(id)?\}/i.test(data.issuer)) throw new UpstreamRefusal('documents', oneTenant)
  if (data.issuer !== issuer)
    throw new UpstreamRefusal(
      'documents',
      `${at} names another issuer, ${data.issuer.slice(0, 500)}; the upstream has to have exactly that, to the last slash.`,
    )
  assertEndpoints(reaching, data)
  return data
}

function assertEndpoints({ toPrivateAddresses }: Reaching, documents: OidcDocuments): void {
  const { authorization_endpoint: page, end_session_endpoint: end = page } = documents
  // A browser goes to these two; what we ask ourselves is looked at when it is asked.
  if (!toPrivateAddresses && ![page, end].every((one) => one.startsWith('https:')))
    throw new UpstreamRefusal('documents', 'Its authorization_endpoint or end_session_endpoint is not https.')
  const algs = documents.id_token_signing_alg_values_supported
  if (algs !== undefined && !algs.some((alg) => oidcAlgs.includes(alg)))
    throw new UpstreamRefusal('documents', `It signs ID tokens with none of ${oidcAlgs.join(', ')}.`)
}

async function readKeys(reaching: Reaching, { jwks_uri }: OidcDocuments): Promise<JwkSet> {
  const keys = usableKeys(JSON.stringify(await readJson(reaching, jwks_uri)))
  if (keys === undefined || keys.keys.length === 0)
    throw new UpstreamRefusal('documents', `${jwks_uri} has no key of RSA from 2048 bits or P-256.`)
  return keys
}

async function readJson(reaching: Reaching, url: string): Promise<unknown> {
  const { status, body } = await fetchDocument(reaching, url)
  if (status >= 500) throw new UpstreamRefusal('unreachable', `${url} answered ${status}.`)
  if (status !== 200) throw new UpstreamRefusal('documents', `${url} answered ${status}.`)
  try {
    return JSON.parse(body)
  } catch (cause) {
    throw new UpstreamRefusal('documents', `${url} is no JSON.`, { cause })
  }
}

export interface VerifiedToken {
  header: CompactJWSHeaderParameters
  claims: Readonly<Record<string, unknown>>
}

/**
 * Checks by the upstream's keys who signed a token, and nothing else of it. Where none fits, the keys are asked for anew,
 * once a minute: a rotation fails no sign-in. Throws `signature`.
 */
export async function verifiedToken(
  reaching: Reaching,
  upstream: Upstream,
  token: string,
  purpose: TokenPurpose,
): Promise<VerifiedToken> {
  const kept = keptOf(reaching, upstream)
  let keys = await kept.keys.now()
  for (;;) {
    const verified = await verifiedBy(keys, token)
    if (verified !== undefined) return verified
    keys = await otherKeys(kept, keys, purpose)
  }
}

/** Keys that are newer than these. Throws where they may not be asked for yet. */
async function otherKeys({ keys, askedFor }: KeptDocuments, before: JwkSet, purpose: TokenPurpose) {
  const current = await (keys.loading ?? keys.now())
  // Somebody else has asked meanwhile.
  if (current !== before) return current
  if (performance.now() - (askedFor.get(purpose) ?? -Infinity) < cooldown) throw unsigned()
  askedFor.set(purpose, performance.now())
  return await keys.anew()
}

const unsigned = () =>
  new UpstreamRefusal('signature', 'The token is not signed by a key that the upstream publishes.')

/** Undefined: no key fits, and perhaps there is a new one. */
async function verifiedBy(keys: JwkSet, token: string): Promise<VerifiedToken | undefined> {
  const set = createLocalJWKSet(keys as unknown as JSONWebKeySet)
  try {
    const { payload, protectedHeader: header } = await compactVerify(token, set, { algorithms: oidcAlgs })
    const claims: unknown = JSON.parse(Buffer.from(payload).toString('utf8'))
    return { header, claims: z.record(z.string(), z.unknown()).parse(claims) }
  } catch (error) {
    // A TypeError: the key does not fit what the header says.
    const isUnknown =
      error instanceof errors.JWKSNoMatchingKey ||
      error instanceof errors.JWSSignatureVerificationFailed ||
      error instanceof TypeError
    if (isUnknown) return undefined
    throw unsigned()
  }
}
