import { Problem } from '../protocol/problem.ts'
import type { Transacting } from './by.ts'

const most = 2

/**
 * Makes room for another secret of a client or a webhook: those that have run out are removed. Throws when two count
 * still, the old and the new of a rotation.
 */
export async function makeRoom(
  trx: Transacting,
  thing: 'client' | 'webhook',
  secrets: readonly { id: string; expires_at: number | null }[],
  now: number,
): Promise<void> {
  const over = secrets.filter((one) => one.expires_at !== null && one.expires_at <= now)
  for (const { id } of over) await trx.deleteFrom(`${thing}_secrets`).where('id', '=', id).execute()
  if (secrets.length - over.length < most) return
  throw new Problem(
    'conflict',
    `The ${thing} has two secrets. Remove the one that is not used any more first.`,
  )
}
