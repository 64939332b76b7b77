import { generateKeyPair, X509Certificate, createPrivateKey, createPublicKey, webcrypto } from 'node:crypto'
import { promisify } from 'node:util'
import { isLoopbackHost } from '../protocol/redirect-uri.ts'
import { fetchDocument, type Reaching } from './fetch.ts'
import { UpstreamRefusal } from './refusal.ts'
import { type SamlDocuments, timeOf } from './saml.ts'
import { saml, skew } from './saml-checks.ts'
import { childrenOf, readXml, within, type XmlElement, xmlText } from './saml-xml.ts'
import type { Upstream } from './upstream.ts'

const mostMetadata = 1024 * 1024

/** A key for `upstream.private_key`: PKCS #8, PEM. */
export async function newKey(): Promise<string> {
  const { privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: 2048 })
  return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
}

/** Our metadata, for the provider. */
export async function samlMetadata(
  upstream: Upstream,
  { ownEntity, acs, slo }: { ownEntity: string; acs: string; slo: string },
): Promise<string> {
  const certificate = await certificateOf(upstream)
  return `<?xml version="1.0" encoding="UTF-8"?>
<md:EntityDescriptor xmlns:md="${saml.metadata}" entityID="${xmlText(ownEntity)}">
  <md:SPSSODescriptor AuthnRequestsSigned="true" WantAssertionsSigned="true" protocolSupportEnumeration="${saml.protocol}">
    <md:KeyDescriptor use="signing">
      <ds:KeyInfo xmlns:ds="${saml.signature}"><ds:X509Data><ds:X509Certificate>${certificate}</ds:X509Certificate></ds:X509Data></ds:KeyInfo>
    </md:KeyDescriptor>
    <md:SingleLogoutService Binding="${saml.redirect}" Location="${xmlText(slo)}"/>
    <md:NameIDFormat>${saml.persistent}</md:NameIDFormat>
    <md:AssertionConsumerService Binding="${saml.post}" Location="${xmlText(acs)}" index="0" isDefault="true"/>
  </md:SPSSODescriptor>
</md:EntityDescriptor>
`
}

const lifetime = 20 * 365 * 86_400_000

/** A certificate of the upstream's key, signed by itself. Nothing in it changes, so each reading yields the same bytes. */
export async function certificateOf({
  uuid,
  created_at,
  private_key,
}: Pick<Upstream, 'uuid' | 'created_at' | 'private_key'>): Promise<string> {
  if (private_key === undefined) throw new Error('A SAML upstream has a key.')
  const { X509CertificateGenerator } = await import('@peculiar/x509')
  const algorithm = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' }
  const secret = createPrivateKey(private_key).export({ type: 'pkcs8', format: 'der' })
  const open = createPublicKey(private_key).export({ type: 'spki', format: 'der' })
  const certificate = await X509CertificateGenerator.createSelfSigned(
    {
      // Positive, whatever the uuid begins with (RFC 5280 4.1.2.2).
      serialNumber: `01${uuid.replaceAll('-', '')}`,
      name: `CN=${uuid}`,
      notBefore: new Date(created_at),
      notAfter: new Date(created_at + lifetime),
      signingAlgorithm: algorithm,
      keys: {
        privateKey: await webcrypto.subtle.importKey('pkcs8', secret, algorithm, false, ['sign']),
        publicKey: await webcrypto.subtle.importKey('spki', open, algorithm, true, ['verify']),
      },
    },
    webcrypto,
  )
  return Buffer.from(certificate.rawData).toString('base64')
}

/** What is needed of a provider's metadata. Each refusal says what to change. */
export function readSamlMetadata(xml: string, entityID: string, now: number): SamlDocuments {
  const provider = providerOf(entityOf(metadataOf(xml), entityID, now))
  const slo = addressOf(provider, 'SingleLogoutService')
  const sso = addressOf(provider, 'SingleSignOnService')
  if (sso === undefined)
    refuse('has no SingleSignOnService by HTTP-Redirect. Switch that binding on at the provider.')
  return { entityID, sso, ...(slo === undefined ? {} : { slo }), certificates: certificatesOf(provider) }
}

const metadataOf = (xml: string): XmlElement =>
  readXml(xml.replace(/^\uFEFF/, ''), {
    code: 'documents',
    what: 'The metadata',
    mostBytes: mostMetadata,
    mostElements: 50_000,
    // Files that come with Shibboleth explain themselves by comments.
    comments: 'skipped',
  })

/** The entityID of metadata that is of one provider alone. */
export function entityIdOf(xml: string): string {
  const [only, ...others] = entitiesIn(metadataOf(xml))
  if (others.length > 0)
    refuse(`is of ${others.length + 1} providers. Take that of your identity provider alone.`)
  return only?.attributes.get('entityID') ?? ''
}

