import type { Kysely } from 'kysely'
import { notFound, wrongField } from '../../protocol/problem.ts'
import { emailKey } from '../../protocol/values.ts'
import { chunksOf } from '../chunks.ts'
import { textList } from '../clients.ts'
import { forgetClients } from '../forget-clients.ts'
import { hashSecret, newId } from '../identifier.ts'
import type { Store } from '../open.ts'
import { moveRevision } from '../revision.ts'
import { revokeFamiliesOfClient } from '../revoke-unusable.ts'
import type { ClientRow, ClientSecretRow, Schema } from '../schema.ts'
import {
  type By,
  change,
  changeOnce,
  type Created,
  type Repeatable,
  type Row,
  type Show,
  type Told,
  type Transacting,
} from './change.ts'
import { checkColumns, type ClientColumns, mostOf } from './client-rules.ts'
import type { Authority, Reach } from './reach.ts'
import { differs, staleVersion, type Versions } from './version.ts'

/** A client with its secrets, of which only ids and times leave the store. */
export interface AdministeredClient extends Row<'clients'> {
  secrets: Omit<ClientSecretRow, 'secret_hash'>[]
}

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
  authority: Authority,
  { clientId, type, columns, secret }: NewClient,
  options: { show: Show<AdministeredClient>; repeatable: Repeatable<AdministeredClient> | undefined },
): Promise<Created<AdministeredClient>> {
  return await changeOnce(store, by, options.repeatable, async (trx) => {
    await checkColumns(trx, undefined, columns, authority)
    const times = { created_at: by.now, updated_at: by.now }
    const row = await trx
      .insertInto('clients')
      .values({ client_id: clientId, type, ...columns, ...keysOf(columns), ...times })
      .onConflict((conflict) => conflict.doNothing())
      .returningAll()
      .executeTakeFirst()
    if (row === undefined) throw wrongField('client_id', 'Another client has this id.', 'conflict')
    await writeOrigins(trx, row)
    if (secret !== undefined) await insertSecret(trx, { clientId, secret, expiresAt: null, now: by.now })
    await moveRevision(trx)
    const made = await present(trx, row)
    const secrets = secret === undefined ? [] : ['client_secret']
    return { result: made, told: { ...about(made), after: options.show(made), secrets } }
  })
}

/** What its name is found by. */
const keysOf = ({ client_name: name }: Partial<ClientColumns>) =>
  name === undefined ? {} : { name_key: emailKey(name), keyed_name: name }

const present = async (trx: Transacting, row: Row<'clients'>): Promise<AdministeredClient> => {
  const [client] = await withSecrets(trx, [row])
  if (client === undefined) throw staleVersion()
  return client
}

/** Keeps a generated secret as its hash. */
export async function insertSecret(
  trx: Transacting,
  made: { clientId: string; secret: string; expiresAt: number | null; now: number },
): Promise<string> {
  const { clientId, secret, expiresAt, now } = made
  const row = { id: newId(now), client_id: clientId, secret_hash: hashSecret(secret) }
  await trx
    .insertInto('client_secrets')
    .values({ ...row, created_at: now, expires_at: expiresAt })
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
  authority: Authority,
  asked: { clientId: string; versions: Versions; set: (before: Row<'clients'>) => Partial<ClientColumns> },
  show: Show<AdministeredClient>,
): Promise<AdministeredClient> {
  return await change(store, by, async (trx) => {
    const before = await clientToChange(trx, asked.clientId, authority, asked.versions)
    const { secrets, ...row } = before
    const set = asked.set(row)
    if (!differs(row, set)) return { result: before, told: undefined }
    await checkColumns(trx, row, { ...row, ...set }, authority)
    const written = await trx
      .updateTable('clients')
      .set({ ...set, ...keysOf(set), updated_at: by.now, version: row.version + 1 })
      .where('client_id', '=', row.client_id)
      .where('version', '=', row.version)
      .returningAll()
      .executeTakeFirst()
    if (written === undefined) throw staleVersion()
    await writeOrigins(trx, written)
    if (await becameUnusable(trx, row, written)) await endFor(trx, row.client_id, by.now, 'client_disabled')
    await moveRevision(trx)
    const after = { ...written, secrets }
    return { result: after, told: { ...about(after), before: show(before), after: show(after) } }
  })
}

/** Whether it was disabled, or given to an organisation that is. */
async function becameUnusable(
  trx: Transacting,
  before: Row<'clients'>,
  { active, organisation_uuid: uuid }: Row<'clients'>,
): Promise<boolean> {
  if (active === 0) return before.active === 1
  if (uuid === null || uuid === before.organisation_uuid) return false
  const organisation = await trx
    .selectFrom('organisations')
    .select('active')
    .where('uuid', '=', uuid)
    .executeTakeFirst()
  return organisation?.active !== 1
}

/** Removes a client with its secrets and the consents given to it, and ends what it gave. */
export async function deleteClient(
  store: Store,
  by: By,
  authority: Authority,
  { clientId, versions }: { clientId: string; versions: Versions },
  show: Show<AdministeredClient>,
): Promise<void> {
  await change(store, by, async (trx) => {
    const before = await clientToChange(trx, clientId, authority, versions)
    await endFor(trx, clientId, by.now, 'client_removed')
    await trx.deleteFrom('clients').where('client_id', '=', clientId).execute()
    await forgetClients(trx, [clientId])
    await moveRevision(trx)
    return { result: undefined, told: { ...about(before), before: show(before) } }
  })
}

/** Removes the clients of an organisation, when what they gave has ended; yields what is to be told of each. */
export async function deleteClientsOf(
  trx: Transacting,
  organisationUuid: string,
  show: Show<AdministeredClient>,
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
    told.push(...clients.map((one) => ({ ...about(one), before: show(one) })))
  }
  await trx.deleteFrom('clients').where('organisation_uuid', '=', organisationUuid).execute()
  await forgetClients(
    trx,
    rows.map((row) => row.client_id),
  )
  return told
}

/** The codes that would open token families, then the families: what an exchange under way opens is among them. */
async function endFor(trx: Transacting, clientId: string, now: number, reason: string): Promise<void> {
  await trx
    .deleteFrom('authorization_codes')
    .where('client_id', '=', clientId)
    .where('consumed_at', 'is', null)
    .execute()
  await revokeFamiliesOfClient(trx, clientId, now, reason)
}

/** A client in the version that was read, which may do no more than who changes it. */
export async function clientToChange(
  trx: Transacting,
  clientId: string,
  authority: Authority,
  versions: Versions,
): Promise<AdministeredClient> {
  const client = await selectClient(trx, clientId, authority.reach)
  if (client === undefined) throw notFound('client')
  if (versions !== undefined && !versions.includes(client.version)) throw staleVersion()
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
