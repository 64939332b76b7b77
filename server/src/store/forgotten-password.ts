import type { Kysely } from 'kysely'
import { type AuditEvent, recordAll, type RequestSource } from '../audit/record.ts'
import type { Schema } from '../database/schema.ts'
import type { Store } from '../database/store.ts'
import { inTransaction } from './in-transaction.ts'
import { makeLink } from './links.ts'
import type { ResetData } from './password-reset.ts'
import { type User, userByEmail } from './users.ts'

/** The person who forgot a password, and where the request came from. */
export interface Forgotten {
  email: string
  /** The authorization request that waits meanwhile. */
  pendingId: string | undefined
  client_id: string | undefined
  from: RequestSource
}

/** A link that was made, to be sent in the same transaction. */
export interface MadeReset {
  user: User
  text: string
  expiresAt: number
  now: number
}

/**
 * Makes a link for the person with this address, and gives it to `send`. Nothing is sent when nobody has the address, they
 * are disabled, or `may` is false. Each case is one transaction, and the request waits as long as the link in each.
 */
export async function makeResetFor(
  store: Store,
  { email, pendingId, client_id, from }: Forgotten,
  { may, lifetime, now }: { may: boolean; lifetime: number; now: number },
  send: (trx: Kysely<Schema>, made: MadeReset) => Promise<void>,
): Promise<void> {
  const expiresAt = now + lifetime
  await store.db.transaction().execute(async (trx) => {
    const user = await inTransaction(trx).read(userByEmail(email))
    await trx
      .updateTable('authorization_requests')
      .set({ expires_at: expiresAt })
      .where('id', '=', pendingId ?? '')
      .where('expires_at', '<', expiresAt)
      .execute()
    if (!may || user?.active !== 1) return
    const { uuid: user_uuid } = user
    const data: ResetData = { mailedTo: user.email, pendingId }
    const about = { purpose: 'password_reset', subject: user_uuid, user_uuid } as const
    const text = await makeLink(trx, { ...about, data, expiresAt, now })
    await send(trx, { user, text, expiresAt, now })
    const requested: AuditEvent = {
      kind: 'password_reset.requested',
      at: now,
      actor: { kind: 'anonymous' },
      ...from,
      target: { kind: 'user', id: user_uuid },
      client_id,
      detail: { by: 'person', link: 'mailed' },
    }
    await recordAll(store, [requested], trx)
  })
}
