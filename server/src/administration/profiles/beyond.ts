import { permissionsOf } from '../../access/reach.ts'
import { beyondOf, boundsOf } from '../../access/waiting.ts'
import { rowsOf } from '../../database/rows.ts'
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
  const isBeyond =
    owned.makers === null
      ? await isMoreThanHeld(trx, profile)
      : beyondOf(owning, await boundsOf(trx, [owning])) !== null
  if (!isBeyond) return
  throw new Problem(
    'conflict',
    'Nobody has proved whose account this is: somebody made it, or set its password or address, who could not give this profile. Send the person a link first (POST /users/{uuid}/recovery, or tessera user recover), and give the profile once they have used it.',
  )
}

/** Of an account whose makers nobody knows: what it holds already at a place that has this one in it. */
async function isMoreThanHeld(trx: Transacting, profile: ProfileRow): Promise<boolean> {
  const { uuid, user_uuid, organisation_uuid, unit_uuid } = profile
  const others = await rowsOf(trx, 'profiles', { user_uuid }).where('uuid', '!=', uuid).execute()
  const covering = others.filter(
    (one) =>
      one.organisation_uuid === null ||
      (one.organisation_uuid === organisation_uuid &&
        (one.unit_uuid === null || one.unit_uuid === unit_uuid)),
  )
  const held = new Set<string>()
  for (const one of covering)
    for (const permission of await permissionsOf(trx, one.role_code)) held.add(permission)
  return (await permissionsOf(trx, profile.role_code)).some((one) => !held.has(one))
}
