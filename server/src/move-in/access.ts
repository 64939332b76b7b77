import { iamService, iamWildcard, serviceOf } from '../protocol/permission.ts'
import { policyLimits, shortestPassword } from '../protocol/policy.ts'
import { audienceProblem, longTextProblem, textProblem } from '../protocol/values.ts'
import type { DeclaredEntry } from '../declared/text.ts'
import { Codes } from './codes.ts'
import type { Mapping } from './mapping.ts'
import type { Placing } from './placing.ts'
import type { HeldRoles } from './roles.ts'
import type { ToldOrganisation, ToldRole, ToldSystem } from './told.ts'

/** Which permission each role gives: of a service for its application, or of one for the whole system. */
export class Permissions {
  readonly #held: HeldRoles
  readonly #edited: Mapping['permissions']
  /** By the id of a role. */
  readonly #byRole = new Map<string, string | null>()
  readonly #services = new Map<string, { name: string; audience: string }>()

  constructor(
    source: string,
    { system, held, edited }: { system: ToldSystem; held: HeldRoles; edited: Mapping['permissions'] },
  ) {
    this.#held = held
    this.#edited = edited
    const codes = new Codes('application', { taken: [iamService] })
    const actions = new Map<string, Codes>()
    const given = held.given()
    const services = new Map<string | undefined, string>([[undefined, codes.of(system.name)]])
    const applications = new Map(
      given.flatMap(({ of }) => (of === undefined ? [] : [[of.id, of.name ?? of.id] as const])),
    )
    for (const id of [...applications.keys()].sort()) services.set(id, codes.of(id))
    for (const [id, code] of services) {
      const urn = `urn:${source}:${[system.name, ...(id === undefined ? [] : [id])].map(encodeURIComponent).join(':')}`
      const name = id === undefined ? (system.label ?? system.name) : (applications.get(id) ?? id)
      this.#services.set(code, {
        name: lineOf(name, code),
        audience: id !== undefined && audienceProblem(id) === undefined ? id : urn,
      })
    }
    for (const role of given) {
      const service = services.get(role.of?.id) ?? iamService
      const names = actions.get(service) ?? new Codes('role')
      actions.set(service, names)
      this.#byRole.set(role.id, `${service}.role.${names.of(nameOf(role))}`)
    }
  }

  /** What a role gives by itself; undefined: nothing. */
  of(role: string): string | undefined {
    const mapped = Object.hasOwn(this.#edited, role) ? this.#edited[role] : this.#byRole.get(role)
    return mapped ?? undefined
  }

  all(): ReadonlyMap<string, string | null> {
    return this.#byRole
  }

  /** What these roles give with their parts, sorted. */
  given(roles: readonly string[]): string[] {
    return [...new Set(this.#held.effective(roles).flatMap((one) => this.of(one) ?? []))].sort()
  }

  /** The services of all permissions that a role gives. */
  declared(): DeclaredEntry[] {
    const given = new Map(
      this.#held.given().flatMap((role) => {
        const permission = this.of(role.id)
        return permission === undefined || permission === iamWildcard || serviceOf(permission) === iamService
          ? []
          : [[permission, role] as const]
      }),
    )
    const codes = [...new Set([...given.keys()].map(serviceOf))].sort()
    return codes.map((code) => ({
      code,
      ...(this.#services.get(code) ?? { name: code, audience: `urn:moved:${code}` }),
      permissions: [...given]
        .filter(([permission]) => serviceOf(permission) === code)
        .map(([permission, { description = '' }]) => ({
          code: permission,
          ...(description !== '' && longTextProblem(1000)(description) === undefined && { description }),
        })),
    }))
  }
}

const nameOf = ({ id, of }: ToldRole): string => (of === undefined ? id : id.slice(of.id.length + 1))

/** A text that can stand on one line, or what stands in its place. */
export const lineOf = (text: string, otherwise: string): string =>
  textProblem(200)(text) === undefined ? text : otherwise

/** Each role here, with all that what is held gives. */
export function declaredRoles(placing: Placing, permissions: Permissions): DeclaredEntry[] {
  const byCode = new Map<string, { name: string; given: Set<string> }>()
  for (const { holds, role } of placing.roles) {
    if (role === null) continue
    const declared = byCode.get(role) ?? { name: lineOf(placing.nameOf(holds), role), given: new Set() }
    for (const one of permissions.given(holds)) declared.given.add(one)
    byCode.set(role, declared)
  }
  return [...byCode].map(([code, { name, given }]) => ({ code, name, permissions: [...given].sort() }))
}

/** The organisations, with the units that the mapping names. */
export function declaredOrganisations(
  told: readonly ToldOrganisation[],
  { system, placing, edited }: { system: ToldSystem; placing: Placing; edited: Mapping },
): DeclaredEntry[] {
  const names = new Map<string, { name: string; active?: false }>()
  for (const { id, name, active = true } of told) {
    const code = placing.organisationOf(id)
    if (code !== null)
      names.set(code, { name: lineOf(name, code), ...(!active && { active: false as const }) })
  }
  const { elsewhere } = placing
  if (elsewhere !== null && !names.has(elsewhere))
    names.set(elsewhere, { name: lineOf(system.label ?? system.name, elsewhere) })
  const units = new Map<string, Set<string>>()
  for (const { organisation, unit } of mappedPlaces(edited)) {
    if (organisation === undefined) continue
    if (!names.has(organisation)) names.set(organisation, { name: organisation })
    if (unit !== undefined) units.set(organisation, (units.get(organisation) ?? new Set()).add(unit))
  }
  return [...names].map(([code, said]) => ({
    code,
    ...said,
    ...(units.has(code) && {
      units: [...(units.get(code) ?? [])].sort().map((unit) => ({ code: unit, name: unit })),
    }),
  }))
}

const mappedPlaces = ({ groups, attributes }: Mapping) => [
  ...Object.values(groups).flatMap((one) => one ?? []),
  ...Object.values(attributes).flatMap(({ profiles = {} }) => Object.values(profiles)),
]

/** Roles that the mapping gives at a place, and that nobody holds by what they held. */
export function placedRoles(edited: Mapping, declared: readonly DeclaredEntry[]): DeclaredEntry[] {
  const known = new Set(declared.map((one) => one['code']))
  const named = new Set(mappedPlaces(edited).flatMap(({ role }) => role ?? []))
  return [...named].filter((one) => !known.has(one)).map((code) => ({ code, name: code, permissions: [] }))
}

/** What can stand in a policy here. */
export function policyOf({ passwordLength: least = 0 }: ToldSystem): { password_length: number } | undefined {
  return least > shortestPassword && least <= policyLimits.password_length
    ? { password_length: least }
    : undefined
}
