import type { Kysely } from 'kysely'
import { chunksOf } from './chunks.ts'
import type { Schema } from './schema.ts'

/**
 * Forgets what is known of clients by their ids, which others may take later: those were allowed nothing, take part in
 * no session and are told of none, and go on with no sign-in. Part of every verb that removes clients, when what they
 * gave has ended and they are gone: a consent that is being given waits for that, or comes before (`rememberConsent`).
 */
export async function forgetClients(trx: Kysely<Schema>, clientIds: readonly string[]): Promise<void> {
  for (const chunk of chunksOf(clientIds)) {
    for (const table of ['consents', 'authorization_requests', 'token_families'] as const) {
      await trx.deleteFrom(table).where('client_id', 'in', chunk).execute()
    }
  }
}
