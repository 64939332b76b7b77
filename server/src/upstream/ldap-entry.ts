/** What an entry of a directory says about a person. */
import type { Entry } from 'ldapts'
import { UpstreamRefusal } from './refusal.ts'
import { type ToldField, toldFields } from './told-fields.ts'
import type { Upstream } from './upstream.ts'

type LdapAttributes = Pick<Upstream, 'subject' | 'attributes' | 'mapping'>

/** The attributes that say who somebody is where none is named: of Active Directory, and of RFC 4530. */
const usualSubjects = ['objectGUID', 'entryUUID'] as const

/** What people type: it may become another's, and so is never a subject. */
export const signInNames = ['mail', 'userPrincipalName', 'uid', 'sAMAccountName'] as const
const neverSubjects = [
  ...signInNames,
  ...['dn', 'distinguishedName', 'entryDN', 'cn', 'commonName', 'name', 'displayName', 'sn', 'surname'],
  ...['givenName', 'proxyAddresses', 'rfc822Mailbox', 'userid', 'mailNickname', 'krbPrincipalName'],
].map((name) => name.toLowerCase())

/** The attributes that tell the fields of a person, in the order in which they count. */
const usual: Readonly<Record<ToldField, readonly string[]>> = {
  email: ['mail'],
  name: ['displayName', 'cn'],
  given_name: ['givenName'],
  family_name: ['sn'],
  preferred_username: ['uid', 'sAMAccountName'],
  locale: ['preferredLanguage'],
  zoneinfo: [],
}

/** A name of an attribute, and no option, object identifier or wildcard. */
const isName = (text: string) => /^[a-z][a-z0-9-]*$/i.test(text)

/** The attributes that may be the subject. Throws `no_subject` for one that never is. */
export function subjectAttributes({ subject }: LdapAttributes): readonly string[] {
  if (subject === null) return usualSubjects
  if (isName(subject) && !neverSubjects.includes(subject.toLowerCase())) return [subject]
  throw new UpstreamRefusal(
    'no_subject',
    `${subject} does not say who somebody is for good: name an attribute that no other person ever gets, such as entryUUID.`,
  )
}

const fieldAttributes = ({ attributes }: LdapAttributes, field: ToldField): readonly string[] => {
  const named = attributes[field]
  return named === undefined ? usual[field] : [named]
}

const groupsOf = ({ attributes }: LdapAttributes) => attributes.groups ?? 'memberOf'
const states = ['userAccountControl', 'pwdAccountLockedTime']

/** Every attribute that is asked for. */
export function askedAttributes(upstream: LdapAttributes): string[] {
  const claims = upstream.mapping.flatMap(({ claim }) => claim ?? [])
  const fields = toldFields.flatMap((field) => fieldAttributes(upstream, field))
  const all = [...subjectAttributes(upstream), ...states, groupsOf(upstream), ...fields, ...claims]
  return [...new Set(all.filter(isName))]
}

/** The attributes by which a look finds who is gone. */
export const lookedAt = (upstream: LdapAttributes) => [...subjectAttributes(upstream), ...states]

/** What is read as bytes: ldapts compares names as they are written. */
export const binaryAttributes = ({ subject }: LdapAttributes): string[] => [
  'objectGUID',
  ...(subject === null ? [] : [subject]),
]

/** Values by the name of their attribute, which has no case. */
export function valuesOf(entry: Entry, name: string): readonly (Buffer | string)[] {
  const found = Object.keys(entry).find((one) => one.toLowerCase() === name.toLowerCase())
  const value = found === undefined || found === 'dn' ? [] : entry[found]
  return Array.isArray(value) ? value : value === undefined ? [] : [value]
}

const textsOf = (entry: Entry, name: string): readonly string[] =>
  valuesOf(entry, name).flatMap((one) => (typeof one === 'string' && one !== '' ? [one] : []))

/** The entry's subject: exactly one value. Undefined: it does not say. */
export function subjectOf(entry: Entry, upstream: LdapAttributes): string | undefined {
  for (const name of subjectAttributes(upstream)) {
    const [value, ...others] = valuesOf(entry, name)
    if (value === undefined) continue
    if (others.length > 0) return undefined
    if (isGuid(name)) return Buffer.isBuffer(value) && value.length === 16 ? guidText(value) : undefined
    const text = Buffer.isBuffer(value) ? utf8(value) : value
    return text === '' || text === undefined || text.length > 500 ? undefined : text
  }
  return undefined
}

export const isGuid = (name: string) => name.toLowerCase() === 'objectguid'

function utf8(bytes: Buffer): string | undefined {
  const text = bytes.toString('utf8')
  return Buffer.from(text).equals(bytes) && !text.includes('\0') ? text : undefined
}

/** A GUID as tools of Active Directory write it: its first three parts have their last byte first (MS-DTYP §2.3.4). */
function guidText(bytes: Buffer): string {
  const hex = (from: number, to: number, reversed = false) => {
    const part = Buffer.from(bytes.subarray(from, to))
    return (reversed ? part.reverse() : part).toString('hex')
  }
  return [hex(0, 4, true), hex(4, 6, true), hex(6, 8, true), hex(8, 10), hex(10, 16)].join('-')
}

/** The reverse; undefined for a text that is none. */
export function guidBytes(text: string): Buffer | undefined {
  if (!/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/.test(text)) return undefined
  const bytes = Buffer.from(text.replaceAll('-', ''), 'hex')
  for (const [from, to] of [[0, 4] as const, [4, 6] as const, [6, 8] as const])
    bytes.subarray(from, to).reverse()
  return bytes
}

/**
 * Whether the directory has disabled the entry: ACCOUNTDISABLE (MS-ADTS §2.2.16), or locked by an administrator until
 * that is taken back (Behera, password policy, §5.3.3). A lock that ends by itself is the directory's own to refuse.
 */
export function isDisabled(entry: Entry): boolean {
  const [control = '0'] = textsOf(entry, 'userAccountControl')
  const [locked] = textsOf(entry, 'pwdAccountLockedTime')
  return (Number(control) & 2) !== 0 || locked?.startsWith('00000101') === true
}

/** What the entry says of a person. */
export function toldBy(entry: Entry, upstream: LdapAttributes) {
  const fields: Partial<Record<ToldField, string>> = {}
  for (const field of toldFields) {
    const [value] = fieldAttributes(upstream, field).flatMap((name) => textsOf(entry, name))
    if (value !== undefined) fields[field] = value
  }
  const group = groupsOf(upstream)
  // Active Directory tells more than 1500 values in ranges (MS-ADTS §3.1.1.3.1.3.3): then these are not all.
  const inRanges = Object.keys(entry).some((one) => one.toLowerCase().startsWith(`${group.toLowerCase()};`))
  const asked = askedAttributes(upstream).filter((name) => name !== group && !isGuid(name))
  const rules = upstream.mapping.flatMap(({ claim }) => (claim === undefined ? [] : [claim]))
  const claims = [...new Set([...asked, ...rules])].map((name) => [name, textsOf(entry, name)] as const)
  return {
    fields,
    groups: inRanges ? ('unknown' as const) : textsOf(entry, group),
    claims: new Map(claims.filter(([, values]) => values.length > 0)),
  }
}
