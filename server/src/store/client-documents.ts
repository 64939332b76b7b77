/**
 * Documents of clients: when they were read, and by whom just now. What a document says is written to the row of its
 * client, so whoever finds the client needs nothing of this.
 */
import type { Kysely, Selectable } from 'kysely'
import { record } from '../audit/record.ts'
import { lockAdministration } from '../database/revision.ts'
import { preparedRow } from '../database/prepared.ts'
import type { ClientDocumentRow, ClientRow, DocumentRead, Schema } from '../database/schema.ts'
import type { Store } from '../database/store.ts'
import {
  documentCooldown,
  documentHost,
  type DocumentSays,
  documentSays,
  goneServes,
  isOwnAddress,
} from '../protocol/client-document.ts'
import { textList } from './clients.ts'
import { end } from './ending.ts'
import type { Reading } from './in-transaction.ts'
import { write } from './write/write.ts'

export type DocumentState = Selectable<ClientDocumentRow>

/** The columns of a client that its document says. */
type DocumentColumns = Pick<ClientRow, 'client_name' | 'redirect_uris' | 'jwks' | 'jwks_uri'> & {
  document_methods: Selectable<DocumentRead>['document_methods']
}

export const columnsOfDocument = (says: DocumentSays): DocumentColumns => ({
  client_name: says.client_name,
  redirect_uris: JSON.stringify(says.redirect_uris),
  jwks: says.jwks === null ? null : JSON.stringify(says.jwks),
  jwks_uri: says.jwks_uri,
  document_methods: JSON.stringify(says.methods),
})

/** Columns that say where a client's document is. */
type DocumentClient = Pick<ClientRow, 'client_id' | 'metadata' | 'redirect_hosts' | 'document'>

/**
 * The columns that the document of a client says, when the client is written and nothing is fetched: those of a document
 * that came along, those that were read before where they still may be, or none. Nothing for other clients.
 */
export function documentColumns(
  client: DocumentClient,
  before: (DocumentClient & Partial<DocumentColumns>) | undefined,
): Partial<DocumentColumns> {
  const { client_id, metadata, document } = client
  const registered = { client_id, redirect_hosts: textList(client.redirect_hosts) }
  if (metadata !== 'document') return before?.metadata === 'document' ? { document_methods: null } : {}
  if (document !== null) {
    const says = documentSays(JSON.parse(document), registered)
    return 'problem' in says ? unread(client_id) : columnsOfDocument(says)
  }
  const {
    client_name = '',
    redirect_uris = '[]',
    jwks = null,
    jwks_uri = null,
    document_methods = null,
  } = before ?? {}
  const wasFetched = before?.metadata === 'document' && before.document === null
  const isOwn = textList(redirect_uris).every((uri) => isOwnAddress(uri, registered))
  return wasFetched && isOwn
    ? { client_name, redirect_uris, jwks, jwks_uri, document_methods }
    : unread(client_id)
}

const unread = (client_id: string): DocumentColumns => ({
  client_name: documentHost(client_id) ?? client_id,
  redirect_uris: '[]',
  jwks: null,
  jwks_uri: null,
  document_methods: null,
})

const selectState = preparedRow<{ client_id: string }, DocumentState>((db, slot) =>
  db.selectFrom('client_documents').selectAll().where('client_id', '=', slot('client_id')),
)

/** When the document of a client was read; undefined: nobody has asked for it yet. */
export const documentState = async (store: Reading, client_id: string): Promise<DocumentState | undefined> =>
  await store.read(selectState({ client_id }))

/**
 * Whether the caller is to fetch the document now. Concurrency: one conditional statement, so of any number of callers,
 * in any process, one fetches; and none again before the cooldown is over.
 */
export async function claimDocument(store: Store, client_id: string, now: number): Promise<boolean> {
  const claimed = await store.db
    .insertInto('client_documents')
    .values({ client_id, fetched_at: null, failure: null, gone_at: null, tried_at: now, busy: 1 })
    .onConflict((conflict) =>
      conflict
        .column('client_id')
        .doUpdateSet({ tried_at: now, busy: 1 })
        .where(({ eb, or }) =>
          or([
            eb('client_documents.tried_at', '<=', now - documentCooldown),
            // A clock that was set back lets nobody wait; those of two processes always differ a little.
            eb('client_documents.tried_at', '>', now + documentCooldown),
          ]),
        ),
    )
    .returning('client_id')
    .executeTakeFirst()
  return claimed !== undefined
}

/** Notes that a document was read with the registration. Part of its transaction. */
export async function noteRead(
  trx: Kysely<Schema>,
  client_id: string,
  { now, keptFor }: { now: number; keptFor: number },
): Promise<void> {
  const read = {
    fetched_at: now,
    tried_at: now,
    fresh_until: now + keptFor,
    failure: null,
    gone_at: null,
    busy: 0,
  } as const
  await trx
    .insertInto('client_documents')
    .values({ client_id, ...read })
    .onConflict((conflict) => conflict.column('client_id').doUpdateSet(read))
    .execute()
}

interface Fetched {
  client_id: string
  now: number
}

