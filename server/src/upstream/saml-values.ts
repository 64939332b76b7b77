import type { ToldField } from './told-fields.ts'
import { UpstreamRefusal } from './refusal.ts'
import { saml } from './saml-checks.ts'
import { childrenOf, type XmlElement } from './saml-xml.ts'
import type { Upstream } from './upstream.ts'

const naming: readonly string[] = ['Format', 'NameQualifier', 'SPNameQualifier', 'SPProvidedID']

type Attributes = ReadonlyMap<string, readonly string[]>

const ws2005 = 'http://schemas.xmlsoap.org/ws/2005/05/identity/claims/'
const ws2008 = 'http://schemas.microsoft.com/ws/2008/06/identity/claims/'

/** The usual names of attributes: LDAP's, their object identifiers, those of Entra and AD FS. The first that is there counts. */
const usual: Readonly<Record<ToldField | 'groups', readonly string[]>> = {
  email: [
    'mail',
    'email',
    'urn:oid:0.9.2342.19200300.100.1.3',
    'urn:oid:1.2.840.113549.1.9.1',
    `${ws2005}emailaddress`,
  ],
  name: [
    'displayName',
    'urn:oid:2.16.840.1.113730.3.1.241',
    'http://schemas.microsoft.com/identity/claims/displayname',
    'cn',
    'urn:oid:2.5.4.3',
  ],
  given_name: ['givenName', 'firstName', 'urn:oid:2.5.4.42', `${ws2005}givenname`],
  family_name: ['sn', 'surname', 'lastName', 'urn:oid:2.5.4.4', `${ws2005}surname`],
  preferred_username: ['uid', 'urn:oid:0.9.2342.19200300.100.1.1', `${ws2005}name`],
  locale: ['preferredLanguage', 'urn:oid:2.16.840.1.113730.3.1.39', 'locale'],
  zoneinfo: ['zoneinfo'],
  groups: [
    'groups',
    'memberOf',
    'urn:oid:1.3.6.1.4.1.5923.1.5.1.1',
    `${ws2008}groups`,
    'http://schemas.xmlsoap.org/claims/Group',
  ],
}

/** Each attribute with its values. One that is there twice has the values of both. */
export function attributesOf(assertion: XmlElement): Map<string, string[]> {
  const all = new Map<string, string[]>()
  const statements = childrenOf(assertion, saml.assertion, 'AttributeStatement')
  for (const attribute of statements.flatMap((one) => childrenOf(one, saml.assertion, 'Attribute'))) {
    const name = attribute.attributes.get('Name') ?? ''
    const values = childrenOf(attribute, saml.assertion, 'AttributeValue')
    // A value with elements in it is none that a text can stand for.
    const texts = values.filter(({ children }) => children.length === 0).map(({ text }) => text)
    all.set(name, [...(all.get(name) ?? []), ...texts])
  }
  return all
}

/** What the upstream tells of its people, as far as there is a text for it. */
export function fieldsOf(upstream: Upstream, attributes: Attributes, told: readonly ToldField[]) {
  const fields: Partial<Record<ToldField, string>> = {}
  for (const field of told) {
    const value = firstOf(upstream, attributes, field)?.[0]?.trim()
    if (value !== undefined && value !== '') fields[field] = value
  }
  return fields
}

/** The groups. Where they are too many, Entra sends an address to ask at; who is in none often has no attribute. */
export function groupsOf(upstream: Upstream, attributes: Attributes): string[] | 'unknown' {
  if (attributes.has('http://schemas.microsoft.com/claims/groups.link')) return 'unknown'
  const groups = firstOf(upstream, attributes, 'groups') ?? []
  return [...new Set(groups.filter((one) => one !== ''))]
}

function firstOf(upstream: Upstream, attributes: Attributes, field: ToldField | 'groups') {
  const own = upstream.attributes[field]
  const name = own ?? usual[field].find((one) => attributes.has(one))
  return name === undefined ? undefined : attributes.get(name)
}

/**
 * The subject: one value of the attribute that the upstream names, or the persistent NameID. `nameId` is the NameID
 * as it was sent, by which a LogoutRequest names the person there.
 */
export function subjectOf(
  upstream: Upstream,
  assertion: XmlElement,
  attributes: Attributes,
  ownEntity: string,
): { subject: string; nameId: string | undefined } {
  const ids = childrenOf(assertion, saml.assertion, 'Subject').flatMap((one) =>
    childrenOf(one, saml.assertion, 'NameID'),
  )
  if (ids.length > 1) refuse('The Subject has more than one NameID.')
  const [id] = ids
  if (id !== undefined && id.children.length > 0) refuse('The NameID has elements in it.')
  const nameId =
    id === undefined
      ? undefined
      : JSON.stringify({
          text: id.text,
          attributes: Object.fromEntries([...id.attributes].filter(([name]) => naming.includes(name))),
        })
  const subject =
    upstream.subject === null ? persistent(upstream, id, ownEntity) : named(upstream.subject, attributes)
  if (subject.trim() === '' || subject.length > 500)
    refuse('The subject is empty, or longer than 500 characters.')
  return { subject, nameId }
}

function named(attribute: string, attributes: Attributes): string {
  const values = attributes.get(attribute)
  const [value] = values ?? []
  if (value === undefined || values?.length !== 1)
    return refuse(`The attribute ${attribute} is not there with one value. Let the provider send it.`)
  return value
}

function persistent(upstream: Upstream, id: XmlElement | undefined, ownEntity: string): string {
  const format = id?.attributes.get('Format')
  if (id === undefined || format !== saml.persistent)
    return refuse(
      `The NameID is not persistent (${/^urn:[\w.:-]{1,100}$/.test(format ?? '') ? format : 'it has no format'}): it may name somebody else tomorrow. Set the format of the NameID at the provider to ${saml.persistent}, or name an attribute that never changes as the subject of a new upstream.`,
    )
  const by = id.attributes.get('NameQualifier') ?? upstream.issuer
  const to = id.attributes.get('SPNameQualifier') ?? ownEntity
  if (by !== upstream.issuer || to !== ownEntity)
    refuse('The NameID is of another provider or for another service (NameQualifier, SPNameQualifier).')
  return id.text
}

function refuse(detail: string): never {
  throw new UpstreamRefusal('no_subject', detail)
}
