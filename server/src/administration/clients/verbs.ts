import { isThere, rowOf, rowsOf } from '../../database/rows.ts'
import type { Kysely } from 'kysely'
import { notFound, wrongField } from '../../protocol/problem.ts'
import { clientIdProblem } from '../../protocol/values.ts'
import { isOwnedWithin } from '../../access/reach.ts'
import { chunksOf } from '../../database/chunks.ts'
import type { WrittenRow } from '../../store/write/rows.ts'
import { write, writeChange, writeRemoval } from '../../store/write/write.ts'
import { hashSecret, newId } from '../../protocol/identifier.ts'
import type { Store } from '../../database/store.ts'
import { type Client, findClient } from '../../store/clients.ts'
import type { ClientRow, Schema } from '../../database/schema.ts'
import type { By, Row, Transacting } from '../by.ts'
import type { Created, Repeatable } from '../change.ts'
import { changeOne, createOne, idIn, type One, removeOne, type Resource } from '../resource.ts'
import { compared, differs, withPolicy } from '../version.ts'
import { type AdministeredClient, shownClient } from './fields.ts'
import { checkForcedEverywhere } from '../organisations/forced.ts'
import { type FetchedDocument, noteFetched } from './document.ts'
import { checkColumns, type ClientColumns, mostOf } from './rules.ts'

/** Adds to clients what is shown of their secrets, in the order of the rows. */
export async function withSecrets(
  db: Kysely<Schema>,
  rows: readonly Row<'clients'>[],
): Promise<AdministeredClient[]> {
  if (rows.length === 0) return []
  const ids = rows.map((row) => row.client_id)
  const secrets = await db
    .selectFrom('client_secrets')
    .select(['id', 'client_id', 'created_at', 'expires_at'])
    .where('client_id', 'in', ids)
    .orderBy('id')
    .execute()
  const documents = rows.some((row) => row.metadata === 'document')
    ? await db.selectFrom('client_documents').selectAll().where('client_id', 'in', ids).execute()
    : []
  const isOf = (row: Row<'clients'>) => (one: { client_id: string }) => one.client_id === row.client_id
  return rows.map((row) => ({
    ...row,
    secrets: secrets.filter(isOf(row)),
    document_read: documents.find(isOf(row)),
  }))
}

const readOf = async (trx: Transacting, client_id: string) =>
  (await writtenClient(trx, client_id)).document_read

/** The client that a change has written, with what is shown of its secrets. */
export async function writtenClient(trx: Transacting, client_id: string): Promise<AdministeredClient> {
  const [client] = await withSecrets(trx, await rowsOf(trx, 'clients', { client_id }).execute())
  if (client === undefined) throw new Error(`The client ${client_id} that was written is not there.`)
  return client
}

export const clients: Resource<AdministeredClient> = {
  thing: 'client',
  path: '/clients',
  key: 'client_id',
  isId: (text) => clientIdProblem(text) === undefined,
  async find(db, clientId, { reach }) {
    const row = await rowOf(db, 'clients', { client_id: clientId })
    return row === undefined || !isOwnedWithin(reach, row) ? undefined : (await withSecrets(db, [row]))[0]
  },
  held: async (trx, client) => [{ permissions: await mostOf(trx, client), within: true }],
  shown: shownClient,
  about: (_trx, { client_id: id, organisation_uuid, managed_by: managedBy }) => ({
    id,
    organisation_uuid,
    managedBy,
  }),
}

/** The client as sign-ins and tokens know it. Throws `not_found` where it is none, or beyond the reach. */
export async function clientAsUsed(
  { store }: { store: Store },
  { authority }: By,
  named: string,
): Promise<Client> {
  const id = idIn(clients, named, authority)
  const row = await clients.find(store.db, id, authority)
  const client = row && (await findClient(store, id))
  if (client === undefined) throw notFound('client')
  return client
}

