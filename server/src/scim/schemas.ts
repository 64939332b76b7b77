/**
 * `scim/` owns provisioning by SCIM 2.0 (RFC 7643, RFC 7644): what a directory sends, its resources, and who they are
 * tied to. It never decides what a group gives: that is `upstream/mapped`.
 *
 * The attributes of resources stand here once. Bodies, PATCH paths, filters and the discovery documents are read from it.
 */

/** An attribute (RFC 7643 §2.2, §7). What is left out has the default of §2.2, but for `caseExact`. */
export interface Attribute {
  readonly name: string
  readonly type: 'string' | 'boolean' | 'reference' | 'binary' | 'dateTime' | 'complex'
  readonly description: string
  readonly multiValued?: true
  readonly required?: true
  readonly caseExact?: true
  readonly mutability?: 'readOnly' | 'immutable'
  readonly returned?: 'always'
  readonly uniqueness?: 'server'
  readonly canonicalValues?: readonly string[]
  readonly referenceTypes?: readonly string[]
  readonly subAttributes?: readonly Attribute[]
}

export interface SchemaDefinition {
  readonly id: string
  readonly name: string
  readonly description: string
  readonly attributes: readonly Attribute[]
}

export type KindName = 'User' | 'Group'

export interface Kind {
  readonly name: KindName
  readonly endpoint: string
  readonly schema: SchemaDefinition
  readonly extensions: readonly SchemaDefinition[]
  /** All that a resource has. An extension is a complex attribute by the name of its schema. */
  readonly attributes: readonly Attribute[]
}

const string = (name: string, description: string, more: Partial<Attribute> = {}): Attribute => ({
  name,
  type: 'string',
  description,
  ...more,
})

const complex = (name: string, description: string, subAttributes: readonly Attribute[]): Attribute => ({
  name,
  type: 'complex',
  description,
  subAttributes,
})

/** A list of values of different types, one of which may be primary (RFC 7643 §2.4). */
const plural = (
  name: string,
  description: string,
  { types, value = {} }: { types?: readonly string[]; value?: Partial<Attribute> } = {},
): Attribute => ({
  ...complex(name, description, [
    string('value', 'The value.', value),
    string('display', 'How people are shown it.'),
    string('type', 'What it is for.', types && { canonicalValues: types }),
    { name: 'primary', type: 'boolean', description: 'Whether it is the preferred one.' },
  ]),
  multiValued: true,
})

const location: Partial<Attribute> = { type: 'reference', referenceTypes: ['external'], caseExact: true }

const user: SchemaDefinition = {
  id: 'urn:ietf:params:scim:schemas:core:2.0:User',
  name: 'User',
  description: 'A person.',
  attributes: [
    string('userName', 'By which the directory knows the person.', { required: true, uniqueness: 'server' }),
    complex('name', 'The parts of the name.', [
      string('formatted', 'The whole name.'),
      string('familyName', 'The family name.'),
      string('givenName', 'The given name.'),
      string('middleName', 'The middle names.'),
      string('honorificPrefix', 'What stands before the name.'),
      string('honorificSuffix', 'What stands after the name.'),
    ]),
    string('displayName', 'The name as people are shown it.'),
    string('nickName', 'What the person is called.'),
    string('profileUrl', 'The address of a page about the person.', location),
    string('title', 'What the person is in the organisation.'),
    string('userType', 'How the person belongs to the organisation.'),
    string('preferredLanguage', 'The language that the person prefers.'),
    string('locale', 'How dates and numbers are written, such as `en-GB`.'),
    string('timezone', 'The time zone, such as `Europe/Paris`.'),
    { name: 'active', type: 'boolean', description: 'Whether the person belongs to the organisation now.' },
    plural('emails', 'Addresses; the primary one, or the one for work, is the person’s.', {
      types: ['work', 'home', 'other'],
    }),
    plural('phoneNumbers', 'Telephone numbers.', {
      types: ['work', 'home', 'mobile', 'fax', 'pager', 'other'],
    }),
    plural('ims', 'Addresses for messages.'),
    plural('photos', 'Addresses of pictures.', { types: ['photo', 'thumbnail'], value: location }),
    {
      ...complex('addresses', 'Where the person is.', [
        string('formatted', 'The whole address.'),
        string('streetAddress', 'Street and number.'),
        string('locality', 'The town.'),
        string('region', 'The region.'),
        string('postalCode', 'The postal code.'),
        string('country', 'The country, by two letters.'),
        string('type', 'What it is for.', { canonicalValues: ['work', 'home', 'other'] }),
        { name: 'primary', type: 'boolean', description: 'Whether it is the preferred one.' },
      ]),
      multiValued: true,
    },
    plural('entitlements', 'What the person is entitled to. Gives nothing here.'),
    plural('roles', 'What the person is elsewhere. Gives nothing here.'),
    plural('x509Certificates', 'Certificates.', { value: { type: 'binary', caseExact: true } }),
  ],
}

