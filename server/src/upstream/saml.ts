import { sign } from 'node:crypto'
import { promisify } from 'node:util'
import { deflateRaw } from 'node:zlib'
import { type Assertion, asserted } from './assertion.ts'
import { type RefusalCode, UpstreamRefusal } from './refusal.ts'
import { type CheckedResponse, checkResponse, messageForm, saml, skew } from './saml-checks.ts'
import { signersOf } from './saml-signer.ts'
import { attributesOf, fieldsOf, groupsOf, subjectOf } from './saml-values.ts'
import { childrenOf, readXml, type XmlElement, xmlText } from './saml-xml.ts'
import { toldFields } from './told-fields.ts'
import type { Upstream } from './upstream.ts'

/** What the metadata of the provider said. */
export interface SamlDocuments {
  entityID: string
  /** Where AuthnRequests go, by the redirect binding. */
  sso: string
  /** Where LogoutRequests go, by the redirect binding. */
  slo?: string
  /** PEM. What signs must be one of these; what an answer brings along counts nothing. */
  certificates: string[]
}

/** An answer whose signature and conditions are right. One that nobody asked for has nothing in it. */
export type SamlAnswer = { id: string; expiresAt: number } & (
  | { assertion: Assertion; inResponseTo: string }
  | { assertion: undefined; inResponseTo: undefined }
)

const rsaSha256 = 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256'

/** The address of the provider with a signed AuthnRequest. Who is named by an attribute needs no NameID of a format. */
export async function samlAddress(
  upstream: Upstream,
  { sso }: SamlDocuments,
  asked: { id: string; acs: string; ownEntity: string; relayState: string; forceAuthn: boolean },
  now: number,
): Promise<string> {
  const policy =
    upstream.subject === null ? `<samlp:NameIDPolicy Format="${saml.persistent}" AllowCreate="true"/>` : ''
  const own = `ProtocolBinding="${saml.post}" AssertionConsumerServiceURL="${xmlText(asked.acs)}"`
  const request = `<samlp:AuthnRequest ${headOf(asked.id, sso, now)} ${own}${asked.forceAuthn ? ' ForceAuthn="true"' : ''}><saml:Issuer>${xmlText(asked.ownEntity)}</saml:Issuer>${policy}</samlp:AuthnRequest>`
  return await signedAddress(upstream, sso, request, asked.relayState)
}

/** The attributes that each message of ours has. */
export function headOf(id: string, destination: string, now: number): string {
  const issued = new Date(now).toISOString()
  return `xmlns:samlp="${saml.protocol}" xmlns:saml="${saml.assertion}" ID="${xmlText(id)}" Version="2.0" IssueInstant="${issued}" Destination="${xmlText(destination)}"`
}

/** The redirect binding: deflated, and the query signed as it is sent (SAML bindings 3.4.4.1). */
export async function signedAddress(
  { private_key }: Upstream,
  to: string,
  message: string,
  relayState: string | undefined,
  name: 'SAMLRequest' | 'SAMLResponse' = 'SAMLRequest',
): Promise<string> {
  if (private_key === undefined) throw new Error('A SAML upstream has a key.')
  const deflated = await promisify(deflateRaw)(message)
  const state = relayState === undefined ? {} : { RelayState: relayState }
  const values = { [name]: deflated.toString('base64'), ...state, SigAlg: rsaSha256 }
  const query = Object.entries(values)
    .map(([key, value]) => `${key}=${encodeURIComponent(value)}`)
    .join('&')
  const signature = sign('sha256', Buffer.from(query), private_key).toString('base64')
  return `${to}${to.includes('?') ? '&' : '?'}${query}&Signature=${encodeURIComponent(signature)}`
}

/**
 * What a posted response proves. The caller takes the request that `inResponseTo` names, once, and remembers the id until
 * `expiresAt`.
 */