interface NewClient {
  clientId: string
  type: ClientRow['type']
  columns: ClientColumns
  /** The document that was fetched; the columns hold what it says. */
  fetched?: FetchedDocument | undefined
  /** Its first secret; a client that acts for people has none. */
  secret: string | undefined
}

/** Adds a client. Throws when its id is taken, or it may do more than the caller. */
export async function createClient(
  store: Store,
  by: By,
  { clientId, type, columns, secret, fetched }: NewClient,
  repeatable: Repeatable<AdministeredClient> | undefined,
): Promise<Created<AdministeredClient>> {
  const secrets = secret === undefined ? [] : ['client_secret']
  const create = async (trx: Transacting) => {
    await checkColumns(trx, undefined, columns, by.authority)
    await checkForcedEverywhere(trx, by, null, columns.policy, columns.organisation_uuid)
    const origin = { created_at: by.now, updated_at: by.now, limited_reach: by.authority.limitedReach }
    if (await isThere(trx, 'clients', { client_id: clientId }))
      throw wrongField('client_id', 'Another client has this id.', 'conflict')
    const row = { client_id: clientId, type, ...columns, ...origin }
    const kept = secret === undefined ? [] : [secretRow(by, { clientId, secret, expiresAt: null })]
    await write(trx, { clients: { insert: [row] }, client_secrets: { insert: kept } }, compared(by))
    await noteFetched(trx, clientId, by.now, fetched)
    return await writtenClient(trx, clientId)
  }
  return await createOne(store, by, clients, repeatable, create, secrets)
}

/** A generated secret as it is kept: its hash. */
export const secretRow = (
  { now, authority }: By,
  { clientId, secret, expiresAt }: { clientId: string; secret: string; expiresAt: number | null },
): WrittenRow<'client_secrets'> => ({
  id: newId(now),
  client_id: clientId,
  secret_hash: hashSecret(secret),
  created_at: now,
  expires_at: expiresAt,
  limited_reach: authority.limitedReach,
})

/** Changes a client as `change` says of what there is; what it gave ends when it can't be used any more. */
export async function updateClient(
  store: Store,
  by: By,
  one: One,
  change: (before: Row<'clients'>) => Partial<ClientColumns>,
  fetched?: FetchedDocument,
): Promise<AdministeredClient> {
  return await changeOne(store, by, clients, one, async (trx, before) => {
    const { secrets, document_read: read, ...row } = before
    const set = withPolicy(row, change(row))
    await noteFetched(trx, row.client_id, by.now, fetched)
    if (!differs(row, set)) return before
    await checkColumns(trx, row, { ...row, ...set }, by.authority)
    const limited_reach = by.authority.limitedReach === 1 ? 1 : row.limited_reach
    const whole = { ...set, limited_reach, updated_at: by.now }
    const after = await writeChange(trx, 'clients', row, whole, compared(by))
    const isMoved = after.organisation_uuid !== row.organisation_uuid
    await checkForcedEverywhere(trx, by, isMoved ? null : row.policy, after.policy, after.organisation_uuid)
    return {
      ...after,
      secrets,
      document_read: fetched === undefined ? read : await readOf(trx, row.client_id),
    }
  })
}

/** Removes a client with its secrets and the consents given to it, and ends what it gave. */
export async function deleteClient(store: Store, by: By, one: One): Promise<void> {
  await removeOne(store, by, clients, one, async (trx, before) => {
    await writeRemoval(trx, 'clients', before, compared(by))
  })
}

/** The clients of an organisation, with what is shown of their secrets. */
export async function clientsOf(trx: Transacting, organisation_uuid: string): Promise<AdministeredClient[]> {
  const rows = await trx
    .selectFrom('clients')
    .selectAll()
    .where('organisation_uuid', '=', organisation_uuid)
    .orderBy('client_id')
    .execute()
  const clients: AdministeredClient[] = []
  for (const chunk of chunksOf(rows)) clients.push(...(await withSecrets(trx, chunk)))
  return clients
}
