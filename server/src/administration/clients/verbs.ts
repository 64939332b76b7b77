import type { Kysely } from 'kysely'
import { wrongField } from '../../protocol/problem.ts'
import { chunksOf } from '../../database/chunks.ts'
import { textList } from '../../store/clients.ts'
import { indexClients } from '../../store/client-index.ts'
import { end } from '../../store/ending.ts'
import { hashSecret, newId } from '../../protocol/identifier.ts'
import type { Store } from '../../database/store.ts'
import { moveRevision } from '../../database/revision.ts'
import type { ClientRow, Schema } from '../../database/schema.ts'
import type { By, Row, Told, Transacting } from '../by.ts'
import { change, changeOnce, type Created, type Repeatable } from '../change.ts'
import { type AdministeredClient, shownClient } from './fields.ts'
import { checkColumns, type ClientColumns, mostOf } from './rules.ts'
import type { Authority, Reach } from '../authority.ts'
import { differs, inVersion, staleVersion, type Versions, writeVersion } from '../version.ts'

/** With what there is of their secrets, in the order of the rows. */
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
  return rows.map((row) => ({ ...row, secrets: secrets.filter((one) => one.client_id === row.client_id) }))
}

/** A client within the reach. */
export async function readClient(
  store: Store,
  clientId: string,
  reach: Reach,
): Promise<AdministeredClient | undefined> {
  return await selectClient(store.db, clientId, reach)
}

export async function selectClient(
  db: Kysely<Schema>,
  clientId: string,
  reach: Reach,
): Promise<AdministeredClient | undefined> {
  const row = await db.selectFrom('clients').selectAll().where('client_id', '=', clientId).executeTakeFirst()
  const within = reach.organisationUuid === undefined || row?.organisation_uuid === reach.organisationUuid
  if (row === undefined || !within || reach.unitUuid !== undefined) return undefined
  return (await withSecrets(db, [row]))[0]
}

interface NewClient {
  clientId: string
  type: ClientRow['type']
  columns: ClientColumns
  /** Its first secret; a client that acts for people has none. */
  secret: string | undefined
}

/** Adds a client. Throws when its id is taken, or it may do more than who adds it. */
export async function createClient(
  store: Store,
  by: By,
  { clientId, type, columns, secret }: NewClient,
  repeatable: Repeatable<AdministeredClient> | undefined,
): Promise<Created<AdministeredClient>> {
  return await changeOnce(store, by, repeatable, async (trx) => {
    await checkColumns(trx, undefined, columns, by.authority)
    const origin = { created_at: by.now, updated_at: by.now, limited_reach: by.authority.limitedReach }
    const row = await trx
      .insertInto('clients')
      .values({ client_id: clientId, type, ...columns, ...origin })
      .onConflict((conflict) => conflict.doNothing())
      .returningAll()
      .executeTakeFirst()
    if (row === undefined) throw wrongField('client_id', 'Another client has this id.', 'conflict')
    await writeOrigins(trx, row)
    await indexClients(trx, [clientId])
    if (secret !== undefined) await insertSecret(trx, by, { clientId, secret, expiresAt: null })
    await moveRevision(trx)
    const made = await present(trx, row)
    const secrets = secret === undefined ? [] : ['client_secret']
    return { result: made, told: { ...about(made), after: shownClient(made), secrets } }
  })
}

const present = async (trx: Transacting, row: Row<'clients'>): Promise<AdministeredClient> => {
  const [client] = await withSecrets(trx, [row])
  if (client === undefined) throw staleVersion()
  return client
}

/** Keeps a generated secret as its hash. */
export async function insertSecret(
  trx: Transacting,
  by: By,
  { clientId, secret, expiresAt }: { clientId: string; secret: string; expiresAt: number | null },
): Promise<string> {
  const { now } = by
  const row = { id: newId(now), client_id: clientId, secret_hash: hashSecret(secret) }
  await trx
    .insertInto('client_secrets')
    .values({ ...row, created_at: now, expires_at: expiresAt, limited_reach: by.authority.limitedReach })
    .execute()
  return row.id
}

