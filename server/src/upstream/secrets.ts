import type { UpstreamRow } from '../database/schema-upstream.ts'
import { openedUpstream, type UpstreamSecret } from '../keys/upstream-secret.ts'
import type { Secrets } from '../keys/encryption.ts'
import type { Attributes, MappingRule, Upstream } from './upstream.ts'

/** An upstream as this room works on it, of its row. Throws when a secret can't be opened. */
export function openUpstream({ settings }: { settings: Secrets }, row: UpstreamRow): Upstream {
  const { uuid, secret, private_key: privateKey, attributes, mapping, assurance, domains, ...rest } = row
  const opened = (of: UpstreamSecret, stored: string | null) =>
    stored === null
      ? undefined
      : openedUpstream({ uuid, of, stored }, [settings.secret, settings.previousSecret])
  return {
    uuid,
    ...rest,
    attributes: attributes === null ? {} : (JSON.parse(attributes) as Attributes),
    mapping: JSON.parse(mapping) as MappingRule[],
    assurance: assurance === null ? {} : (JSON.parse(assurance) as Record<string, '2' | 'phr'>),
    domains: JSON.parse(domains) as string[],
    secret: opened('secret', secret),
    private_key: opened('private_key', privateKey),
  }
}