export async function samlAssertion(
  upstream: Upstream,
  { certificates }: SamlDocuments,
  posted: { response: string; acs: string; ownEntity: string },
  now: number,
): Promise<SamlAnswer> {
  const checked = checkResponse(posted.response)
  const assertion = await verifiedAssertion(checked, certificates)
  checkIssuer(upstream, checked.response, assertion)
  checkDestination(checked, posted.acs)
  const conditions = checkConditions(assertion, posted.ownEntity, now)
  const confirmed = checkConfirmation(assertion, posted.acs, now)
  const inResponseTo = confirmed.attributes.get('InResponseTo')
  if (checked.response.attributes.get('InResponseTo') !== inResponseTo)
    refuse('response', 'The Response and its Assertion answer different requests.')
  const id = assertion.attributes.get('ID') ?? refuse('response', 'The Assertion has no ID.')
  const expiresAt = Math.min(endOf(confirmed), conditions) + skew
  if (inResponseTo === undefined) return { assertion: undefined, inResponseTo, id, expiresAt }
  return { assertion: toldBy(upstream, assertion, posted.ownEntity, now), inResponseTo, id, expiresAt }
}

/**
 * The assertion, read from the bytes that the signatures cover. Each signature that is there has to be right; the library's
 * own reading of the assertion is left out.
 */
async function verifiedAssertion(checked: CheckedResponse, certificates: string[]): Promise<XmlElement> {
  const { SAML } = await import('@node-saml/node-saml')
  let verified: string | undefined
  class Signature extends SAML {
    protected override async processValidlySignedAssertionAsync(xml: string) {
      verified = xml
      return { profile: { issuer: '', nameID: '', nameIDFormat: '' }, loggedOut: false }
    }
  }
  const library = new Signature({
    callbackUrl: 'unused',
    issuer: 'unused',
    idpCert: signersOf(checked, certificates),
    wantAuthnResponseSigned: checked.responseSigned,
    wantAssertionsSigned: checked.assertionSigned,
  })
  try {
    await library.validatePostResponseAsync({ SAMLResponse: Buffer.from(checked.xml).toString('base64') })
  } catch {
    // What the library says has parts of the assertion.
    refuse('signature', 'No certificate of the provider fits the signature. Read its metadata again.')
  }
  if (verified === undefined) return refuse('signature', 'The signature covers no assertion.')
  const assertion = readXml(verified, { ...messageForm, what: 'The assertion' })
  if (assertion.name !== 'Assertion' || assertion.namespace !== saml.assertion)
    refuse('response', 'What is signed is no assertion.')
  return assertion
}

function checkIssuer(upstream: Upstream, response: XmlElement, assertion: XmlElement): void {
  if (assertion.attributes.get('Version') !== '2.0') refuse('response', 'The Assertion is not of SAML 2.0.')
  const issuers = childrenOf(assertion, saml.assertion, 'Issuer')
  const around = childrenOf(response, saml.assertion, 'Issuer')
  if (issuers.length !== 1) refuse('issuer', 'The Assertion does not say who made it.')
  if ([...issuers, ...around].some(({ text }) => text !== upstream.issuer))
    refuse('issuer', 'The issuer is not the entityID of the upstream.')
}

/** A response that is signed has to say where it goes (SAML bindings 3.5.5.2). */
function checkDestination({ response, responseSigned }: CheckedResponse, acs: string): void {
  const destination = response.attributes.get('Destination')
  if (destination === undefined ? responseSigned : destination !== acs)
    refuse(
      'audience',
      'The Destination is another address. Set the reply address at the provider to the one of the metadata.',
    )
}

