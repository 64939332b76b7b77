/** What an organisation entered by a set-up link: a draft of an upstream, which counts nowhere before it is confirmed. */
import type { Kysely } from 'kysely'
import { newColumns } from '../catalogue/columns.ts'
import { upstream as catalogued } from '../catalogue/upstream.ts'
import type { Schema } from '../database/schema.ts'
import type { UpstreamInvitationRow, UpstreamRow } from '../database/schema-upstream.ts'
import type { Store } from '../database/store.ts'
import type { Secrets } from '../keys/encryption.ts'
import { hashSecret } from '../protocol/identifier.ts'
import { type Provider, providers } from './providers.ts'
import type { SamlDocuments } from './saml.ts'
import { openUpstream } from './secrets.ts'
import type { Upstream } from './upstream.ts'

/** What is entered, without secrets. */
export interface DraftEntry {
  /** Left out: none was chosen yet. */
  provider?: Provider | undefined
  /** What the upstream will be known by within the organisation. */
  code?: string | undefined
  /** What was entered of the provider, and looked at. */
  values?: EnteredValues | undefined
  domain?: { name: string; token: string; found_at: number | null } | undefined
  directory?: { code: string } | undefined
}

export interface EnteredValues {
  issuer: string
  client_id: string | null
  /** Another one with each secret: whoever confirms it confirms that one. */
  secret_id: string | null
  metadata_url: string | null
  metadata: string | null
  /** What the metadata said when it was entered: this counts first, whatever the address says by then. */
  documents: SamlDocuments | null
}

export const entryOf = ({ entry }: Pick<UpstreamInvitationRow, 'entry'>): DraftEntry =>
  JSON.parse(entry) as DraftEntry

/** A hash of all that would come to count. What was looked at, and when, is none of it. */
export function entryHash(row: UpstreamInvitationRow): string {
  const { provider, code, values, domain, directory } = entryOf(row)
  const { uuid, organisation_uuid, upstream_uuid, token_hash } = row
  const known = [provider, code, values, domain?.name, domain?.token, directory?.code]
  return hashSecret(JSON.stringify([uuid, organisation_uuid, upstream_uuid, token_hash, ...known]))
}

/** The row that the upstream of a draft would have. */
export function draftRow(row: UpstreamInvitationRow, name: string): UpstreamRow {
  const { provider = 'oidc', code = provider, values } = entryOf(row)
  const { organisation_uuid, upstream_uuid: uuid, secret, private_key, created_at, updated_at } = row
  const { issuer = null, client_id = null, metadata_url = null, metadata = null } = values ?? {}
  const said = { issuer, client_id, metadata_url, metadata }
  const columns = newColumns(catalogued, {
    organisation_uuid,
    code,
    name,
    kind: providers[provider].kind,
    ...said,
  })
  return { ...columns, uuid, secret, private_key, created_at, updated_at }
}

/**
 * The draft with this uuid, open: for what a provider reads of it, and for trying it. It is in no list of upstreams, so
 * nobody is routed to it and no answer of it signs anybody in.
 */
export async function draftUpstream(
  service: { readonly store: Pick<Store, 'db'>; readonly settings: Secrets; now(): number },
  upstream_uuid: string,
): Promise<Upstream | undefined> {
  const row = await draftOf(service.store.db, upstream_uuid, service.now())
  return row && openUpstream(service, draftRow(row, row.organisation_name))
}

/** What the metadata of a draft said when it was entered: whoever posts an answer makes nobody read it anew. */
export async function draftDocuments(
  db: Kysely<Schema>,
  upstream_uuid: string,
): Promise<{ documents: SamlDocuments | undefined; fetched_at: number } | undefined> {
  const row = await db
    .selectFrom('upstream_invitations')
    .select('entry')
    .where('upstream_uuid', '=', upstream_uuid)
    .executeTakeFirst()
  const documents = (row && entryOf(row).values?.documents) ?? undefined
  return documents && { documents, fetched_at: Number.MAX_SAFE_INTEGER }
}

/** The open or handed-in draft with this uuid, of an organisation that is active. */
async function draftOf(db: Kysely<Schema>, upstream_uuid: string, now: number) {
  return await db
    .selectFrom('upstream_invitations')
    .innerJoin('organisations', 'organisations.uuid', 'upstream_invitations.organisation_uuid')
    .selectAll('upstream_invitations')
    .select('organisations.name as organisation_name')
    .where('upstream_invitations.upstream_uuid', '=', upstream_uuid)
    .where('upstream_invitations.state', 'in', ['open', 'handed_in'])
    .where('upstream_invitations.expires_at', '>', now)
    .where('organisations.active', '=', 1)
    .executeTakeFirst()
}

/** Notes that a trial of a draft came to something good, where that is still what is entered. */
export async function noteTried(
  { db }: Pick<Store, 'db'>,
  { id, now }: { id: string; now: number },
): Promise<void> {
  await db.updateTable('upstream_invitations').set({ tried_at: now }).where('trial_id', '=', id).execute()
}
