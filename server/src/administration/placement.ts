/** Checks the place of something new, and what it may give, against the administrator's reach. */
import { isOrganisationWithin, type Place, permissionsOf, type Reach, withinReach } from '../access/reach.ts'
import { isThere } from '../database/rows.ts'
import type { ProfileRow } from '../database/schema.ts'
import { Problem, wrongField } from '../protocol/problem.ts'
import type { Authority } from './authority.ts'
import type { Transacting } from './by.ts'

/** Throws when a client, a webhook or the like may not be of this organisation, or of none. */
export async function checkOwner(
  db: Transacting,
  thing: 'client' | 'webhook' | 'upstream' | 'domain' | 'directory',
  uuid: string | null,
  { reach }: Authority,
): Promise<void> {
  if (reach.unit_uuid !== undefined)
    throw new Problem('forbidden', `A ${thing} belongs to an organisation, and you administer a unit of one.`)
  if (uuid === null) {
    if (reach.organisation_uuid === undefined) return
    throw wrongField('organisation_uuid', 'It is needed: you administer one organisation.', 'forbidden')
  }
  if (!(await isOrganisationWithin(db, uuid, reach)))
    throw wrongField('organisation_uuid', 'There is no such organisation.')
}

/** Checks the place of a new profile. Throws when there is no such place within the reach; `prefix` names the field. */
export async function checkPlace(db: Transacting, place: Place, reach: Reach, prefix = ''): Promise<void> {
  const { organisation_uuid, unit_uuid } = place
  if (organisation_uuid === null) {
    if (unit_uuid !== null) {
      throw wrongField(
        `${prefix}organisation_uuid`,
        'A profile at a unit needs the organisation of the unit.',
      )
    }
    if (reach.organisation_uuid === undefined) return
    throw new Problem(
      'forbidden',
      'A profile without an organisation holds everywhere, and you administer one organisation; name it in organisation_uuid.',
      { fields: [{ field: `${prefix}organisation_uuid`, detail: 'It is needed.' }] },
    )
  }
  if (!(await isOrganisationWithin(db, organisation_uuid, reach)))
    throw wrongField(`${prefix}organisation_uuid`, 'There is no such organisation.')
  const isWithin = (await withinReach(db, reach))(place)
  if (unit_uuid === null && !isWithin)
    throw wrongField(
      `${prefix}organisation_unit_uuid`,
      'It is needed: you administer a unit and those below it.',
    )
  if (unit_uuid === null) return
  const isUnit = await isThere(db, 'units', { uuid: unit_uuid, organisation_uuid })
  if (!isUnit || !isWithin)
    throw wrongField(`${prefix}organisation_unit_uuid`, 'There is no such unit in this organisation.')
}

/** Throws when a profile with this role at this place may not be given by the caller. */
export async function checkNewProfile(
  db: Transacting,
  profile: Pick<ProfileRow, 'role_code' | 'organisation_uuid' | 'unit_uuid'>,
  authority: Authority,
  prefix = '',
): Promise<void> {
  const isRole = await isThere(db, 'roles', { code: profile.role_code })
  const permissions = await permissionsOf(db, profile.role_code)
  const { reach } = authority
  // One refusal for both: of a role that they may not give they do not learn that it is there.
  if (reach.organisation_uuid !== undefined && !(isRole && authority.holds(permissions))) {
    throw wrongField(
      `${prefix}role_code`,
      'You can give no such role: there is none, or it gives more than you hold. GET /admin/v1/roles lists those that you can give.',
      'forbidden',
    )
  }
  if (!isRole) throw wrongField(`${prefix}role_code`, 'There is no such role.')
  await checkPlace(db, profile, reach, prefix)
  authority.grants(permissions)
}
