import { uuid as uuidKind } from '../catalogue/kinds.ts'
import { iamPermissions, iamService, iamWildcard, isPermission, serviceOf } from '../protocol/permission.ts'
import { textProblem } from '../protocol/values.ts'
import type {
  DeclaredOrganisation,
  DeclaredPermission,
  DeclaredRole,
  DeclaredService,
  DeclaredUnit,
} from './declared.ts'
import { listOf, type Located, located, type Read, type Reading } from './fields.ts'
import { didYouMean, shown } from './problems.ts'
import { codeOf, mapping, readThing } from './things.ts'
import { checkedText, readerOf } from './values.ts'

export const uuid = readerOf(uuidKind) as Read<string>

export const service = mapping('a service', (fields, reading) => {
  const said = readThing('service', fields)
  const line = fields.lineOf('code')
  if (said.code === iamService)
    reading.problems.add(line, 'the service "iam" is built in and can\'t be declared')
  reading.names.claim('service', said.code, line)
  reading.names.claim('audience', said.audience, fields.lineOf('audience'))
  const permissions = fields.optional('permissions', listOf(permissionOf(said.code))) ?? []
  return { ...said, line: fields.line, permissions } as DeclaredService
})

const permissionOf = (serviceCode: string | undefined) =>
  mapping('a permission', (fields, reading) => {
    const said = readThing('permission', fields, { code: permissionText })
    const line = fields.lineOf('code')
    const { code } = said
    const isOfService = (one: string) => serviceCode === undefined || serviceOf(one) === serviceCode
    if (code !== undefined && !(isPermission(code) && isOfService(code))) {
      const form = `${serviceCode ?? '<service>'}.<resource>.<action>`
      reading.problems.add(line, `the permission ${shown(code)} is not of the form ${form}`)
    }
    reading.names.claim('permission', code, line)
    return said as DeclaredPermission
  })

const permissionText = checkedText(textProblem(200))

/** A list of permissions that must be declared in the file or be of the built-in service. */
export const permissionReferences: Read<Located<string>[]> = (place, reading) => {
  const listed = listOf(located(permissionText))(place, reading)
  const seen = new Set<string>()
  for (const { value, line } of listed ?? []) {
    if (seen.has(value)) reading.problems.add(line, `the permission ${shown(value)} is listed twice`)
    seen.add(value)
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

export const role = mapping('a role', (fields, reading) => {
  const permissions: Read<string[]> = (place) => permissionReferences(place, reading)?.map((one) => one.value)
  const said = readThing('role', fields, { permissions })
  reading.names.claim('role', said.code, fields.lineOf('code'))
  return { ...said, line: fields.line } as DeclaredRole
})

export const organisation = mapping('an organisation', (fields, reading) => {
  const said = readThing('organisation', fields)
  const declared = {
    ...said,
    line: fields.line,
    uuid: fields.optional('uuid', uuid),
    units: fields.optional('units', listOf(unitOf(said.code))) ?? [],
  }
  reading.names.claim('organisation', said.code, fields.lineOf('code'))
  reading.names.claim('organisation uuid', declared.uuid, fields.lineOf('uuid'))
  reportCircles(declared.units, reading)
  return declared as DeclaredOrganisation
})

const unitOf = (organisation: string | undefined) =>
  mapping('a unit', (fields, reading) => {
    const declared = {
      ...readThing('unit', fields),
      line: fields.line,
      uuid: fields.optional('uuid', uuid),
      parent: fields.optional('parent', codeOf),
    }
    reading.names.claim('unit', unitKey(organisation, declared.code), fields.lineOf('code'))
    reading.names.claim('unit uuid', declared.uuid, fields.lineOf('uuid'))
    reading.names.refer('unit', unitKey(organisation, declared.parent), fields.lineOf('parent'))
    return declared as DeclaredUnit
  })

/** How a unit is named in the whole file; undefined when a part is missing. */
export function unitKey(organisation: string, unit: string): string
export function unitKey(organisation: string | undefined, unit: string | undefined): string | undefined
export function unitKey(organisation: string | undefined, unit: string | undefined): string | undefined {
  return organisation === undefined || unit === undefined ? undefined : `${organisation}/${unit}`
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
