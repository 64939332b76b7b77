/** What a directory is told of this service (RFC 7644 §4): made of the schemas by which its requests are read. */
import { listResponse, mostResults } from './lists.ts'
import { type Attribute, type Kind, kinds, type SchemaDefinition, schemas } from './schemas.ts'

const core = (name: string) => `urn:ietf:params:scim:schemas:core:2.0:${name}`
const metaOf = (resourceType: string, location: string) => ({ meta: { resourceType, location } })

export const serviceProviderConfig = (base: string): object => ({
  schemas: [core('ServiceProviderConfig')],
  patch: { supported: true },
  bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
  filter: { supported: true, maxResults: mostResults },
  changePassword: { supported: false },
  sort: { supported: false },
  etag: { supported: true },
  authenticationSchemes: [
    {
      type: 'oauthbearertoken',
      name: 'Bearer token',
      description: 'The token of the directory.',
      specUri: 'https://www.rfc-editor.org/info/rfc6750',
      primary: true,
    },
  ],
  ...metaOf('ServiceProviderConfig', `${base}/ServiceProviderConfig`),
})

const resourceType = (base: string, { name, endpoint, schema, extensions }: Kind) => ({
  schemas: [core('ResourceType')],
  id: name,
  name,
  endpoint,
  description: schema.description,
  schema: schema.id,
  schemaExtensions: extensions.map(({ id }) => ({ schema: id, required: false })),
  ...metaOf('ResourceType', `${base}/ResourceTypes/${name}`),
})

/** The characteristics with their defaults, which schemas leave out (RFC 7643 §2.2). */
const described = ({ subAttributes, ...attribute }: Attribute): object => ({
  multiValued: false,
  required: false,
  mutability: 'readWrite',
  returned: 'default',
  ...(attribute.type !== 'complex' && { caseExact: false, uniqueness: 'none' }),
  ...attribute,
  ...(subAttributes !== undefined && { subAttributes: subAttributes.map(described) }),
})

const schemaDocument = (base: string, { id, name, description, attributes }: SchemaDefinition) => ({
  schemas: [core('Schema')],
  id,
  name,
  description,
  attributes: attributes.map(described),
  ...metaOf('Schema', `${base}/Schemas/${id}`),
})

/** The lists of discovery, by their address. */
export const discoveryLists: Readonly<Record<string, (base: string) => readonly { id: string }[]>> = {
  '/ResourceTypes': (base) => kinds.map((kind) => resourceType(base, kind)),
  '/Schemas': (base) => schemas.map((schema) => schemaDocument(base, schema)),
}

export const wholeList = (all: readonly object[]): object =>
  listResponse(all, { total: all.length, startIndex: 1 })
