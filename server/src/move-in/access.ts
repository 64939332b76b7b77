import { iamService, iamWildcard, serviceOf } from '../protocol/permission.ts'
import { policyLimits, shortestPassword } from '../protocol/policy.ts'
import { audienceProblem, longTextProblem, textProblem } from '../protocol/values.ts'
import type { DeclaredEntry } from '../declared/text.ts'
import { Codes } from './codes.ts'
import type { Mapping } from './mapping.ts'
import type { Placing } from './placing.ts'
import type { HeldRoles } from './roles.ts'
import type { ToldOrganisation, ToldRole, ToldSystem } from './told.ts'

/** The permission that each role gives: of a service for its application, or of one for the whole system. */
export class Permissions {
  readonly #held: HeldRoles
  readonly #edited: Mapping['permissions']
  /** The permission of each role, by the id of the role. */
  readonly #byRole = new Map<string, string | null>()
  readonly #services = new Map<string, { name: string; audience: string }>()

  constructor(
    source: string,
    { system, held, edited }: { system: ToldSystem; held: HeldRoles; edited: Mapping['permissions'] },
  ) {
    this.#held = held
    this.#edited = edited
    const given = held.given()
    const services = this.#serviceCodes(given, system)
    for (const [id, { code, name }] of services) {
      const urn = `urn:${source}:${[system.name, ...(id === undefined ? [] : [id])].map(encodeURIComponent).join(':')}`
      this.#services.set(code, {
        name: lineOf(name, code),
        audience: id !== undefined && audienceProblem(id) === undefined ? id : urn,
      })
    }
    // A permission that the mapping names stays that of its role: a new role never gets the permission of another.
    const named = Object.values(edited).flatMap((one) => one ?? [])
    const actions = new Map<string, Codes>()
    for (const role of given) {
      const service = services.get(role.of?.id)?.code
      if (service === undefined || Object.hasOwn(edited, role.id)) continue
      const begin = `${service}.role.`
      const taken = named.filter((one) => one.startsWith(begin)).map((one) => one.slice(begin.length))
      const names = actions.get(service) ?? new Codes('role', { taken })
      actions.set(service, names)
      this.#byRole.set(role.id, `${begin}${names.of(nameOf(role))}`)
    }
  }

  /** The code of each application's service, and that of the system's own; as the mapping has it, where it does. */
  #serviceCodes(
    given: readonly ToldRole[],
    system: ToldSystem,
  ): Map<string | undefined, { code: string; name: string }> {
    const edited = this.#edited
    const known = new Map<string | undefined, string>()
    for (const { id, of } of given) {
      const permission = Object.hasOwn(edited, id) ? (edited[id] ?? undefined) : undefined
      const service = permission === undefined ? iamService : serviceOf(permission)
      if (service !== iamService && !known.has(of?.id)) known.set(of?.id, service)
    }
    const taken = [
      iamService,
      ...Object.values(edited).flatMap((one) => (one === null ? [] : [serviceOf(one)])),
    ]
    const codes = new Codes('application', { prefix: system.prefix, taken })
    const services = new Map<string | undefined, { code: string; name: string }>()
    const add = (id: string | undefined, named: string, name: string) =>
      services.set(id, { code: known.get(id) ?? codes.of(named), name })
    add(undefined, system.name, system.label ?? system.name)
    const applications = new Map(
      given.flatMap(({ of }) => (of === undefined ? [] : [[of.id, of.name ?? of.id] as const])),
    )
    for (const id of [...applications.keys()].sort()) add(id, id, applications.get(id) ?? id)
    return services
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

/** Its own name, without that of its application. */
export const nameOf = ({ id, of, name }: ToldRole): string =>
  name ?? (of === undefined ? id : id.slice(of.id.length + 1))

/** A text that can stand on one line, or what stands in its place. */
const lineOf = (text: string, otherwise: string): string =>
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