const reference = (to: string): Partial<Attribute> => ({
  type: 'reference',
  referenceTypes: [to],
  caseExact: true,
})

const enterpriseUser: SchemaDefinition = {
  id: 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User',
  name: 'EnterpriseUser',
  description: 'What an enterprise knows of a person.',
  attributes: [
    string('employeeNumber', 'The number of the person.'),
    string('costCenter', 'The cost centre.'),
    string('organization', 'The organisation.'),
    string('division', 'The division.'),
    string('department', 'The department.'),
    complex('manager', 'Who manages the person.', [
      string('value', 'The id of the manager.', { caseExact: true }),
      string('$ref', 'The address of the manager.', reference('User')),
      string('displayName', 'The name of the manager.', { mutability: 'readOnly' }),
    ]),
  ],
}

const group: SchemaDefinition = {
  id: 'urn:ietf:params:scim:schemas:core:2.0:Group',
  name: 'Group',
  description: 'A group. What it gives depends on its id or externalId, never on its name.',
  attributes: [
    string('displayName', 'The name of the group.', { required: true }),
    {
      ...complex('members', 'The people in the group.', [
        string('value', 'The id of a person.', { mutability: 'immutable', caseExact: true }),
        string('$ref', 'The address of the person.', { ...reference('User'), mutability: 'immutable' }),
        string('type', 'What the member is.', { mutability: 'immutable', canonicalValues: ['User'] }),
      ]),
      multiValued: true,
    },
  ],
}

const readOnly = { mutability: 'readOnly', returned: 'always', caseExact: true } as const

/** What every resource has beside its schema (RFC 7643 §3.1), which no schema lists. */
const common: readonly Attribute[] = [
  string('id', 'The id that the resource has here.', readOnly),
  string('externalId', 'The id that the resource has there.', { caseExact: true }),
  {
    ...complex('meta', 'What is known of the resource itself.', [
      string('resourceType', 'What it is.', readOnly),
      string('created', 'When it was made.', { ...readOnly, type: 'dateTime' }),
      string('lastModified', 'When it was changed last.', { ...readOnly, type: 'dateTime' }),
      string('location', 'Its address.', { ...readOnly, type: 'reference' }),
      string('version', 'Its version.', readOnly),
    ]),
    mutability: 'readOnly',
  },
]

const kind = (schema: SchemaDefinition, name: KindName, extensions: readonly SchemaDefinition[]): Kind => ({
  name,
  endpoint: `/${name}s`,
  schema,
  extensions,
  attributes: [
    ...common,
    ...schema.attributes,
    ...extensions.map(({ id, description, attributes }) => complex(id, description, attributes)),
  ],
})

export const users = kind(user, 'User', [enterpriseUser])
export const groups = kind(group, 'Group', [])
export const kinds: readonly Kind[] = [users, groups]
export const schemas: readonly SchemaDefinition[] = [user, enterpriseUser, group]
export const enterpriseUrn = enterpriseUser.id

/** The attribute of this name, written in any case (RFC 7643 §2.1). */
export function attributeNamed(attributes: readonly Attribute[], name: string): Attribute | undefined {
  const key = name.toLowerCase()
  return attributes.find((one) => one.name.toLowerCase() === key)
}
