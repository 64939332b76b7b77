import { iamPermissions, iamService, iamWildcard, serviceOf } from '../protocol/permission.ts'
import type { DeclaredOrganisation, DeclaredRole, DeclaredService } from './declared.ts'
import { unitKey } from './names.ts'
import { openingOfFile } from './upstream-section.ts'
import { didYouMean, shown } from './problems.ts'
import type { Checked, Place } from './reading.ts'
import type { Said } from './schema.ts'

export function serviceOfFile({
  said,
  whole,
  place,
}: Checked<Said<'services'>>): DeclaredService | undefined {
  const { code, audience, permissions = [] } = said
  if (code === iamService) place.at('code').problem('the service "iam" is built in and can\'t be declared')
  place.at('code').claim('service', code)
  place.at('audience').claim('audience', audience)
  for (const [index, permission] of permissions.entries()) {
    const own = permission?.code
    const below = place.at('permissions', index, 'code')
    if (own !== undefined && code !== undefined && serviceOf(own) !== code)
      below.problem(`the permission ${shown(own)} is not of the form ${code}.<resource>.<action>`)
    below.claim('permission', own)
  }
  return whole && { ...whole, line: place.line, permissions: whole.permissions ?? [] }
}

/** Permissions must be declared in the file or be of the built-in service. */
export function referToPermissions(permissions: readonly (string | undefined)[] = [], place: Place): void {
  for (const [index, permission] of permissions.entries()) {
    if (permission === undefined || permission === iamWildcard || iamPermissions.includes(permission))
      continue
    if (serviceOf(permission) !== iamService) {
      place.at(index).refer('permission', permission)
      continue
    }
    const nearest = didYouMean(permission, iamPermissions)
    place.at(index).problem(`the built-in service iam has no permission ${shown(permission)}${nearest}`)
  }
}

export function roleOfFile({ said, whole, place }: Checked<Said<'roles'>>): DeclaredRole | undefined {
  place.at('code').claim('role', said.code)
  referToPermissions(said.permissions, place.at('permissions'))
  return whole && { ...whole, line: place.line }
}

export function organisationOfFile({
  said,
  whole,
  place,
}: Checked<Said<'organisations'>>): DeclaredOrganisation | undefined {
  const { code, uuid, units = [] } = said
  place.at('code').claim('organisation', code)
  place.at('uuid').claim('organisation uuid', uuid?.toLowerCase())
  for (const [index, unit] of units.entries()) {
    const below = place.at('units', index)
    below.at('code').claim('unit', unitKey(code, unit?.code))
    below.at('uuid').claim('unit uuid', unit?.uuid?.toLowerCase())
    below.at('parent').refer('unit', unitKey(code, unit?.parent))
  }
  for (const [index, accepted] of (said.accepts ?? []).entries())
    place.at('accepts', index).refer('organisation', accepted)
  const opening = openingOfFile({ said, whole, place })
  reportCircles(units, place.at('units'))
  const declaredUnits = whole?.units?.map((unit, index) => {
    const { line } = place.at('units', index)
    return { ...unit, line, uuid: unit.uuid, parent: unit.parent }
  })
  return whole && { ...whole, ...opening, line: place.line, uuid: whole.uuid, units: declaredUnits ?? [] }
}

type Unit = { code?: string | undefined; parent?: string | undefined } | undefined

function reportCircles(units: readonly Unit[], place: Place): void {
  const byCode = new Map(units.map((one) => [one?.code, one]))
  const checked = new Set<Unit>()
  for (const unit of units) {
    const path = new Set<Unit>()
    let at = unit
    while (at !== undefined && !checked.has(at) && !path.has(at)) {
      path.add(at)
      at = byCode.get(at.parent ?? '')
    }
    if (at?.code !== undefined && path.has(at)) {
      const reason = `the unit ${shown(at.code)} is above itself; its parents run in a circle`
      place.at(units.indexOf(at)).problem(reason)
    }
    for (const one of path) checked.add(one)
  }
}
