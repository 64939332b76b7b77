interface ProfileUuids {
  role_code: string
  organisation_uuid: string | null
  unit_uuid: string | null
}

interface PlaceRows {
  users?: readonly { uuid: string; email: string }[]
  organisations: readonly { uuid: string; code: string }[]
  units: readonly { uuid: string; code: string }[]
}

/** What people know organisations, units and one another by, by their uuids. */
export class Codes {
  readonly #codes = new Map<string, string>()

  constructor(...states: readonly PlaceRows[]) {
    for (const { organisations, units, users = [] } of states) {
      for (const { uuid, code } of [...organisations, ...units]) this.add(uuid, code)
      for (const { uuid, email } of users) this.add(uuid, email)
    }
  }

  add(uuid: string, code: string): void {
    this.#codes.set(uuid, code)
  }

  of(uuid: string | null): string | null {
    return this.#codes.get(uuid ?? '') ?? null
  }

  /** The codes of a list, in its order; a uuid that is not known stays a uuid. */
  all(uuids: readonly string[]): string[] {
    return uuids.map((uuid) => this.of(uuid) ?? uuid).sort()
  }

  /** Such as `importer at acme/intake`. */
  roleAt({ role_code, organisation_uuid, unit_uuid }: ProfileUuids): string {
    const organisation = this.of(organisation_uuid)
    const unit = this.of(unit_uuid)
    if (organisation === null) return role_code
    return `${role_code} at ${organisation}${unit === null ? '' : `/${unit}`}`
  }
}
