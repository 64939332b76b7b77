interface ProfileUuids {
  role_code: string
  organisation_uuid: string | null
  unit_uuid: string | null
}

interface PlaceRows {
  organisations: readonly { uuid: string; code: string }[]
  units: readonly { uuid: string; code: string }[]
}

/** The codes that people know organisations and units by, by their uuids. */
export class Codes {
  readonly #codes = new Map<string, string>()

  constructor(...states: readonly PlaceRows[]) {
    for (const { organisations, units } of states)
      for (const { uuid, code } of [...organisations, ...units]) this.add(uuid, code)
  }

  add(uuid: string, code: string): void {
    this.#codes.set(uuid, code)
  }

  of(uuid: string | null): string | null {
    return this.#codes.get(uuid ?? '') ?? null
  }

  /** Such as `importer at acme/intake`. */
  roleAt({ role_code, organisation_uuid, unit_uuid }: ProfileUuids): string {
    const organisation = this.of(organisation_uuid)
    const unit = this.of(unit_uuid)
    if (organisation === null) return role_code
    return `${role_code} at ${organisation}${unit === null ? '' : `/${unit}`}`
  }
}
