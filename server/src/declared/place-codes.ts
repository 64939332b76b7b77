import type { DeclaredState } from '../store/declared-state.ts'

/** Where a profile holds, by the ids that are stored. */
interface Place {
  role_code: string
  organisation_uuid: string | null
  unit_uuid: string | null
}

/** The codes that people know organisations and units by. */
export class PlaceCodes {
  readonly #organisations: ReadonlyMap<string, string>
  readonly #units: ReadonlyMap<string, string>

  constructor(states: readonly Pick<DeclaredState, 'organisations' | 'units'>[]) {
    const pairs = (rows: readonly { uuid: string; code: string }[]) =>
      rows.map((row) => [row.uuid, row.code] as const)
    this.#organisations = new Map(states.flatMap((state) => pairs(state.organisations)))
    this.#units = new Map(states.flatMap((state) => pairs(state.units)))
  }

  organisation(uuid: string | null): string | null {
    return this.#organisations.get(uuid ?? '') ?? null
  }

  unit(uuid: string | null): string | null {
    return this.#units.get(uuid ?? '') ?? null
  }

  /** Such as `importer at acme/intake`. */
  roleAt(place: Place): string {
    const organisation = this.organisation(place.organisation_uuid)
    if (organisation === null) return place.role_code
    const unit = this.unit(place.unit_uuid)
    return `${place.role_code} at ${organisation}${unit === null ? '' : `/${unit}`}`
  }
}
