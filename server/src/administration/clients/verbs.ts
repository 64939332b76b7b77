import { rowOf } from '../../database/rows.ts'
import type { Kysely } from 'kysely'
import { wrongField } from '../../protocol/problem.ts'
import { clientIdProblem } from '../../protocol/values.ts'
import { isOwnedWithin } from '../../access/reach.ts'
import { chunksOf } from '../../database/chunks.ts'
import { textList } from '../../store/clients.ts'
import { indexClients } from '../../store/client-index.ts'
import { end } from '../../store/ending.ts'
import { hashSecret, newId } from '../../protocol/identifier.ts'
import type { Store } from '../../database/store.ts'
import { moveRevision } from '../../database/revision.ts'
import type { ClientRow, Schema } from '../../database/schema.ts'
import type { By, Row, Told, Transacting } from '../by.ts'
import type { Created, Repeatable } from '../change.ts'
import { changeOne, createOne, type One, removeOne, type Resource } from '../resource.ts'
import { differs, withPolicy, writeVersion } from '../version.ts'
import { type AdministeredClient, shownClient } from './fields.ts'
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
  return rows.map((row) => ({ ...row, secrets: secrets.filter((one) => one.client_id === row.client_id) }))
}

export async function withOwnSecrets(db: Kysely<Schema>, row: Row<'clients'>): Promise<AdministeredClient> {
  const [client] = await withSecrets(db, [row])
  return client ?? { ...row, secrets: [] }
}

export const clients: Resource<AdministeredClient> = {
  thing: 'client',
  path: '/clients',
  key: 'client_id',
  isId: (text) => clientIdProblem(text) === undefined,
  async find(db, clientId, { reach }) {
    const row = await rowOf(db, 'clients', { client_id: clientId })
    return row === undefined || !isOwnedWithin(reach, row) ? undefined : await withOwnSecrets(db, row)
  },
  held: async (trx, client) => [{ permissions: await mostOf(trx, client), within: true }],
  shown: shownClient,
  about: (_trx, { client_id: id, organisation_uuid: organisationUuid, managed_by: managedBy }) => ({
    id,
    organisationUuid,
    managedBy,
  }),
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
  const secrets = secret === undefined ? [] : ['client_secret']
  const create = async (trx: Transacting) => {
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
    return await withOwnSecrets(trx, row)
  }
  return await createOne(store, by, clients, repeatable, create, secrets)
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

/** Changes a client as `change` says of what there is; what it gave ends when it can't be used any more. */
export async function updateClient(
  store: Store,
  by: By,
  one: One,
  change: (before: Row<'clients'>) => Partial<ClientColumns>,
): Promise<AdministeredClient> {
  return await changeOne(store, by, clients, one, async (trx, before) => {
    const { secrets, ...row } = before
    const set = withPolicy(row, change(row))
    if (!differs(row, set)) return before
    await checkColumns(trx, row, { ...row, ...set }, by.authority)
    const limited_reach = by.authority.limitedReach === 1 ? 1 : row.limited_reach
    const after = await writeVersion(trx, 'clients', row, { ...set, limited_reach, updated_at: by.now })
    await writeOrigins(trx, after)
    const ids = [row.client_id]
    await indexClients(trx, ids)
    if (row.active === 1 && after.active === 0)
      await end(trx, { clients: ids }, { now: by.now, reason: 'client_disabled' })
    if (after.organisation_uuid !== row.organisation_uuid)
      await end(trx, { clients: ids }, { now: by.now, reason: 'client_moved' })
    await moveRevision(trx)
    return { ...after, secrets }
  })
}

/** Removes a client with its secrets and the consents given to it, and ends what it gave. */
export async function deleteClient(store: Store, by: By, one: One): Promise<void> {
  await removeOne(store, by, clients, one, async (trx, { client_id: clientId }) => {
    await trx.deleteFrom('clients').where('client_id', '=', clientId).execute()
    await indexClients(trx, [clientId])
    await end(trx, { clients: [clientId] }, { now: by.now, reason: 'client_removed' })
    await moveRevision(trx)
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
  for (const chunk of chunksOf(rows))
    for (const one of await withSecrets(trx, chunk)) {
      const { client_id: id, managed_by: managedBy } = one
      told.push({ thing: 'client', id, organisationUuid, managedBy, before: shownClient(one) })
    }
  await trx.deleteFrom('clients').where('organisation_uuid', '=', organisationUuid).execute()
  const ids = rows.map((row) => row.client_id)
  await indexClients(trx, ids)
  await end(trx, { clients: ids }, { now, reason: 'client_removed' })
  return told
}

/** The origins as rows, so that one can be looked up. */
async function writeOrigins(trx: Transacting, row: Row<'clients'>): Promise<void> {
  await trx.deleteFrom('client_origins').where('client_id', '=', row.client_id).execute()
  const origins = textList(row.allowed_origins).map((origin) => ({ origin, client_id: row.client_id }))
  if (origins.length > 0) await trx.insertInto('client_origins').values(origins).execute()
}
