import { sql } from 'kysely'
import { rowOf } from '../database/rows.ts'
import type { Store } from '../database/store.ts'
import { draftDocuments } from './drafts.ts'
import type { Reaching } from './fetch.ts'
import { UpstreamRefusal } from './refusal.ts'
import type { SamlDocuments } from './saml.ts'
import { readSamlMetadata, refreshSamlDocuments } from './saml-metadata.ts'
import type { Upstream } from './upstream.ts'

const day = 24 * 3_600_000
/** Where no certificate fits, the metadata is read anew no sooner. */
const cooldown = 60_000

/** When each upstream's metadata was last read anew for that, by `performance.now()`. */
const askedFor = new Map<string, number>()

interface DocumentsOf {
  store: Store
  reaching: Reaching
  upstream: Upstream
  now: number
}

/**
 * Works with what the metadata says. Where no certificate fits, it is read anew, once a minute, and tried again: a certificate
 * that is rolled at the provider fails no sign-in.
 */
export async function withSamlDocuments<T>(
  { store, reaching, upstream, now }: DocumentsOf,
  work: (documents: SamlDocuments) => Promise<T>,
): Promise<T> {
  const known = await samlDocumentsOf(store, reaching, upstream, now)
  try {
    return await work(known)
  } catch (error) {
    const isUnknown = error instanceof UpstreamRefusal && error.code === 'signature'
    const isSoon = performance.now() - (askedFor.get(upstream.uuid) ?? -Infinity) < cooldown
    if (!isUnknown || isSoon || upstream.metadata_url === null) throw error
    askedFor.set(upstream.uuid, performance.now())
    return await work(await readSamlDocuments(store, reaching, upstream, now, known))
  }
}

/**
 * What the metadata of a SAML provider says: as it was read last, or read now where it never was or the upstream was changed
 * since. Read anew daily, and what can't be read leaves what there is.
 */
export async function samlDocumentsOf(
  store: Store,
  reaching: Reaching,
  upstream: Upstream,
  now: number,
): Promise<SamlDocuments> {
  const kept = await keptDocuments(store, upstream.uuid)
  const known = kept?.documents
  const fetchedAt = kept?.fetched_at ?? 0
  const isOld = fetchedAt <= Math.max(upstream.updated_at, now - day)
  if (known !== undefined && !isOld) return known
  try {
    return await readSamlDocuments(store, reaching, upstream, now, known)
  } catch (error) {
    const isChanged = fetchedAt <= upstream.updated_at
    if (known === undefined || isChanged || !(error instanceof UpstreamRefusal)) throw error
    return known
  }
}

/** Reads the metadata now, and keeps what it says. Throws a refusal, and keeps what there is. */
export async function readSamlDocuments(
  store: Store,
  reaching: Reaching,
  upstream: Upstream,
  now: number,
  known?: SamlDocuments,
): Promise<SamlDocuments> {
  const before = known ?? (await keptDocuments(store, upstream.uuid))?.documents
  const metadata = await metadataOf(store, upstream)
  const read = await readNow(reaching, { ...upstream, metadata }, { known: before, now })
  await keepDocuments(store, upstream.uuid, { documents: JSON.stringify(read), fetched_at: now })
  return read
}

async function keptDocuments(
  { db }: Store,
  upstream_uuid: string,
): Promise<{ documents: SamlDocuments | undefined; fetched_at: number } | undefined> {
  const state = await db
    .selectFrom('upstream_states')
    .select(['documents', 'fetched_at'])
    .where('upstream_uuid', '=', upstream_uuid)
    .executeTakeFirst()
  if (state === undefined) return await draftDocuments(db, upstream_uuid)
  const documents = state.documents === null ? undefined : (JSON.parse(state.documents) as SamlDocuments)
  return { documents, fetched_at: state.fetched_at ?? 0 }
}

/** The metadata of an upstream, as somebody gave it; null: it has an address instead. */
async function metadataOf({ db }: Store, { uuid, metadata }: Upstream): Promise<string | null> {
  if (metadata !== undefined) return metadata
  return (await rowOf(db, 'upstreams', { uuid }))?.metadata ?? null
}

async function readNow(
  reaching: Reaching,
  upstream: Upstream & { metadata: string | null },
  { known, now }: { known: SamlDocuments | undefined; now: number },
): Promise<SamlDocuments> {
  const { issuer, metadata, metadata_url } = upstream
  if (issuer !== null && metadata !== null) return readSamlMetadata(metadata, issuer, now)
  if (issuer !== null && metadata_url !== null)
    return await refreshSamlDocuments(reaching, upstream, known, now)
  throw new UpstreamRefusal('documents', 'The upstream has neither metadata nor a metadata_url; set one.')
}

/** Keeps what the metadata said at this time. What is drafted alone has no row, and is read anew each time. */
export async function keepDocuments(
  { db }: Pick<Store, 'db'>,
  upstream_uuid: string,
  row: { documents: string; fetched_at: number },
): Promise<void> {
  const { documents, fetched_at } = row
  await sql`insert into upstream_states (upstream_uuid, documents, fetched_at)
    select uuid, ${documents}, ${fetched_at} from upstreams where uuid = ${upstream_uuid}
    on conflict (upstream_uuid) do update set
      documents = excluded.documents, fetched_at = excluded.fetched_at`.execute(db)
}
