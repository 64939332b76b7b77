/** Ends everything, after the database was put back to an earlier state: what had ended since would count again. */
import { type Compilable, type Kysely, sql } from 'kysely'
import type { Schema } from '../database/schema.ts'
import { exchanges } from './exchange-lock.ts'

/** Why, and when. */
export interface Because {
  now: number
  reason: 'restored' | 'database_lost'
}

/** Every session, family and token of a machine, and what somebody may be about to use. Clients get no notice. */
export function endingsOfAll(db: Kysely<Schema>, { now, reason }: Because): Compilable[] {
  return [
    db.updateTable('sessions').set({ ended_at: now }).where('ended_at', 'is', null),
    db
      .updateTable('token_families')
      .set({ revoked_at: now, revoked_reason: reason })
      .where('revoked_at', 'is', null),
    // A time is higher than any generation that came by disabling, so tokens that were issued since end too.
    db.updateTable('clients').set({
      token_generation: sql<number>`case when token_generation < ${now} then ${now} else token_generation + 1 end`,
    }),
    db.deleteFrom('authorization_codes'),
    db.deleteFrom('authorization_requests'),
    db.deleteFrom('pushed_requests'),
    db.deleteFrom('device_codes'),
    db.deleteFrom('setup_links'),
    db.deleteFrom('upstream_invitations'),
    db.deleteFrom('trusted_devices'),
    db.deleteFrom('webauthn_challenges'),
    // One that was used since would count again.
    db.deleteFrom('links'),
  ]
}

/** Ends it within a transaction. Yields how many sessions and families it were. */
export async function endEverything(
  trx: Kysely<Schema>,
  because: Because,
): Promise<{ sessions: number; families: number }> {
  await exchanges.alone(trx)
  const counts: number[] = []
  for (const ending of endingsOfAll(trx, because)) {
    const { numAffectedRows = 0n } = await trx.executeQuery(ending.compile())
    counts.push(Number(numAffectedRows))
  }
  const [sessions = 0, families = 0] = counts
  return { sessions, families }
}
