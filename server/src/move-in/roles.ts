import type { ToldGroup, ToldRole } from './told.ts'

/** A role with more parts is dissolved anew each time. */
const mostKept = 1000

/** What roles and groups of the other system come to, with the parts of composites and the groups above. */
export class HeldRoles {
  readonly #roles = new Map<string, ToldRole>()
  readonly #groups = new Map<string, ToldGroup>()
  readonly #all = new Map<string, ReadonlySet<string>>()

  addRole(role: ToldRole): void {
    this.#roles.set(role.id, role)
  }

  addGroup(group: ToldGroup): void {
    this.#groups.set(group.id, group)
  }

  role(id: string): ToldRole | undefined {
    return this.#roles.get(id)
  }

  /** The roles that give something here, in the order of their ids. */
  given(): ToldRole[] {
    return [...this.#roles.values()].filter((one) => one.own !== true).sort(byId)
  }

  groups(): string[] {
    return [...this.#groups.keys()].sort()
  }

  /** A group with those above it; undefined: nobody told of it. */
  withParents(id: string): string[] {
    const found: string[] = []
    for (
      let at: string | undefined = id;
      at !== undefined && !found.includes(at);
      at = this.#groups.get(at)?.parent
    )
      if (this.#groups.has(at)) found.push(at)
    return found
  }

  /** Roles with those of the groups, whatever they are worth here. */
  held(roles: readonly string[], groups: readonly string[]): string[] {
    const ofGroups = groups
      .flatMap((one) => this.withParents(one))
      .flatMap((one) => this.#groups.get(one)?.roles ?? [])
    return [...new Set([...roles, ...ofGroups])]
  }

  /** A role and all its parts; those of a circle once. */
  dissolved(id: string): ReadonlySet<string> {
    const before = this.#all.get(id)
    if (before !== undefined) return before
    const found = new Set<string>()
    const open = [id]
    for (let one = open.pop(); one !== undefined; one = open.pop()) {
      if (found.has(one) || !this.#roles.has(one)) continue
      found.add(one)
      open.push(...(this.#roles.get(one)?.parts ?? []))
    }
    // A chain of very many would take their square.
    if (found.size <= mostKept) this.#all.set(id, found)
    return found
  }

  /** All roles that give something here. */
  effective(roles: readonly string[]): string[] {
    const all = new Set(roles.flatMap((one) => [...this.dissolved(one)]))
    return [...all].filter((one) => this.#roles.get(one)?.own !== true).sort()
  }

  /** Roles that no other of these holds as its part: they say the same in fewer words. */
  foremost(roles: readonly string[]): string[] {
    const effective = this.effective(roles)
    const partsOf = new Map(effective.map((one) => [one, this.dissolved(one)]))
    return effective.filter((one) =>
      effective.every(
        (other) =>
          other === one ||
          partsOf.get(other)?.has(one) !== true ||
          // Roles in a circle hold each other: the first by name stands for all.
          (partsOf.get(one)?.has(other) === true && one < other),
      ),
    )
  }
}

const byId = (a: ToldRole, b: ToldRole) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0)
