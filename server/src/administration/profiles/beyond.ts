import { beyondOf, boundsOf } from '../../access/waiting.ts'
import type { ProfileRow } from '../../database/schema.ts'
import { Problem } from '../../protocol/problem.ts'
import { ownershipOf } from '../../store/ownership.ts'
import type { Transacting } from '../by.ts'

/**
 * Throws `conflict` when a profile is given by hand that is more than those could give who made the account, while nobody
 * has proved whose it is: they may know its password (people.md 13).
 */
export async function refuseBeyond(trx: Transacting, profile: ProfileRow): Promise<void> {
  const owned = await ownershipOf(trx, profile.user_uuid)
  if (owned?.limited_reach !== 1) return
  const owning = { ...profile, ...owned }
  if (beyondOf(owning, await boundsOf(trx, [owning])) !== 'waits') return
  throw new Problem(
    'conflict',
    'Nobody has proved whose account this is: somebody made it, or set its password or address, who could not give this profile. Send the person a link first (POST /users/{uuid}/recovery, or tessera user recover), and give the profile once they have used it.',
  )
}