/** Yields when they end. */
function checkConditions(assertion: XmlElement, ownEntity: string, now: number): number {
  const [conditions, ...more] = childrenOf(assertion, saml.assertion, 'Conditions')
  if (conditions === undefined || more.length > 0)
    return refuse('audience', 'The Assertion has no Conditions.')
  checkTimes(conditions, now)
  const known = ['AudienceRestriction', 'OneTimeUse', 'ProxyRestriction']
  if (conditions.children.some(({ name }) => !known.includes(name)))
    refuse('response', 'The Assertion has a condition that is not known.')
  const restrictions = childrenOf(conditions, saml.assertion, 'AudienceRestriction')
  const isOurs = (one: XmlElement) =>
    childrenOf(one, saml.assertion, 'Audience').some(({ text }) => text === ownEntity)
  if (restrictions.length === 0 || !restrictions.every(isOurs))
    refuse(
      'audience',
      'The Audience is another service. Set the entity ID at the provider to the one of the metadata.',
    )
  return endOf(conditions)
}

/** The confirmation of a bearer: one, by this address, in time (SAML profiles 4.1.4.2). */
function checkConfirmation(assertion: XmlElement, acs: string, now: number): XmlElement {
  const [subject, ...more] = childrenOf(assertion, saml.assertion, 'Subject')
  if (subject === undefined || more.length > 0)
    return refuse('response', 'The Assertion has not one Subject.')
  const bearers = childrenOf(subject, saml.assertion, 'SubjectConfirmation').filter(
    ({ attributes }) => attributes.get('Method') === 'urn:oasis:names:tc:SAML:2.0:cm:bearer',
  )
  const data = bearers.flatMap((one) => childrenOf(one, saml.assertion, 'SubjectConfirmationData'))
  const [confirmed] = data
  if (confirmed === undefined || bearers.length !== 1 || data.length !== 1)
    return refuse('response', 'The Subject is not confirmed for one bearer.')
  if (confirmed.attributes.get('Recipient') !== acs)
    refuse(
      'audience',
      'The Recipient is another address. Set the reply address at the provider to the one of the metadata.',
    )
  if (endOf(confirmed) === Number.POSITIVE_INFINITY)
    refuse('response', 'The confirmation of the Subject has no end.')
  checkTimes(confirmed, now)
  return confirmed
}

function checkTimes(element: XmlElement, now: number): void {
  const from = timeOf(element, 'NotBefore')
  if (from !== undefined && now < from - skew)
    refuse('expired', 'The assertion is not valid yet. Check both clocks.')
  if (now >= endOf(element) + skew) refuse('expired', 'The assertion is over. Check both clocks.')
}

const endOf = (element: XmlElement): number => timeOf(element, 'NotOnOrAfter') ?? Number.POSITIVE_INFINITY

/** A time of SAML, which is UTC (SAML core 1.3.3). */
export function timeOf(
  element: XmlElement,
  name: string,
  code: RefusalCode = 'response',
): number | undefined {
  const text = element.attributes.get(name)
  if (text === undefined) return undefined
  const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/.test(text)
    ? Date.parse(text)
    : Number.NaN
  return Number.isNaN(time) ? refuse(code, `${name} is no time.`) : time
}

function toldBy(upstream: Upstream, assertion: XmlElement, ownEntity: string, now: number): Assertion {
  const [statement] = childrenOf(assertion, saml.assertion, 'AuthnStatement')
  if (statement === undefined) return refuse('response', 'The Assertion tells of no sign-in.')
  const auth_time = timeOf(statement, 'AuthnInstant')
  if (auth_time !== undefined && auth_time > now + skew) refuse('response', 'The sign-in is in the future.')
  const claims = attributesOf(assertion)
  const { subject, nameId } = subjectOf(upstream, assertion, claims, ownEntity)
  const contexts = childrenOf(statement, saml.assertion, 'AuthnContext').flatMap((one) =>
    childrenOf(one, saml.assertion, 'AuthnContextClassRef').map(({ text }) => text),
  )
  return asserted(upstream, {
    subject,
    fields: fieldsOf(upstream, claims, toldFields),
    groups: groupsOf(upstream, claims),
    claims,
    contexts,
    amr: [],
    auth_time,
    sid: statement.attributes.get('SessionIndex'),
    id_token: upstream.logout === 'both' ? nameId : undefined,
  })
}

function refuse(code: RefusalCode, detail: string): never {
  throw new UpstreamRefusal(code, detail)
}
