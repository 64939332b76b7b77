/** Clients that are documents (OAuth Client ID Metadata Document): what their address and what stands there may be. */
import { describable } from './characters.ts'
import { keyMethod } from './client-type.ts'
import { parseJson, RepeatedName } from './json.ts'
import { type JwkSet, jwkSetProblem } from './jwk-set.ts'
import { answeredUriProblem, redirectUriProblem } from './redirect-uri.ts'
import { longestClientId, textProblem, type ValueProblem } from './values.ts'

/** Where what a client is stands: here alone, or in a document at its client_id. */
export const metadataSources = ['registered', 'document'] as const
export type MetadataSource = (typeof metadataSources)[number]

/** Bytes. */
export const longestDocument = 5120
const mostRedirectUris = 20

/** What a document says of its client. All else in it is ignored. */
export interface DocumentSays {
  client_name: string
  redirect_uris: readonly string[]
  /** How the client may authenticate: by nothing, by its keys, or as it likes. */
  methods: readonly DocumentMethod[]
  jwks: JwkSet | null
  jwks_uri: string | null
}

export type DocumentMethod = 'none' | typeof keyMethod

/** The address is compared letter by letter, so it has one spelling. */
export const documentUrlProblem: ValueProblem = (value) => {
  if (value.length > longestClientId) return `is longer than ${longestClientId} characters`
  if (!value.startsWith('https://') || !URL.canParse(value)) return 'is no https address'
  if (/[?#]/.test(value)) return 'has a query or a fragment'
  const { pathname, href, username, password } = new URL(value)
  if (username !== '' || password !== '' || /^https:\/\/[^/]*@/.test(value))
    return 'holds a user name or password'
  if (pathname === '/') return 'has no path; a whole host is no document'
  // Also what a parser takes for a dot: `%2e`.
  if (/\/(\.|%2e){1,2}(\/|$)/i.test(value)) return 'has a dot segment (/../) in its path'
  return href === value ? undefined : `is not spelled as ${href}`
}

/** The host of a document's address, for people to read; undefined where it is none. */
export const documentHost = (client_id: string): string | undefined =>
  documentUrlProblem(client_id) === undefined ? new URL(client_id).host : undefined

/** What a client is registered with. */
export interface Documented {
  client_id: string
  redirect_hosts?: readonly string[] | undefined
}

/** What is wrong with a document, to follow “The document”. */
export interface DocumentFault {
  problem: string
}

/** What the text of a document says, as far as it may. One wrong redirect URI refuses all of it. */
export function readDocument(text: string, client: Documented): DocumentSays | DocumentFault {
  let read: unknown
  try {
    read = parseJson(text)
  } catch (error) {
    return { problem: error instanceof RepeatedName ? 'has a name twice' : 'is no JSON' }
  }
  return documentSays(read, client)
}

export function documentSays(document: unknown, client: Documented): DocumentSays | DocumentFault {
  if (typeof document !== 'object' || document === null || Array.isArray(document))
    return { problem: 'is no JSON object' }
  const said = new Map<string, unknown>(Object.entries(document))
  if (said.get('client_id') !== client.client_id)
    return { problem: `is of the client_id ${shown(said.get('client_id'))}, not of its own address` }
  const redirect_uris = said.get('redirect_uris')
  const wrong = addressesProblem(redirect_uris, client)
  if (wrong !== undefined) return { problem: wrong }
  const keys = keysOf(said, new URL(client.client_id))
  if ('problem' in keys) return keys
  return {
    client_name: nameOf(said.get('client_name'), client),
    redirect_uris: redirect_uris as string[],
    ...keys,
  }
}

/** A name that nobody could read, or that deceives, is none: pages name the host beside. */
function nameOf(name: unknown, { client_id }: Documented): string {
  const isName = typeof name === 'string' && textProblem(200)(name) === undefined
  return isName ? name : (documentHost(client_id) ?? client_id)
}

function addressesProblem(uris: unknown, client: Documented): string | undefined {
  if (!Array.isArray(uris) || uris.length === 0) return 'has no redirect_uris'
  if (uris.length > mostRedirectUris) return `has more than ${mostRedirectUris} redirect_uris`
  for (const uri of uris as unknown[]) {
    if (typeof uri !== 'string') return 'has a redirect URI that is no text'
    const problem = answeredUriProblem(uri, 'redirect_uris', 'web')
    if (problem !== undefined) return `has the redirect URI ${shown(uri)}, which ${problem}`
    if (!isOwnAddress(uri, client)) return foreignAddress(uri)
  }
  return undefined
}

const foreignAddress = (uri: string) =>
  `has the redirect URI ${shown(uri)}, which is neither on its own host, nor on one of redirect_hosts, nor on this computer`

const loopbackHosts = ['127.0.0.1', '[::1]', 'localhost']

/** Whether a redirect URI is on the host of the document, on one that was named, or of a program beside the browser. */
export function isOwnAddress(uri: string, { client_id, redirect_hosts = [] }: Documented): boolean {
  const { protocol, hostname } = new URL(uri)
  if (protocol === 'http:') return loopbackHosts.includes(hostname)
  return protocol === 'https:' && [new URL(client_id).hostname, ...redirect_hosts].includes(hostname)
}

type Keys = Pick<DocumentSays, 'methods' | 'jwks' | 'jwks_uri'>

function keysOf(said: ReadonlyMap<string, unknown>, url: URL): Keys | DocumentFault {
  const method = said.get('token_endpoint_auth_method') ?? 'none'
  if (method === 'none') return { methods: ['none'], jwks: null, jwks_uri: null }
  if (method !== keyMethod)
    return { problem: `has the token_endpoint_auth_method ${shown(method)}; it is none or ${keyMethod}` }
  const supported = said.get('token_endpoint_auth_methods_supported')
  const isOptional = Array.isArray(supported) && supported.includes('none')
  const methods: DocumentMethod[] = isOptional ? ['none', keyMethod] : [keyMethod]
  const [jwks = null, jwks_uri = null] = [said.get('jwks'), said.get('jwks_uri')]
  if ((jwks === null) === (jwks_uri === null)) return { problem: 'has either jwks or jwks_uri, for its keys' }
  if (jwks_uri === null) {
    const wrong = jwkSetProblem(jwks)
    return wrong === undefined
      ? { methods, jwks: jwks as JwkSet, jwks_uri }
      : { problem: `has a jwks that ${wrong}` }
  }
  const isOwn =
    typeof jwks_uri === 'string' &&
    redirectUriProblem(jwks_uri, 'web') === undefined &&
    isAt(new URL(jwks_uri), url)
  return isOwn ? { methods, jwks: null, jwks_uri } : { problem: 'has a jwks_uri that is not on its own host' }
}

const isAt = (uri: URL, { host }: URL): boolean => uri.protocol === 'https:' && uri.host === host

/** A value of a stranger's document, for a sentence: between quotes, out of which nothing of it gets. */
export function shown(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? 'nothing')
  return `'${describable(text.slice(0, 200)).replaceAll("'", '?')}'`
}

const minute = 60_000
const day = 24 * 60 * minute
/** How long a document counts as it was read, within these bounds. */
const kept = { least: 5 * minute, most: day }
/** How long the last good copy serves where none is to be had, ms. */
const copyServes = 7 * day
/** How long the copy serves after the host said that there is none, ms. */
export const goneServes = 60 * minute
/** The time after a failure before a document is asked for again, ms. */
export const documentCooldown = 30_000

/** How long an answer may be kept, in ms (RFC 9111 §5.2.2). */
export function keptFor(cacheControl: string | undefined): number {
  const said = (cacheControl ?? '').toLowerCase()
  const [, seconds] = /(?:^|[\s,])max-age="?(\d{1,9})/.exec(said) ?? []
  const asked = /no-(store|cache)/.test(said) ? 0 : Number(seconds ?? 0) * 1000
  return Math.min(Math.max(asked, kept.least), kept.most)
}

/** The end of what a copy serves for; null: none was read. */
export const copyEnds = ({ fetched_at, gone_at }: { fetched_at: number | null; gone_at: number | null }) =>
  fetched_at === null ? null : gone_at === null ? fetched_at + copyServes : gone_at + goneServes