/**
 * Keeps what was read of a document, and records what became different. It counts as a failure where `redirect_hosts` was
 * changed meanwhile. Concurrency: one at a time, and never beside a change by an administrator.
 */
export async function keepDocument(
  store: Store,
  { client_id, now }: Fetched,
  { says, keptFor }: { says: DocumentSays; keptFor: number },
): Promise<void> {
  await store.db.transaction().execute(async (trx) => {
    await lockAdministration(trx)
    const row = await fetchedClient(trx, client_id)
    if (row === undefined) return
    const registered = { client_id, redirect_hosts: textList(row.redirect_hosts) }
    if (!says.redirect_uris.every((uri) => isOwnAddress(uri, registered)))
      return await noteFailure(store, trx, { client_id, now }, 'does not fit redirect_hosts any more')
    await noteRead(trx, client_id, { now, keptFor })
    const columns = columnsOfDocument(says)
    const names = Object.keys(columns) as (keyof DocumentColumns)[]
    if (names.every((name) => row[name] === columns[name])) return
    const how = { now, by: 'others', ends: 'each', versions: 'overwritten' } as const
    await write(trx, { clients: { update: [{ before: row, set: { ...columns, updated_at: now } }] } }, how)
    const about = aboutClient(row)
    const [before, after] = [toldOf(row), toldOf(columns)]
    await record(store, { at: now, kind: 'client_document.changed', ...about, before, after }, trx)
  })
}

/** Keeps that a document could not be read, and records each new reason. The last good copy stays. */
export async function failDocument(
  store: Store,
  fetched: Fetched,
  { kind, reason }: { kind: 'gone' | 'failed'; reason: string },
): Promise<void> {
  await store.db.transaction().execute(async (trx) => {
    await noteFailure(store, trx, fetched, reason, kind)
  })
}

async function noteFailure(
  store: Store,
  trx: Kysely<Schema>,
  { client_id, now }: Fetched,
  reason: string,
  kind: 'gone' | 'failed' = 'failed',
): Promise<void> {
  const row = await fetchedClient(trx, client_id)
  const before = await trx
    .selectFrom('client_documents')
    .select(['failure', 'gone_at'])
    .where('client_id', '=', client_id)
    .executeTakeFirst()
  const gone_at = kind === 'gone' ? (before?.gone_at ?? now) : (before?.gone_at ?? null)
  await trx
    .updateTable('client_documents')
    .set({ busy: 0, failure: reason, gone_at })
    .where('client_id', '=', client_id)
    .execute()
  if (row === undefined || before?.failure === reason) return
  const about = aboutClient(row)
  await record(store, { at: now, kind: 'client_document.refused', ...about, detail: { reason } }, trx)
}

/** Ends what clients gave whose documents are gone for an hour by now. */
export async function endGoneDocuments(store: Store, now: number): Promise<void> {
  const due = await store.db
    .selectFrom('client_documents')
    .innerJoin('clients', 'clients.client_id', 'client_documents.client_id')
    .select('client_documents.client_id')
    .where('gone_at', '<=', now - goneServes)
    .where('clients.document_methods', 'is not', null)
    .where('clients.document', 'is', null)
    .execute()
  for (const { client_id } of due) await endDocument(store, client_id, now)
}

async function endDocument(store: Store, client_id: string, now: number): Promise<void> {
  await store.db.transaction().execute(async (trx) => {
    await lockAdministration(trx)
    const row = await fetchedClient(trx, client_id)
    if (row === undefined || row.document_methods === null) return
    // The document may have come back before the lock was had.
    const gone = trx
      .selectFrom('client_documents')
      .select('client_id')
      .where('client_id', '=', client_id)
      .where('gone_at', '<=', now - goneServes)
    if ((await gone.executeTakeFirst()) === undefined) return
    const set = { ...unread(client_id), client_name: row.client_name, updated_at: now }
    const how = { now, by: 'others', ends: 'each', versions: 'overwritten' } as const
    await write(trx, { clients: { update: [{ before: row, set }] } }, how)
    await end(trx, { clients: [client_id] }, { now, reason: 'client_document_gone' })
    await record(store, { at: now, kind: 'client_document.ended', ...aboutClient(row) }, trx)
  })
}

/** The client whose document is fetched, held until the transaction ends. */
const fetchedClient = async (trx: Kysely<Schema>, client_id: string) =>
  await trx
    .selectFrom('clients')
    .selectAll()
    .where('client_id', '=', client_id)
    .where('metadata', '=', 'document')
    .where('document', 'is', null)
    .forUpdate()
    .executeTakeFirst()

const aboutClient = ({
  client_id,
  organisation_uuid,
}: Pick<ClientRow, 'client_id' | 'organisation_uuid'>) => ({
  target: { kind: 'client', id: client_id },
  client_id,
  organisation_uuid: organisation_uuid ?? undefined,
})

const toldOf = ({ client_name, redirect_uris, jwks, jwks_uri, document_methods }: DocumentColumns) => ({
  client_name,
  redirect_uris: textList(redirect_uris),
  token_endpoint_auth_methods: textList(document_methods ?? '[]'),
  jwks,
  jwks_uri,
})
