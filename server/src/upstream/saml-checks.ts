import { UpstreamRefusal } from './refusal.ts'
import { childrenOf, readXml, within, type XmlElement } from './saml-xml.ts'

export const saml = {
  protocol: 'urn:oasis:names:tc:SAML:2.0:protocol',
  assertion: 'urn:oasis:names:tc:SAML:2.0:assertion',
  metadata: 'urn:oasis:names:tc:SAML:2.0:metadata',
  signature: 'http://www.w3.org/2000/09/xmldsig#',
  redirect: 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect',
  post: 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST',
  persistent: 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent',
} as const

export const mostBytes = 256 * 1024
/** Limits of a message that is read. The signature's library needs time by the square of the elements. */
export const messageForm = { code: 'response', mostBytes, mostElements: 1000, comments: 'refused' } as const
/** How far the clocks of two services may differ. */
export const skew = 60_000

/** A response whose form is right. Nothing of it is proved. */
export interface CheckedResponse {
  xml: string
  response: XmlElement
  assertion: XmlElement
  /** What carries a signature: one of them at least. */
  responseSigned: boolean
  assertionSigned: boolean
}

export const exclusive = 'http://www.w3.org/2001/10/xml-exc-c14n#'

/** What a signature may be made with; what is not here, HMAC and SHA-1 above all, is refused. */
const algorithms: Readonly<Record<string, readonly string[]>> = {
  CanonicalizationMethod: [exclusive],
  // The library of the signature knows no SHA-384.
  SignatureMethod: [
    'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256',
    'http://www.w3.org/2001/04/xmldsig-more#rsa-sha512',
  ],
  DigestMethod: ['http://www.w3.org/2001/04/xmlenc#sha256', 'http://www.w3.org/2001/04/xmlenc#sha512'],
  Transform: ['http://www.w3.org/2000/09/xmldsig#enveloped-signature', exclusive],
}

/** The parts of a signature, each of which is there once. The library finds them by name alone, at any depth. */
const parts = [
  'SignedInfo',
  'SignatureValue',
  'CanonicalizationMethod',
  'SignatureMethod',
  'Reference',
  'Transforms',
  'DigestMethod',
  'DigestValue',
]

/**
 * Checks the form of a response before its signature's library sees it: one Response, one Assertion that is its child, and
 * signatures that can't be about anything but the element that they are in.
 */
export function checkResponse(base64: string): CheckedResponse {
  const xml = textOf(base64)
  const response = readXml(xml, { ...messageForm, what: 'The response' })
  if (response.name !== 'Response' || response.namespace !== saml.protocol)
    refuse('It is no SAML 2.0 response.')
  const all = [...within(response)]
  if (all.some((one) => one.name.startsWith('Encrypted')))
    refuse(
      'It is encrypted. Switch the encryption of assertions off at the provider; the connection is encrypted.',
    )
  checkStatus(response)
  const assertion = onlyAssertion(response, all)
  checkIds(all)
  const signatures = all.filter(({ name }) => name === 'Signature')
  const responseSigned = isSigned(response)
  const assertionSigned = isSigned(assertion)
  const infos = all.filter(({ name }) => name === 'SignedInfo')
  const places = Number(responseSigned) + Number(assertionSigned)
  if (signatures.length !== places || infos.length !== places)
    refuse('A signature is elsewhere than in the Response or the Assertion.')
  if (signatures.length === 0)
    throw new UpstreamRefusal(
      'signature',
      'Neither the Response nor the Assertion is signed. Switch signing on at the provider.',
    )
  return { xml, response, assertion, responseSigned, assertionSigned }
}

function textOf(base64: string): string {
  if (base64.length > mostBytes * 1.4) refuse(`It is longer than ${mostBytes / 1024} KiB.`)
  const plain = base64.replaceAll(/[\r\n]/g, '')
  if (!/^(?:[A-Za-z\d+/]{4})*(?:[A-Za-z\d+/]{2}==|[A-Za-z\d+/]{3}=)?$/.test(plain))
    refuse('It is not base64.')
  try {
    return new TextDecoder('utf-8', { fatal: true })
      .decode(Buffer.from(plain, 'base64'))
      .replaceAll(/\r\n?/g, '\n')
  } catch {
    return refuse('It is not UTF-8.')
  }
}

function checkStatus(response: XmlElement): void {
  const [status, ...more] = childrenOf(response, saml.protocol, 'Status')
  const [code] = status === undefined ? [] : childrenOf(status, saml.protocol, 'StatusCode')
  if (code === undefined || more.length > 0) refuse('It has no Status.')
  const value = code.attributes.get('Value')
  if (value === 'urn:oasis:names:tc:SAML:2.0:status:Success') return
  const [inner] = childrenOf(code, saml.protocol, 'StatusCode')
  const said = inner?.attributes.get('Value') ?? value ?? ''
  const known = /^urn:oasis:names:tc:SAML:2\.0:status:([A-Za-z]{1,40})$/.exec(said)?.[1]
  throw new UpstreamRefusal('denied', `The provider refused: ${known ?? 'it does not say why'}.`)
}