/**
 * Changes a client in the version that was read; what it gave ends when it can't be used any more. `set` says what becomes of
 * what there is. Concurrency: see `change`; the version is compared in the statement that writes.
 */
export async function updateClient(
  store: Store,
  by: By,
  asked: { clientId: string; versions: Versions; set: (before: Row<'clients'>) => Partial<ClientColumns> },
): Promise<AdministeredClient> {
  return await change(store, by, async (trx) => {
    const before = await clientToChange(trx, asked.clientId, by.authority, asked.versions)
    const { secrets, ...row } = before
    const set = asked.set(row)
    if (!differs(row, set)) return { result: before, told: undefined }
    await checkColumns(trx, row, { ...row, ...set }, by.authority)
    const limited_reach = by.authority.limitedReach === 1 ? 1 : row.limited_reach
    const written = await writeVersion(trx, 'clients', row, {
      ...set,
      limited_reach,
      updated_at: by.now,
    })
    await writeOrigins(trx, written)
    const clients = [row.client_id]
    await indexClients(trx, clients)
    if (row.active === 1 && written.active === 0)
      await end(trx, { clients }, { now: by.now, reason: 'client_disabled' })
    if (written.organisation_uuid !== row.organisation_uuid)
      await end(trx, { clients }, { now: by.now, reason: 'client_moved' })
    await moveRevision(trx)
    const after = { ...written, secrets }
    return {
      result: after,
      told: { ...about(after), before: shownClient(before), after: shownClient(after) },
    }
  })
}

/** Removes a client with its secrets and the consents given to it, and ends what it gave. */
export async function deleteClient(
  store: Store,
  by: By,
  { clientId, versions }: { clientId: string; versions: Versions },
): Promise<void> {
  await change(store, by, async (trx) => {
    const before = await clientToChange(trx, clientId, by.authority, versions)
    await trx.deleteFrom('clients').where('client_id', '=', clientId).execute()
    await indexClients(trx, [clientId])
    await end(trx, { clients: [clientId] }, { now: by.now, reason: 'client_removed' })
    await moveRevision(trx)
    return { result: undefined, told: { ...about(before), before: shownClient(before) } }
  })
}

/** Removes the clients of an organisation, and ends what they gave; yields what is to be told of each. */
export async function deleteClientsOf(
  trx: Transacting,
  organisationUuid: string,
  now: number,
): Promise<Told[]> {
  const rows = await trx
    .selectFrom('clients')
    .selectAll()
    .where('organisation_uuid', '=', organisationUuid)
    .orderBy('client_id')
    .execute()
  const told: Told[] = []
  for (const chunk of chunksOf(rows)) {
    const clients = await withSecrets(trx, chunk)
    told.push(...clients.map((one) => ({ ...about(one), before: shownClient(one) })))
  }
  await trx.deleteFrom('clients').where('organisation_uuid', '=', organisationUuid).execute()
  const clients = rows.map((row) => row.client_id)
  await indexClients(trx, clients)
  await end(trx, { clients }, { now, reason: 'client_removed' })
  return told
}

/** A client in the version that was read, which may do no more than who changes it. */
export async function clientToChange(
  trx: Transacting,
  clientId: string,
  authority: Authority,
  versions: Versions,
): Promise<AdministeredClient> {
  const client = inVersion(await selectClient(trx, clientId, authority.reach), 'client', versions)
  const permissions = await mostOf(trx, client)
  authority.changes([{ uuid: clientId, permissions, within: true }])
  return client
}

/** The origins as rows, so that one can be looked up. */
async function writeOrigins(trx: Transacting, row: Row<'clients'>): Promise<void> {
  await trx.deleteFrom('client_origins').where('client_id', '=', row.client_id).execute()
  const origins = textList(row.allowed_origins).map((origin) => ({ origin, client_id: row.client_id }))
  if (origins.length > 0) await trx.insertInto('client_origins').values(origins).execute()
}

export const about = (row: Row<'clients'>) => ({
  thing: 'client' as const,
  id: row.client_id,
  organisationUuid: row.organisation_uuid,
  managedBy: row.managed_by,
})
