import { iamPermissions, iamService, iamWildcard, isPermission, serviceOf } from '../protocol/permission.ts'
import { signingAlgs } from '../protocol/signing-alg.ts'
import type { DeclaredOrganisation, DeclaredRole, DeclaredService, DeclaredUnit } from './declared.ts'
import { Fields, listOf, type Located, located, type Read, type Reading } from './fields.ts'
import { didYouMean, shown } from './problems.ts'
import { flag, oneOf } from './scalars.ts'
import { audience, code, longText, text, uuid } from './values.ts'

export const service: Read<DeclaredService> = (place, reading) => {
  const fields = Fields.of(place, 'a service', reading)
  if (fields === undefined) return undefined
  const own = fields.required('code', code, '')
  if (own === iamService) {
    reading.problems.add(fields.lineOf('code'), 'the service "iam" is built in and can\'t be declared')
  }
  reading.names.claim('service', own, fields.lineOf('code'))
  const declared: DeclaredService = {
    line: fields.line,
    code: own,
    name: fields.required('name', text(200), ''),
    audience: fields.required('audience', audience, ''),
    accessTokenAlg: fields.optional('access_token_alg', oneOf(...signingAlgs)) ?? 'RS256',
    permissions: fields.optional('permissions', listOf(permissionOf(own))) ?? [],
  }
  reading.names.claim('audience', declared.audience, fields.lineOf('audience'))
  fields.done()
  return declared
}

function permissionOf(serviceCode: string): Read<{ code: string; description: string }> {
  return (place, reading) => {
    const fields = Fields.of(place, 'a permission', reading)
    if (fields === undefined) return undefined
    const own = fields.required('code', text(200), '')
    const line = fields.lineOf('code')
    const fits = isPermission(own) && (serviceCode === '' || serviceOf(own) === serviceCode)
    if (own !== '' && !fits) {
      const form = `${serviceCode || '<service>'}.<resource>.<action>`
      reading.problems.add(line, `the permission ${shown(own)} is not of the form ${form}`)
    }
    reading.names.claim('permission', own, line)
    const description = fields.optional('description', longText(1000)) ?? ''
    fields.done()
    return { code: own, description }
  }
}

/** A list of permissions that must be declared in the file or be of the built-in service. */
export const permissionReferences: Read<Located<string>[]> = (place, reading) => {
  const listed = listOf(located(text(200)))(place, reading)
  const seen = new Map<string, number>()
  for (const { value, line } of listed ?? []) {
    const first = seen.get(value)
    if (first !== undefined) reading.problems.add(line, `the permission ${shown(value)} is listed twice`)
    seen.set(value, line)
    referToPermission(value, line, reading)
  }
  return listed
}

function referToPermission(permission: string, line: number, reading: Reading): void {
  if (permission === iamWildcard || iamPermissions.includes(permission)) return
  if (permission.includes('*')) {
    reading.problems.add(line, `${shown(permission)} is refused: the only wildcard is "${iamWildcard}"`)
  } else if (serviceOf(permission) === iamService) {
    const nearest = didYouMean(permission, iamPermissions)
    reading.problems.add(line, `the built-in service iam has no permission ${shown(permission)}${nearest}`)
  } else {
    reading.names.refer('permission', permission, line)
  }
}

export const role: Read<DeclaredRole> = (place, reading) => {
  const fields = Fields.of(place, 'a role', reading)
  if (fields === undefined) return undefined
  const declared: DeclaredRole = {
    line: fields.line,
    code: fields.required('code', code, ''),
    name: fields.required('name', text(200), ''),
    active: fields.optional('active', flag) ?? true,
    permissions: (fields.optional('permissions', permissionReferences) ?? []).map((one) => one.value),
  }
  reading.names.claim('role', declared.code, fields.lineOf('code'))
  fields.done()
  return declared
}

export const organisation: Read<DeclaredOrganisation> = (place, reading) => {
  const fields = Fields.of(place, 'an organisation', reading)
  if (fields === undefined) return undefined
  const own = fields.required('code', code, '')
  const declared: DeclaredOrganisation = {
    line: fields.line,
    code: own,
    uuid: fields.optional('uuid', uuid),
    name: fields.required('name', text(200), ''),
    active: fields.optional('active', flag) ?? true,
    units: fields.optional('units', listOf(unitOf(own))) ?? [],
  }
  reading.names.claim('organisation', own, fields.lineOf('code'))
  reading.names.claim('organisation uuid', declared.uuid ?? '', fields.lineOf('uuid'))
  reportCircles(declared.units, reading)
  fields.done()
  return declared
}

function unitOf(organisationCode: string): Read<DeclaredUnit> {
  return (place, reading) => {
    const fields = Fields.of(place, 'a unit', reading)
    if (fields === undefined) return undefined
    const declared: DeclaredUnit = {
      line: fields.line,
      code: fields.required('code', code, ''),
      uuid: fields.optional('uuid', uuid),
      name: fields.required('name', text(200), ''),
      active: fields.optional('active', flag) ?? true,
      parent: fields.optional('parent', code),
    }
    const named = unitKey(organisationCode, declared.code)
    reading.names.claim('unit', named, fields.lineOf('code'))
    reading.names.claim('unit uuid', declared.uuid ?? '', fields.lineOf('uuid'))
    const parent = declared.parent ?? ''
    reading.names.refer('unit', unitKey(organisationCode, parent), fields.lineOf('parent'))
    fields.done()
    return declared
  }
}

/** How a unit is named in the whole file; empty when a part could not be read. */
export function unitKey(organisationCode: string, unitCode: string): string {
  return organisationCode === '' || unitCode === '' ? '' : `${organisationCode}/${unitCode}`
}

function reportCircles(units: readonly DeclaredUnit[], reading: Reading): void {
  const byCode = new Map(units.map((one) => [one.code, one]))
  const checked = new Set<DeclaredUnit>()
  for (const unit of units) {
    const path = new Set<DeclaredUnit>()
    let at: DeclaredUnit | undefined = unit
    while (at !== undefined && !checked.has(at) && !path.has(at)) {
      path.add(at)
      at = byCode.get(at.parent ?? '')
    }
    if (at !== undefined && path.has(at)) {
      reading.problems.add(at.line, `the unit ${shown(at.code)} is above itself; its parents run in a circle`)
    }
    for (const one of path) checked.add(one)
  }
}
