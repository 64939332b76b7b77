/** Which client a subject of another issuer proves (decisions 30). */
import type { AssertionIssuer, Federated } from '../protocol/federated.ts'
import { hashSecret } from '../protocol/identifier.ts'
import type { ClientRow } from '../database/schema.ts'
import type { Reading } from './in-transaction.ts'

/** What a subject is known by: it is one client's within an organisation, and one's among those without. */
const subjectKey = (organisation_uuid: string | null, issuer: string, subject: string): string =>
  hashSecret(JSON.stringify([organisation_uuid, issuer, subject]))

/** The key of a client's own subject; undefined: it has none. */
export function subjectKeyOf(row: Pick<ClientRow, 'federated' | 'organisation_uuid'>): string | undefined {
  if (row.federated === null) return undefined
  const { issuer, subject } = JSON.parse(row.federated) as Federated
  return subject === undefined ? undefined : subjectKey(row.organisation_uuid, issuer, subject)
}

/** The client without organisation that a subject proves; undefined: none. */
export async function clientOfSubject(
  store: Reading,
  issuer: string,
  subject: string,
): Promise<string | undefined> {
  const key = subjectKey(null, issuer, subject)
  const found = await store.cache.get(`federated ${key}`, async () => {
    const row = await store.db
      .selectFrom('federated_subjects')
      .select('client_id')
      .where('key', '=', key)
      .executeTakeFirst()
    return row?.client_id
  })
  return found
}

/** The issuers whose tokens prove clients, from memory as long as nothing changed. */
export async function assertionIssuers(store: Reading): Promise<ReadonlyMap<string, AssertionIssuer>> {
  return await store.cache.get('assertion issuers', async () => {
    const row = await store.db
      .selectFrom('installation')
      .select('kept')
      .where('name', '=', 'assertion_issuers')
      .executeTakeFirst()
    return new Map(issuersIn(row?.kept).map((one) => [one.issuer, one]))
  })
}

/** The issuers of a kept text. */
export const issuersIn = (kept = '{}'): readonly AssertionIssuer[] =>
  (JSON.parse(kept) as { issuers?: AssertionIssuer[] }).issuers ?? []
