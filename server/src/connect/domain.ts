import * as kinds from '../catalogue/kinds.ts'
import { schemaOf } from '../catalogue/schemas.ts'
import { newDomainToken } from '../administration/domains/verbs.ts'
import { recordsOf } from '../upstream/domain-records.ts'
import type { DraftEntry } from '../upstream/drafts.ts'
import type { Service } from '../service.ts'

/** What a look at the record found. Of other organisations' records it tells nothing. */
export type DomainLook = 'found' | 'no_record' | 'alias' | 'wildcard' | 'no_answer'

/**
 * The domain that was typed, with the record that proves it: that of the organisation's claim, where there is one. Undefined:
 * it is no domain.
 */
export function domainOf(
  typed: string,
  before: DraftEntry['domain'],
  claims: readonly { name: string; token: string }[],
): DraftEntry['domain'] {
  const { data: name } = schemaOf(kinds.domainName).safeParse(typed.trim().replace(/^@/, '').toLowerCase())
  if (name === undefined) return undefined
  if (before?.name === name) return before
  const claimed = claims.find((one) => one.name === name)
  return { name, token: claimed?.token ?? newDomainToken(), found_at: null }
}

/** Looks at the record as it will be looked at once the domain counts. */
export async function lookAt(
  { settings }: Service,
  { name, token }: NonNullable<DraftEntry['domain']>,
): Promise<DomainLook> {
  const records = await recordsOf(settings.dnsServers, name, [token])
  if (records === undefined) return 'no_answer'
  return records.texts.has(token) ? 'found' : (records.refused ?? 'no_record')
}
