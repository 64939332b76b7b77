import { stringify } from 'yaml'
import { type DeclaredState, readDeclaredState } from '../store/declared-state.ts'
import type { Store } from '../store/open.ts'
import type { OrganisationRow, ProfileRow, RoleRow, ServiceRow, UnitRow, UserRow } from '../store/schema.ts'
import { byKey, groupBy } from './comparison.ts'
import { type Exported, exportedClient, moment, onlyInactive } from './export-clients.ts'
import { parseDeclared } from './format.ts'
import { PlaceCodes } from './place-codes.ts'
import { DeclaredFileError } from './problems.ts'

/**
 * The whole state as the text of a declared file, with passwords and secrets as hashes. Applied to an empty database
 * it gives the same state. Throws when something is stored that no declared file can say.
 */
export async function exportDeclared(store: Store, now: number): Promise<string> {
  const text = preamble + textOf(exportedState(await readDeclaredState(store), now))
  try {
    parseDeclared(text, { file: 'export', mode: 'production' })
  } catch (error) {
    if (!(error instanceof DeclaredFileError)) throw error
    const [first] = error.problems
    throw new Error(
      `No declared file can hold all that is stored: ${first?.reason}. tessera backup copies it.`,
    )
  }
  return text
}

const preamble =
  '# Written by tessera export. It holds hashes of passwords and secrets: keep it as you keep the database.\n'

const layout = { version: '1.2', schema: 'core', aliasDuplicateObjects: false, lineWidth: 0 } as const

/** Entry by entry: the library makes a tree of what it writes, which takes many times the room. */
function textOf(sections: Record<string, Exported[]>): string {
  const lines = Object.entries(sections).flatMap(([name, entries]) => {
    if (entries.length === 0) return [stringify({ [name]: [] }, layout)]
    const heading = `${name}:\n`
    return [heading, ...entries.map((one) => stringify({ [name]: [one] }, layout).slice(heading.length))]
  })
  return lines.join('')
}

function exportedState(state: DeclaredState, now: number): Record<string, Exported[]> {
  const codes = new PlaceCodes([state])
  const permissions = groupBy(state.permissions, (row) => row.service_code)
  const held = groupBy(state.role_permissions, (row) => row.role_code)
  const units = groupBy(state.units, (row) => row.organisation_uuid)
  const profiles = groupBy<ProfileRow>(state.profiles, (row) => row.user_uuid)
  const secrets = groupBy(state.client_secrets, (row) => row.client_id)
  return {
    services: by(state.services, 'code').map((row) => service(row, permissions.get(row.code) ?? [])),
    roles: by(state.roles, 'code').map((row) => role(row, held.get(row.code) ?? [])),
    organisations: by(state.organisations, 'code').map((row) => organisation(row, units.get(row.uuid) ?? [])),
    users: by(state.users, 'email_key').map((row) => user(row, profiles.get(row.uuid) ?? [], codes)),
    clients: by(state.clients, 'client_id').map((row) => {
      const valid = (secrets.get(row.client_id) ?? []).filter((one) => (one.expires_at ?? Infinity) > now)
      return exportedClient(row, by(valid, 'secret_hash'), codes)
    }),
  }
}

/** In the same order whatever the database: a file in version control changes where something changed. */
function by<K extends string, Row extends Record<K, string>>(rows: readonly Row[], key: K): Row[] {
  return rows.toSorted((a, b) => (a[key] < b[key] ? -1 : a[key] > b[key] ? 1 : 0))
}

function service(row: ServiceRow, permissions: DeclaredState['permissions']): Exported {
  return {
    code: row.code,
    name: row.name,
    audience: row.audience,
    access_token_alg: row.access_token_alg === 'RS256' ? undefined : row.access_token_alg,
    permissions: by(permissions, 'code').map(({ code, description }) => ({
      code,
      description: description === '' ? undefined : description,
    })),
  }
}

function role(row: RoleRow, held: DeclaredState['role_permissions']): Exported {
  const permissions = held.map((one) => one.permission).sort()
  return { code: row.code, name: row.name, ...onlyInactive(row), permissions }
}

function organisation(row: OrganisationRow, units: readonly UnitRow[]): Exported {
  const byUuid = byKey(units, (unit) => unit.uuid)
  return {
    code: row.code,
    uuid: row.uuid,
    name: row.name,
    ...onlyInactive(row),
    units: by(units, 'code').map((unit) => ({
      code: unit.code,
      uuid: unit.uuid,
      name: unit.name,
      ...onlyInactive(unit),
      parent: byUuid.get(unit.parent_uuid ?? '')?.code,
    })),
  }
}

function user(row: UserRow, profiles: readonly ProfileRow[], codes: PlaceCodes): Exported {
  return {
    email: row.email,
    uuid: row.uuid,
    name: row.name,
    given_name: row.given_name ?? undefined,
    family_name: row.family_name ?? undefined,
    preferred_username: row.preferred_username ?? undefined,
    picture: row.picture ?? undefined,
    locale: row.locale ?? undefined,
    zoneinfo: row.zoneinfo ?? undefined,
    email_verified: row.email_verified === 1,
    password_hash: row.password_hash ?? undefined,
    ...onlyInactive(row),
    profiles: by(profiles, 'uuid').map((profile) => ({
      uuid: profile.uuid,
      role: profile.role_code,
      organisation: codes.organisation(profile.organisation_uuid) ?? undefined,
      unit: codes.unit(profile.unit_uuid) ?? undefined,
      ...onlyInactive(profile),
      expires_at: moment(profile.expires_at),
    })),
  }
}
