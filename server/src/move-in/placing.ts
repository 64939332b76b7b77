import type { Remark, ToldAttribute, ToldOrganisation, ToldPerson, ToldSystem } from './told.ts'
import { decide } from './told.ts'
import { Codes } from './codes.ts'
import type { MappedPlace, Mapping } from './mapping.ts'
import type { HeldRoles } from './roles.ts'

/** A profile as a row of `tessera import` has it. */
export interface PlacedProfile {
  role: string
  organisation?: string
  unit?: string
}

/** Roles here by what people hold there; beyond it each role is one of its own, and people get several profiles. */
const mostRoles = 500
/** Profiles of one person (`import/row.ts`). */
const mostProfiles = 50
/** Permissions of one role (`catalogue/role.ts`). */
const mostPermissions = 1000

/** The role that `tessera setup` makes: of what it gives nothing comes to anybody by the same name there. */
const usualAdministrator = 'administrator'

/** Sets of roles that are remembered while people are read. */
const mostKnown = 10_000

const keyOf = (holds: readonly string[]) => JSON.stringify(holds.toSorted())

/**
 * Which profiles people get. It learns first what they hold, and then says it of each: whoever holds several roles
 * there has one role here that gives all of them, because one acts under one profile at a time.
 */
export class Placing {
  readonly prefix: string | undefined
  readonly #held: HeldRoles
  readonly #edited: Mapping
  readonly #organisations = new Map<string, string | null>()
  readonly #everybody: ReadonlySet<string>
  readonly #together = new Map<string, number>()
  readonly #single = new Map<string, number>()
  readonly #known = new Map<string, { holds: readonly string[] | undefined }>()
  #roles: Mapping['roles'] = []
  #byHolds = new Map<string, string | null>()
  #elsewhere: string | null