function onlyAssertion(response: XmlElement, all: readonly XmlElement[]): XmlElement {
  const named = all.filter((one) => /^(?:Assertion|Response)$/i.test(one.name))
  const [assertion] = childrenOf(response, saml.assertion, 'Assertion')
  if (assertion === undefined) refuse('It has no assertion.')
  if (named.length > 2) refuse('It has more than one assertion or response.')
  const written = (text: string) => /<\s*[\w.:-]{0,100}(?:Assertion|Response)\b/i.test(text)
  if (all.some(({ text, attributes }) => written(text) || [...attributes.values()].some(written)))
    refuse('An assertion is written inside a text.')
  return assertion
}

/** Each ID once, however it is written: a signature refers by it. */
function checkIds(all: readonly XmlElement[]): void {
  const ids = all.flatMap(({ attributes }) =>
    [...attributes].filter(([name]) => /^(?:\{.*\})?id$/i.test(name)).map(([, value]) => value),
  )
  if (new Set(ids).size < ids.length) refuse('An ID is there twice.')
}

function isSigned(element: XmlElement): boolean {
  const [signature, ...more] = element.children.filter(({ name }) => name === 'Signature')
  if (signature === undefined) return false
  if (more.length > 0) refuse('An element has two signatures.')
  if (signature.namespace !== saml.signature) refuse('A signature is not one of XML-Signature.')
  const [info, value, keyInfo, ...others] = signature.children
  if (info?.name !== 'SignedInfo' || value?.name !== 'SignatureValue')
    refuse('A signature has not its parts.')
  if (others.length > 0 || (keyInfo !== undefined && keyInfo.name !== 'KeyInfo'))
    refuse('A signature has more than its parts.')
  const below = [...within(signature)]
  for (const part of parts)
    if (below.filter(({ name }) => name === part).length !== 1)
      refuse(`A signature has not exactly one ${part}.`)
  checkSignedInfo(info, element.attributes.get('ID'))
  return true
}

function checkSignedInfo(info: XmlElement, id: string | undefined): void {
  const [canonicalization, method, reference] = expected(
    info,
    'CanonicalizationMethod',
    'SignatureMethod',
    'Reference',
  )
  const [transforms, digest] = expected(reference, 'Transforms', 'DigestMethod', 'DigestValue')
  if (id === undefined || !/^[A-Za-z_][\w.-]*$/.test(id)) refuse('What is signed has no plain ID.')
  if (reference?.attributes.get('URI') !== `#${id}`)
    refuse('A signature is about another element than its own.')
  const used = [canonicalization, method, digest, ...(transforms?.children ?? [])]
  for (const one of used) checkAlgorithm(one)
  const order = transforms?.children.map((one) => one.attributes.get('Algorithm')).join(' ')
  if (order !== algorithms['Transform']?.join(' '))
    refuse('The transforms of a signature are not the enveloped signature and exclusive canonicalization.')
}

/** Exactly these children, in this order. */
function expected(element: XmlElement | undefined, ...names: string[]): XmlElement[] {
  const children = element?.children ?? []
  const right =
    children.length === names.length &&
    children.every(({ name, namespace }, at) => name === names[at] && namespace === saml.signature)
  return right ? [...children] : refuse(`A signature is not made of ${names.join(', ')}.`)
}

function checkAlgorithm(used: XmlElement | undefined): void {
  const algorithm = used?.attributes.get('Algorithm')
  if (used === undefined || algorithm === undefined || !algorithms[used.name]?.includes(algorithm))
    throw new UpstreamRefusal(
      'signature',
      `The ${used?.name} is not allowed. Set the provider to RSA-SHA256, with SHA-256 and exclusive canonicalization.`,
    )
  // Prefixes that the canonicalization keeps are taken; a signature method's part would be the length of an HMAC.
  const takes = used.name === 'Transform' && algorithm === exclusive
  const fine = used.children.every(
    (one) =>
      takes &&
      one.name === 'InclusiveNamespaces' &&
      one.namespace === exclusive &&
      isShort(one.attributes.get('PrefixList')),
  )
  if (!fine || used.children.length > 1) refuse(`The ${used.name} has parts that are not allowed.`)
}

const isShort = (prefixes: string | undefined) => prefixes !== undefined && prefixes.length <= 200

function refuse(detail: string): never {
  throw new UpstreamRefusal('response', detail)
}
