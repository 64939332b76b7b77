import { createPublicKey, randomUUID } from 'node:crypto'
import { SignedXml } from 'xml-crypto'
import { certificateOf, newKey } from '../../dist/upstream/saml-metadata.js'

/** An identity provider of SAML that says and signs whatever it is told to. */
export interface SamlProvider {
  entityID: string
  sso: string
  slo: string
  key: string
  /** base64 of DER, as it stands in metadata. */
  certificate: string
  pem: string
  /** PEM of the public key, for tricks with it. */
  publicKey: string
}

export async function samlProvider(at: number): Promise<SamlProvider> {
  const key = await newKey()
  const certificate = await certificateOf({ uuid: randomUUID(), created_at: at, private_key: key })
  const lines = certificate.match(/.{1,64}/g) ?? []
  return {
    entityID: 'https://idp.example/saml',
    sso: 'https://idp.example/sso',
    slo: 'https://idp.example/slo',
    key,
    certificate,
    pem: `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`,
    publicKey: createPublicKey(key).export({ type: 'spki', format: 'pem' }).toString(),
  }
}

/** What a response says; null leaves it out. */
export interface Said {
  id: string
  issuer: string | null
  destination: string | null
  /** Of the response around the assertion. */
  responseInResponseTo: string | null
  inResponseTo: string | null
  recipient: string | null
  audience: string | null
  nameId: string
  format: string | null
  method: string
  notBefore: number
  notOnOrAfter: number
  conditionsEnd: number
  authnInstant: number
  context: string
  sessionIndex: string | null
  attributes: Record<string, string[]>
  status: string
  /** XML in the response before the assertion, and in the assertion at its end. */
  beforeAssertion: string
  inAssertion: string
}

const time = (at: number) => new Date(at).toISOString()
const attribute = (name: string, value: string | null) => (value === null ? '' : ` ${name}="${value}"`)

export function assertionXml(said: Said): string {
  const issuer = said.issuer === null ? '' : `<saml:Issuer>${said.issuer}</saml:Issuer>`
  const audience =
    said.audience === null
      ? ''
      : `<saml:AudienceRestriction><saml:Audience>${said.audience}</saml:Audience></saml:AudienceRestriction>`
  const attributes = Object.entries(said.attributes).map(
    ([name, values]) =>
      `<saml:Attribute Name="${name}">${values.map((value) => `<saml:AttributeValue xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:type="xs:string">${value}</saml:AttributeValue>`).join('')}</saml:Attribute>`,
  )
  const data = `<saml:SubjectConfirmationData NotOnOrAfter="${time(said.notOnOrAfter)}"${attribute('Recipient', said.recipient)}${attribute('InResponseTo', said.inResponseTo)}/>`
  return `<saml:Assertion xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" ID="${said.id}" Version="2.0" IssueInstant="${time(said.notBefore)}">${issuer}<saml:Subject><saml:NameID${attribute('Format', said.format)}>${said.nameId}</saml:NameID><saml:SubjectConfirmation Method="${said.method}">${data}</saml:SubjectConfirmation></saml:Subject><saml:Conditions NotBefore="${time(said.notBefore)}" NotOnOrAfter="${time(said.conditionsEnd)}">${audience}</saml:Conditions><saml:AuthnStatement AuthnInstant="${time(said.authnInstant)}"${attribute('SessionIndex', said.sessionIndex)}><saml:AuthnContext><saml:AuthnContextClassRef>${said.context}</saml:AuthnContextClassRef></saml:AuthnContext></saml:AuthnStatement><saml:AttributeStatement>${attributes.join('')}</saml:AttributeStatement>${said.inAssertion}</saml:Assertion>`
}

export function responseXml(said: Said, assertion = assertionXml(said)): string {
  return `<samlp:Response xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" ID="_response" Version="2.0" IssueInstant="${time(said.notBefore)}"${attribute('Destination', said.destination)}${attribute('InResponseTo', said.responseInResponseTo)}><saml:Issuer>${said.issuer}</saml:Issuer><samlp:Status><samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:${said.status}"/></samlp:Status>${said.beforeAssertion}${assertion}</samlp:Response>`
}

/** How it is signed; what is left out is as it should be. */
export interface Signing {
  signature?: string
  digest?: string
  canonicalization?: string
  transforms?: string[]
  /** The certificate in KeyInfo. */
  keyInfo?: string
  /** The key of an HMAC. */
  hmac?: string
  /** The prefix of XML-Signature. */
  prefix?: string
}

export const enveloped = 'http://www.w3.org/2000/09/xmldsig#enveloped-signature'
export const exclusive = 'http://www.w3.org/2001/10/xml-exc-c14n#'

/** The document with a signature in the element, after its Issuer. */
export function signed(
  xml: string,
  what: 'Assertion' | 'Response' | 'Conditions',
  key: string,
  how: Signing = {},
): string {
  const path = `//*[local-name()='${what}']`
  const signer = new SignedXml({
    privateKey: how.hmac ?? key,
    ...(how.keyInfo === undefined ? {} : { publicCert: how.keyInfo }),
    signatureAlgorithm: how.signature ?? 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256',
    canonicalizationAlgorithm: how.canonicalization ?? exclusive,
  })
  if (how.hmac !== undefined) signer.enableHMAC()
  signer.addReference({
    xpath: path,
    transforms: how.transforms ?? [enveloped, exclusive],
    digestAlgorithm: how.digest ?? 'http://www.w3.org/2001/04/xmlenc#sha256',
  })
  const prefix = how.prefix === undefined ? {} : { prefix: how.prefix }
  signer.computeSignature(xml, { location: { reference: path, action: 'append' }, ...prefix })
  return signer.getSignedXml()
}

/** Its metadata; what is given takes the place of a part. */
export function providerMetadata(
  { entityID, certificate, sso, slo }: SamlProvider,
  { certificates = [certificate], extra = '', before = '' } = {},
): string {
  const keys = certificates.map(
    (one) =>
      `<md:KeyDescriptor use="signing"><ds:KeyInfo xmlns:ds="http://www.w3.org/2000/09/xmldsig#"><ds:X509Data><ds:X509Certificate>${one}</ds:X509Certificate></ds:X509Data></ds:KeyInfo></md:KeyDescriptor>`,
  )
  const redirect = 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect'
  return `${before}<md:EntityDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata" entityID="${entityID}"><!-- Made for tests. --><md:IDPSSODescriptor protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol">${keys.join('')}<md:SingleLogoutService Binding="${redirect}" Location="${slo}"/><md:SingleSignOnService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST" Location="${sso}"/><md:SingleSignOnService Binding="${redirect}" Location="${sso}"/></md:IDPSSODescriptor>${extra}</md:EntityDescriptor>`
}
