import { verify } from 'node:crypto'
import { promisify } from 'node:util'
import { inflateRaw } from 'node:zlib'
import * as z from 'zod'
import { type RefusalCode, UpstreamRefusal } from './refusal.ts'
import { headOf, type SamlDocuments, signedAddress, timeOf } from './saml.ts'
import { messageForm, mostBytes, saml, skew } from './saml-checks.ts'
import { childrenOf, readXml, type XmlElement, xmlText } from './saml-xml.ts'
import type { Upstream } from './upstream.ts'

/** How long a request without an end counts. */
const lifetime = 5 * 60_000

const hashes: Readonly<Record<string, string>> = {
  'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256': 'sha256',
  'http://www.w3.org/2001/04/xmldsig-more#rsa-sha384': 'sha384',
  'http://www.w3.org/2001/04/xmldsig-more#rsa-sha512': 'sha512',
}

const nameIdShape = z.object({ text: z.string(), attributes: z.record(z.string(), z.string()) })

export interface SamlLogout {
  id: string
  /** The caller remembers the id until then. */
  expiresAt: number
  /** The subject, where the persistent NameID is that; undefined: only the sessions say who it is. */
  nameId: string | undefined
  /** Empty: all sessions of the person. */
  sessionIndexes: string[]
}

/** A LogoutRequest of the provider, by the redirect binding. */
export async function samlLogoutRequest(
  upstream: Upstream,
  { certificates }: SamlDocuments,
  url: URL,
  { slo }: { slo: string },
  now: number,
): Promise<SamlLogout> {
  const request = await signedRequest(url, certificates)
  if (request.name !== 'LogoutRequest' || request.namespace !== saml.protocol)
    refuse('response', 'It is no LogoutRequest.')
  const [issuer, ...more] = childrenOf(request, saml.assertion, 'Issuer')
  if (issuer?.text !== upstream.issuer || more.length > 0)
    refuse('issuer', 'The issuer is not the entityID of the upstream.')
  if (request.attributes.get('Destination') !== slo) refuse('audience', 'The Destination is another address.')
  const issued = timeOf(request, 'IssueInstant')
  if (issued === undefined || issued > now + skew)
    refuse('expired', 'The request is not of now. Check both clocks.')
  const expiresAt = (timeOf(request, 'NotOnOrAfter') ?? issued + lifetime) + skew
  if (now >= expiresAt) refuse('expired', 'The request is over. Check both clocks.')
  const id = request.attributes.get('ID') ?? refuse('response', 'The request has no ID.')
  const [name, ...names] = childrenOf(request, saml.assertion, 'NameID')
  if (name === undefined || names.length > 0) refuse('no_subject', 'The request has not one NameID.')
  const isSubject = upstream.subject === null && name.attributes.get('Format') === saml.persistent
  const sessionIndexes = childrenOf(request, saml.protocol, 'SessionIndex').map(({ text }) => text)
  return { id, expiresAt, nameId: isSubject ? name.text : undefined, sessionIndexes }
}

/** The message, once its signature is right: it covers the values as they were sent (SAML bindings 3.4.4.1). */
async function signedRequest(url: URL, certificates: readonly string[]): Promise<XmlElement> {
  const sent = url.search
    .slice(1)
    .split('&')
    .map((pair) => pair.split('='))
  const only = (name: string) => {
    const found = sent.filter(([key]) => key !== undefined && decodedValue(key) === name)
    const [[, value] = []] = found
    if (found.length > 1 || found.some((pair) => pair.length !== 2 || pair[0] !== name))
      return refuse('response', `${name} is not there once.`)
    return value
  }
  const [message, relayState, algorithm, signature] = [
    only('SAMLRequest'),
    only('RelayState'),
    only('SigAlg'),
    only('Signature'),
  ]
  if (message === undefined) return refuse('response', 'There is no SAMLRequest.')
  if (algorithm === undefined || signature === undefined)
    return refuse('signature', 'The request is not signed. Let the provider sign its LogoutRequests.')
  const hash =
    hashes[decodedValue(algorithm)] ??
    refuse('signature', 'The SigAlg is not allowed. Set the provider to RSA-SHA256.')
  const state = relayState === undefined ? '' : `&RelayState=${relayState}`
  const signed = Buffer.from(`SAMLRequest=${message}${state}&SigAlg=${algorithm}`)
  const bytes = Buffer.from(decodedValue(signature), 'base64')
  if (!certificates.some((one) => verify(hash, signed, one, bytes)))
    refuse('signature', 'No certificate of the provider fits the signature. Read its metadata again.')
  return readXml(await inflated(decodedValue(message)), { ...messageForm, what: 'The request' })
}

function decodedValue(value: string): string {
  try {
    return decodeURIComponent(value.replaceAll('+', ' '))
  } catch {
    return refuse('response', 'The query is malformed.')
  }
}

async function inflated(base64: string): Promise<string> {
  try {
    const bytes = await promisify(inflateRaw)(Buffer.from(base64, 'base64'), { maxOutputLength: mostBytes })
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return refuse('response', 'The request is not deflated, or too long.')
  }
}

/**
 * Where a browser goes to be signed out at the provider; undefined where it has no such address. `nameId` is what
 * the assertion had as `id_token`.
 */
export async function samlLogoutAddress(
  upstream: Upstream,
  { slo }: SamlDocuments,
  ends: { id: string; ownEntity: string; nameId: string; sid: string | undefined; relayState: string },
  now: number,
): Promise<string | undefined> {
  if (slo === undefined) return undefined
  const { text, attributes } = nameIdShape.parse(JSON.parse(ends.nameId))
  const written = Object.entries(attributes).map(([name, value]) => ` ${name}="${xmlText(value)}"`)
  const session =
    ends.sid === undefined ? '' : `<samlp:SessionIndex>${xmlText(ends.sid)}</samlp:SessionIndex>`
  const end = new Date(now + lifetime).toISOString()
  const request = `<samlp:LogoutRequest ${headOf(ends.id, slo, now)} NotOnOrAfter="${end}"><saml:Issuer>${xmlText(ends.ownEntity)}</saml:Issuer><saml:NameID${written.join('')}>${xmlText(text)}</saml:NameID>${session}</samlp:LogoutRequest>`
  return await signedAddress(upstream, slo, request, ends.relayState)
}

/**
 * Where a browser goes with our answer to a LogoutRequest: without it the provider's own logout stops halfway, and the person
 * stays signed in there. Undefined where it has no such address.
 */
export async function samlLogoutAnswer(
  upstream: Upstream,
  { slo }: SamlDocuments,
  answer: { id: string; inResponseTo: string; ownEntity: string; relayState: string | undefined },
  now: number,
): Promise<string | undefined> {
  if (slo === undefined) return undefined
  const status = '<samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:Success"/>'
  const response = `<samlp:LogoutResponse ${headOf(answer.id, slo, now)} InResponseTo="${xmlText(answer.inResponseTo)}"><saml:Issuer>${xmlText(answer.ownEntity)}</saml:Issuer><samlp:Status>${status}</samlp:Status></samlp:LogoutResponse>`
  return await signedAddress(upstream, slo, response, answer.relayState, 'SAMLResponse')
}

function refuse(code: RefusalCode, detail: string): never {
  throw new UpstreamRefusal(code, detail)
}
