/**
 * The profiles that somebody has worked under here, and the names of what their tokens name by id.
 *
 * Tokens hold ids and codes, which stay; names change, so an application keeps them itself, beside what it stores
 * of an organisation anyway. Here they are a setting.
 */
import type { IDToken } from 'openid-client'

/** Names by uuid of an organisation or unit, and by code of a role. */
export type Names = Readonly<Record<string, string>>

export interface Profile {
  readonly uuid: string
  readonly role: string
  readonly organisation: string | undefined
  readonly unit: string | undefined
}

/** From the validated ID token. The organisation and the unit are there only when the profile has one. */
export function profileOf(claims: IDToken): Profile {
  const { profile_uuid, role_code, organisation_uuid, organisation_unit_uuid } = claims
  return {
    uuid: text(profile_uuid) ?? '',
    role: text(role_code) ?? '',
    organisation: text(organisation_uuid),
    unit: text(organisation_unit_uuid),
  }
}

/** What was used before, and the one that is active now. */
export function withActive(before: readonly Profile[], claims: IDToken): readonly Profile[] {
  const active = profileOf(claims)
  return [...before.filter(({ uuid }) => uuid !== active.uuid), active]
}

/** Its name, or the id itself where nobody told us one. */
export function named(names: Names, id: string): string {
  return (Object.hasOwn(names, id) ? names[id] : undefined) ?? id
}

/** As people tell profiles apart: `Reader · Lakeside University · Soil laboratory`. */
export function inWords(names: Names, { role, organisation, unit }: Profile): string {
  return [role, organisation, unit]
    .filter((part) => part !== undefined)
    .map((part) => named(names, part))
    .join(' · ')
}

const text = (claim: unknown): string | undefined => (typeof claim === 'string' ? claim : undefined)
