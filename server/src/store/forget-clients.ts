import type { Kysely } from 'kysely'
import type { Schema } from './schema.ts'

/** As many values as one statement takes on either database. */
const chunkSize = 500

/**
 * Forgets what is known of clients by their ids, which others may take later: those were allowed nothing, take part in
 * no session and are told of none, and go on with no sign-in. Part of every verb that removes clients, when what they
 * gave has ended and can't be added to.
 */
export async function forgetClients(trx: Kysely<Schema>, clientIds: readonly string[]): Promise<void> {
  for (let start = 0; start < clientIds.length; start += chunkSize) {
    const chunk = clientIds.slice(start, start + chunkSize)
    for (const table of ['consents', 'authorization_requests', 'token_families'] as const) {
      await trx.deleteFrom(table).where('client_id', 'in', chunk).execute()
    }
  }
}