  constructor(
    held: HeldRoles,
    edited: Mapping,
    { system, organisations }: { system: ToldSystem; organisations: readonly ToldOrganisation[] },
  ) {
    this.#held = held
    this.#edited = edited
    this.prefix = system.prefix
    const codes = new Codes('organisation', {
      prefix: system.prefix,
      taken: [...Object.values(edited.organisations), edited.elsewhere].flatMap((one) => one ?? []),
    })
    for (const { id } of organisations)
      this.#organisations.set(
        id,
        Object.hasOwn(edited.organisations, id) ? (edited.organisations[id] ?? null) : codes.of(id),
      )
    this.#elsewhere = edited.elsewhere === undefined ? codes.of(system.name) : edited.elsewhere
    this.#everybody = new Set(system.everybody === undefined ? [] : held.effective([system.everybody]))
  }

  organisationOf(id: string): string | null {
    return this.#organisations.get(id) ?? null
  }

  /** The codes of all organisations of the other system. */
  get organisations(): string[] {
    const all = [...this.#organisations.values(), this.#elsewhere]
    return [...new Set(all.filter((one) => one !== null))].sort()
  }

  get elsewhere(): string | null {
    return this.#elsewhere
  }

  /** Counts what somebody holds. */
  learn(person: Pick<ToldPerson, 'roles' | 'groups'>): void {
    const holds = this.#holdsOf(person)
    if (holds === undefined) return
    const count = (counts: Map<string, number>, one: readonly string[]) =>
      counts.set(keyOf(one), (counts.get(keyOf(one)) ?? 0) + 1)
    if (this.#together.size <= mostRoles) count(this.#together, holds)
    for (const one of holds.length === 0 ? [[]] : holds.map((role) => [role])) count(this.#single, one)
  }

  /** The fewest roles that say what somebody holds; undefined: more than a role here can give. */
  #holdsOf({ roles, groups }: Pick<ToldPerson, 'roles' | 'groups'>): readonly string[] | undefined {
    const held = this.#held.held(roles, groups)
    const key = keyOf(held)
    const known = this.#known.get(key)
    if (known !== undefined) return known.holds
    const holds = this.#held.effective(held).length > mostPermissions ? undefined : this.#held.foremost(held)
    if (this.#known.size >= mostKnown) this.#known.clear()
    this.#known.set(key, { holds })
    return holds
  }

  get #isSplit(): boolean {
    return this.#together.size > mostRoles
  }

  /** Gives each that is held a role here. Yields what is to be decided of it. */
  *settle(): Generator<Remark> {
    const before = new Map(this.#edited.roles.map((one) => [keyOf(one.holds), one]))
    const taken = [usualAdministrator, ...this.#edited.roles.flatMap((one) => one.role ?? [])]
    const codes = new Codes('role', { prefix: this.prefix, taken })
    const counts = this.#isSplit ? this.#single : this.#together
    if (this.#isSplit)
      yield decide(
        `People hold more than ${mostRoles} different sets of roles: each role is one here, and whoever holds several has as many profiles and chooses one. Fewer roles in mapping.yaml make one of them.`,
        String(this.#single.size),
      )
    for (const [key, people] of [...counts].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1))) {
      const holds = JSON.parse(key) as string[]
      const edited = before.get(key)
      const role = edited === undefined ? codes.of(this.nameOf(holds)) : edited.role
      this.#roles.push({ holds, role, people })
    }
    this.#roles.push(
      ...this.#edited.roles
        .filter((one) => !counts.has(keyOf(one.holds)))
        .map(({ holds, role }) => ({ holds, role })),
    )
    this.#byHolds = new Map(this.#roles.map((one) => [keyOf(one.holds), one.role]))
  }

  /** What everybody holds names nothing, unless there is nothing else. */
  nameOf(holds: readonly string[]): string {
    const named = holds.filter((one) => !this.#everybody.has(one))
    return (named.length === 0 ? holds : named).join(', ') || 'member'
  }

  get roles(): Mapping['roles'] {
    return this.#roles
  }

  profilesOf(person: ToldPerson): PlacedProfile[] {
    const held = this.#rolesOf(person)
    const places: MappedPlace[] = [
      ...person.organisations.flatMap((id) => {
        const organisation = this.organisationOf(id)
        return organisation === null ? [] : [{ organisation }]
      }),
      ...this.#mappedPlaces(person),
    ]
    const somewhere = places.some((one) => one.role === undefined)
    if (!somewhere) places.push(this.#elsewhere === null ? {} : { organisation: this.#elsewhere })
    const profiles = places.flatMap(({ role, ...at }) =>
      (role === undefined ? held : [role]).map((one) => ({ role: one, ...placed(at) })),
    )
    const once = new Map(profiles.map((one) => [JSON.stringify(one), one]))
    return [...once.values()].slice(0, mostProfiles)
  }

  #rolesOf(person: ToldPerson): string[] {
    const holds = this.#holdsOf(person)
    if (holds === undefined) return []
    const sets = this.#isSplit && holds.length > 0 ? holds.map((one) => [one]) : [holds]
    return [...new Set(sets.flatMap((one) => this.#byHolds.get(keyOf(one)) ?? []))]
  }

  /** The places that the mapping gives by groups and attributes. */
  #mappedPlaces({ groups, attributes }: ToldPerson): MappedPlace[] {
    const { groups: mapped, attributes: known } = this.#edited
    const ids = new Set(groups.flatMap((one) => this.#held.withParents(one)))
    const byGroup = [...ids].flatMap((id) => (Object.hasOwn(mapped, id) ? (mapped[id] ?? []) : []))
    const byAttribute = Object.entries(known).flatMap(([name, { profiles = {} }]) =>
      (Object.hasOwn(attributes, name) ? (attributes[name] ?? []) : []).flatMap((value) =>
        Object.hasOwn(profiles, value) ? (profiles[value] ?? []) : [],
      ),
    )
    return [...byGroup, ...byAttribute]
  }

  /** The mapping with all that was found, and what was edited as it is. */
  mapping({
    permissions,
    attributes,
    redirects,
    sends,
  }: {
    permissions: ReadonlyMap<string, string | null>
    attributes: readonly ToldAttribute[]
    redirects: Mapping['redirect_uris']
    sends: Mapping['sends']
  }): Mapping {
    const edited = this.#edited
    const written = Object.fromEntries(
      Object.entries(edited.redirect_uris).filter(([, one]) => one.length > 0),
    )
    const groups = Object.fromEntries(this.#held.groups().map((id) => [id, null]))
    const told = attributes.map(({ name, editableByPeople }) => {
      const editable = editableByPeople ? ('yes' as const) : ('no' as const)
      return [name, { editable_by_people: editable }] as const
    })
    return {
      organisations: Object.fromEntries(this.#organisations),
      elsewhere: this.#elsewhere,
      permissions: { ...Object.fromEntries(permissions), ...edited.permissions },
      roles: this.#roles,
      groups: { ...groups, ...edited.groups },
      attributes: { ...Object.fromEntries(told), ...edited.attributes },
      // What was seen later stands where nobody wrote anything.
      redirect_uris: { ...edited.redirect_uris, ...redirects, ...written },
      sends: { ...sends, ...edited.sends },
    }
  }
}

const placed = ({ organisation, unit }: MappedPlace) => ({
  ...(organisation !== undefined && { organisation }),
  ...(unit !== undefined && { unit }),
})
