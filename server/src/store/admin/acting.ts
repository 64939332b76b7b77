import { expandPermissions } from '../../protocol/permission.ts'
import { Problem } from '../../protocol/problem.ts'
import { textList } from '../clients.ts'
import type { By, Transacting } from './change.ts'
import { type Place, permissionsOf, type Reach } from './reach.ts'

/** What somebody may do, and where: as it was when their request arrived. */
export interface Holding {
  permissions: ReadonlySet<string>
  reach: Reach
}

/**
 * Asks again who acts, where nothing can come between: of two who disable or remove one another, the one who comes
 * second has nothing left to do it with. Throws `invalid_token` or `forbidden`.
 */
export async function checkActing(trx: Transacting, by: By): Promise<void> {
  // Nothing in the database could be taken from whoever may write to all of it.
  if (by.holds === 'everything') return
  const now = await holdingNow(trx, by)
  if (now === undefined) {
    throw new Problem(
      'invalid_token',
      'What the access token is for was disabled meanwhile; nothing was changed.',
    )
  }
  const { permissions, reach } = by.holds
  const same =
    now.reach.organisationUuid === reach.organisationUuid &&
    now.reach.unitUuid === reach.unitUuid &&
    [...permissions].every((one) => now.permissions.has(one))
  if (!same)
    throw new Problem('forbidden', 'What you may do was changed meanwhile; nothing was changed. Try again.')
}

async function holdingNow(trx: Transacting, by: By): Promise<Holding | undefined> {
  const client = await trx
    .selectFrom('clients')
    .leftJoin('organisations', 'organisations.uuid', 'clients.organisation_uuid')
    .select(['clients.permissions', 'clients.organisation_uuid'])
    .where('client_id', '=', by.clientId ?? '')
    .where('clients.active', '=', 1)
    .where((w) => w.or([w('clients.organisation_uuid', 'is', null), w('organisations.active', '=', 1)]))
    .executeTakeFirst()
  if (client === undefined) return undefined
  const listed = client.permissions === null ? undefined : expandPermissions(textList(client.permissions))
  const profileUuid = by.actor?.profileUuid
  if (profileUuid === undefined) {
    return holding(listed ?? [], { organisation_uuid: client.organisation_uuid, unit_uuid: null })
  }
  const profile = await usableProfile(trx, profileUuid, by.now)
  if (profile === undefined) return undefined
  const ofRole = await permissionsOf(trx, profile.role_code)
  return holding(listed === undefined ? ofRole : ofRole.filter((one) => listed.includes(one)), profile)
}

const holding = (permissions: readonly string[], { organisation_uuid, unit_uuid }: Place): Holding => ({
  permissions: new Set(permissions),
  reach: { organisationUuid: organisation_uuid ?? undefined, unitUuid: unit_uuid ?? undefined },
})

async function usableProfile(
  trx: Transacting,
  uuid: string,
  now: number,
): Promise<(Place & { role_code: string }) | undefined> {
  return await trx
    .selectFrom('profiles')
    .innerJoin('users', 'users.uuid', 'profiles.user_uuid')
    .innerJoin('roles', 'roles.code', 'profiles.role_code')
    .leftJoin('organisations', 'organisations.uuid', 'profiles.organisation_uuid')
    .leftJoin('units', 'units.uuid', 'profiles.unit_uuid')
    .select(['profiles.role_code', 'profiles.organisation_uuid', 'profiles.unit_uuid'])
    .where('profiles.uuid', '=', uuid)
    .where('profiles.active', '=', 1)
    .where('users.active', '=', 1)
    .where('roles.active', '=', 1)
    .where((w) => w.or([w('profiles.expires_at', 'is', null), w('profiles.expires_at', '>', now)]))
    .where((w) => w.or([w('profiles.organisation_uuid', 'is', null), w('organisations.active', '=', 1)]))
    .where((w) => w.or([w('profiles.unit_uuid', 'is', null), w('units.active', '=', 1)]))
    .executeTakeFirst()
}
