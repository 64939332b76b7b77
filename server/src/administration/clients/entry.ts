/** What a client's `allowed` may name. */
import { isThere, rowOf } from '../../database/rows.ts'
import { isOrganisationWithin, withinReach } from '../../access/reach.ts'
import { iamPermissions } from '../../protocol/permission.ts'
import { wrongField } from '../../protocol/problem.ts'
import { entryLists, listsIn } from '../../store/entry.ts'
import type { Authority } from '../authority.ts'
import type { Transacting } from '../by.ts'
import { roles } from '../roles/verbs.ts'

/** Throws where it newly names what is not there or what the administrator does not see. What it has already stays. */
export async function checkAllowed(
  trx: Transacting,
  before: string | null,
  allowed: string | null,
  authority: Authority,
): Promise<void> {
  const [had, named] = [listsIn(before), listsIn(allowed)]
  for (const name of entryLists)
    for (const [index, one] of (named[name] ?? []).entries()) {
      if (had[name]?.includes(one) || (await isSeen[name](trx, one, authority))) continue
      throw wrongField(`allowed.${name}.${index}`, `There is no ${words[name]} ${one}.`)
    }
}

const words = { roles: 'role', organisations: 'organisation or unit', permissions: 'permission' }

type Seen = (trx: Transacting, code: string, authority: Authority) => Promise<boolean>

const isSeen: Readonly<Record<(typeof entryLists)[number], Seen>> = {
  roles: async (trx, code, authority) => (await roles.find(trx, code, authority)) !== undefined,
  permissions: async (trx, code, { sees }) =>
    sees?.includes(code) !== false &&
    (iamPermissions.includes(code) || (await isThere(trx, 'permissions', { code }))),
  organisations: async (trx, place, { reach }) => {
    const [code = '', unit] = place.split('/')
    const organisation = await rowOf(trx, 'organisations', { code })
    if (organisation === undefined || !(await isOrganisationWithin(trx, organisation.uuid, reach)))
      return false
    const { uuid: organisation_uuid } = organisation
    const row = unit === undefined ? undefined : await rowOf(trx, 'units', { organisation_uuid, code: unit })
    const isWithin = await withinReach(trx, reach)
    return (
      (unit === undefined || row !== undefined) &&
      isWithin({ organisation_uuid, unit_uuid: row?.uuid ?? null })
    )
  },
}
