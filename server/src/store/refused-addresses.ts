import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { Schema } from '../database/schema.ts'
import { addressMismatch, type AddressMismatch, type Registered } from '../protocol/address-mismatch.ts'
import { isBuiltIn } from '../protocol/built-in-clients.ts'
import { type AddressField, addressFields, isRegisteredRedirectUri } from '../protocol/redirect-uri.ts'

/** How long a refused address is told of, ms. */
const told = 7 * 24 * 3_600_000
/** A stranger who asks on and on writes no more often, ms. */
const pause = 1000
/** One more than can be registered: what is cut off is never offered as what came. */
const longest = 2001

/** An address that was refused, beside what is registered now. */
export interface RefusedAddress extends AddressMismatch {
  at: number
}

/**
 * Keeps what a client asked for last. Anybody can ask with the id of a client: there is one row for each field of a
 * client, which is written at most once a second. Concurrency: one conditional statement.
 */
export async function keepRefused(
  db: Kysely<Schema>,
  { client_id, field, came }: AddressMismatch,
  now: number,
): Promise<void> {
  // Nobody could change a client that comes along, nor read of it.
  if (isBuiltIn(client_id)) return
  const owner = db.selectFrom('clients').select('organisation_uuid').where('client_id', '=', client_id)
  const row = {
    organisation_uuid: sql<string | null>`(${owner})`,
    ...{ address: came?.slice(0, longest) ?? null, at: now, expires_at: now + told },
  }
  await db
    .insertInto('refused_addresses')
    .values({ id: idOf(client_id, field), client_id, field, ...row })
    .onConflict((conflict) =>
      conflict
        .column('id')
        .doUpdateSet(row)
        .where('refused_addresses.at', '<=', now - pause),
    )
    .execute()
}

const idOf = (client_id: string, field: AddressField): string => `${field} ${client_id}`

/** What was refused of a client within a week and is not registered by now, the latest first. */
export async function refusedAddresses(
  db: Kysely<Schema>,
  client: Registered,
  now: number,
): Promise<RefusedAddress[]> {
  const ids = addressFields.map((field) => idOf(client.client_id, field))
  const rows = await db
    .selectFrom('refused_addresses')
    .innerJoin('clients', 'clients.client_id', 'refused_addresses.client_id')
    .selectAll('refused_addresses')
    .where('id', 'in', ids)
    .where(isOfOwner('refused_addresses', 'clients'))
    .where('expires_at', '>', now)
    .orderBy('at', 'desc')
    .execute()
  return rows
    .map(({ field, address, at }) => ({ ...addressMismatch(client, field, address ?? undefined), at }))
    .filter((one) => !isRegistered(client, one))
}

/** The SQL condition that the client is still of the owner that it had when the address was refused. */
export const isOfOwner = (refused: string, client: string): RawBuilder<boolean> =>
  sql<boolean>`coalesce(${sql.ref(`${refused}.organisation_uuid`)}, '') =
    coalesce(${sql.ref(`${client}.organisation_uuid`)}, '')`

/** Whether it was registered since. */
export const isRegistered = (
  client: Registered,
  { field, came }: { field: AddressField; came: string | undefined },
): boolean => came !== undefined && isRegisteredRedirectUri(came, client[field], client.application_type)
