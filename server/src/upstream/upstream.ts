import type { UpstreamRow } from '../database/schema-upstream.ts'
import type { ToldField } from './told-fields.ts'

/** Which profile a group, or a value of a claim, gives within the organisation. */
export type MappingRule = { role: string; unit?: string | undefined } & (
  | { group: string; claim?: undefined; equals?: undefined }
  | { group?: undefined; claim: string; equals: string }
)

/** The names by which an upstream tells the fields of a person, and its groups. */
export type Attributes = Partial<Record<ToldField | 'groups', string>>

/** A row of upstreams. Of one from memory `metadata` is undefined: it is read where it is needed. */
export type KeptUpstream = Omit<UpstreamRow, 'metadata'> & { metadata?: string | null | undefined }

/** An upstream as this room works on it: lists and maps are read, secrets are open. */
export interface Upstream
  extends Omit<KeptUpstream, 'attributes' | 'mapping' | 'assurance' | 'domains' | 'secret' | 'private_key'> {
  attributes: Attributes
  mapping: readonly MappingRule[]
  /** `acr`, `amr` or AuthnContext values, each with the level that it counts as. */
  assurance: Readonly<Record<string, '2' | 'phr'>>
  domains: readonly string[]
  /** `client_secret` or `bind_password`; undefined: there is none. */
  secret: string | undefined
  /** PKCS #8 PEM, RSA-2048: signs client assertions and AuthnRequests; undefined for LDAP. */
  private_key: string | undefined
}

/** An upstream without its secrets. */
export type ReadUpstream = Omit<Upstream, 'secret' | 'private_key'>

/** The row with its JSON read. */
export function readUpstream(row: KeptUpstream): ReadUpstream {
  const { attributes, mapping, assurance, domains, secret: _, private_key: __, ...rest } = row
  return {
    ...rest,
    attributes: JSON.parse(attributes ?? '{}') as Attributes,
    mapping: JSON.parse(mapping) as MappingRule[],
    assurance: JSON.parse(assurance ?? '{}') as Record<string, '2' | 'phr'>,
    domains: JSON.parse(domains) as string[],
  }
}