function entitiesIn(root: XmlElement): XmlElement[] {
  const entities = [...within(root)].filter(
    ({ name, namespace }) => name === 'EntityDescriptor' && namespace === saml.metadata,
  )
  if (entities.length === 0)
    refuse(
      'is no SAML 2.0 metadata: it has no EntityDescriptor. Take the address or file that the provider calls federation metadata.',
    )
  return entities
}

function entityOf(root: XmlElement, entityID: string, now: number): XmlElement {
  const entities = entitiesIn(root)
  const [entity, ...more] = entities.filter(({ attributes }) => attributes.get('entityID') === entityID)
  if (entity === undefined) {
    const [other] = entities.map(({ attributes }) => attributes.get('entityID') ?? '')
    return refuse(
      `is not of ${entityID}, but of ${other?.slice(0, 200)}. Another entityID is another upstream: make a new one.`,
    )
  }
  if (more.length > 0) refuse(`has ${entityID} more than once.`)
  const until = [root, entity].map(
    (one) => timeOf(one, 'validUntil', 'documents') ?? Number.POSITIVE_INFINITY,
  )
  if (Math.min(...until) + skew <= now) refuse('is over (validUntil). Take a new one from the provider.')
  return entity
}

function providerOf(entity: XmlElement): XmlElement {
  const [provider, ...more] = childrenOf(entity, saml.metadata, 'IDPSSODescriptor').filter(({ attributes }) =>
    attributes.get('protocolSupportEnumeration')?.split(/\s+/).includes(saml.protocol),
  )
  if (provider === undefined)
    return refuse(
      'has no IDPSSODescriptor of SAML 2.0: it is the metadata of a service. Take that of the identity provider.',
    )
  if (more.length > 0) refuse('has more than one IDPSSODescriptor.')
  return provider
}

function addressOf(provider: XmlElement, service: string): string | undefined {
  const found = childrenOf(provider, saml.metadata, service).find(
    ({ attributes }) => attributes.get('Binding') === saml.redirect,
  )
  if (found === undefined) return undefined
  const location = found.attributes.get('Location') ?? ''
  const url = URL.canParse(location) ? new URL(location) : undefined
  const reachable = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopbackHost(url.hostname))
  if (!reachable || url.username !== '' || url.password !== '' || url.hash !== '')
    refuse(`has a ${service} that is no https address. Let the provider be reached by https.`)
  return location
}

/** The certificates that sign: those of a KeyDescriptor for signing, or for anything. */
function certificatesOf(provider: XmlElement): string[] {
  const keys = childrenOf(provider, saml.metadata, 'KeyDescriptor').filter(
    ({ attributes }) => (attributes.get('use') ?? 'signing') === 'signing',
  )
  const texts = keys
    .flatMap((key) => childrenOf(key, saml.signature, 'KeyInfo'))
    .flatMap((info) => childrenOf(info, saml.signature, 'X509Data'))
    .flatMap((data) => childrenOf(data, saml.signature, 'X509Certificate'))
    .map(({ text }) => text.replaceAll(/\s+/g, ''))
  if (texts.length === 0)
    refuse('has no certificate for signing. Let the provider publish its X509Certificate.')
  if (texts.length > 5) refuse('has more than five certificates for signing.')
  return [...new Set(texts.map(certificateFrom))]
}

function certificateFrom(base64: string): string {
  let certificate: X509Certificate
  try {
    certificate = new X509Certificate(Buffer.from(base64, 'base64'))
  } catch {
    return refuse('has a certificate that can not be read. Copy the metadata as a whole.')
  }
  const { asymmetricKeyType, asymmetricKeyDetails } = certificate.publicKey
  if (asymmetricKeyType !== 'rsa' || (asymmetricKeyDetails?.modulusLength ?? 0) < 2048)
    refuse(
      'has a certificate whose key is not RSA of 2048 bits or more. Let the provider sign by such a key.',
    )
  return certificate.toString()
}

/**
 * Reads the metadata anew. New certificates join; one that the provider withdraws leaves as soon as another that was known
 * is still there. A refusal, as for another entityID, leaves everything as it was.
 */
export async function refreshSamlDocuments(
  reaching: Reaching,
  { issuer, metadata_url }: Pick<Upstream, 'issuer' | 'metadata_url'>,
  before: SamlDocuments | undefined,
  now: number,
): Promise<SamlDocuments> {
  if (metadata_url === null || issuer === null) throw new Error('The upstream has no metadata_url.')
  const { status, body } = await fetchDocument(reaching, metadata_url)
  if (status !== 200) refuse(`could not be read: the address answers ${status}. Check metadata_url.`)
  const read = readSamlMetadata(body, issuer, now)
  const known = before?.certificates ?? []
  const goesOn = known.length === 0 || read.certificates.some((one) => known.includes(one))
  return goesOn ? read : { ...read, certificates: [...new Set([...known, ...read.certificates])] }
}

function refuse(problem: string): never {
  throw new UpstreamRefusal('documents', `The metadata ${problem}`)
}
