import { textList } from '../store/clients.ts'
import type { ClientRow, ClientSecretRow } from '../store/schema.ts'
import type { PlaceCodes } from './place-codes.ts'
import { hashPrefix } from './secrets-section.ts'

/** A mapping as the file has it; what is undefined is left out. */
export type Exported = Record<string, unknown>

/** A client as the file has it, with the hashes of its secrets. */
export function exportedClient(
  row: ClientRow,
  secrets: readonly ClientSecretRow[],
  codes: PlaceCodes,
): Exported {
  return {
    client_id: row.client_id,
    client_name: row.client_name,
    type: row.type,
    application_type: row.application_type === 'web' ? undefined : row.application_type,
    ...onlyInactive(row),
    first_party: row.first_party === 1 ? true : undefined,
    ...(row.type === 'public' && forPeople(row)),
    scope: row.scope,
    grant_types: textList(row.grant_types),
    services: textList(row.services),
    permissions: row.permissions === null ? undefined : textList(row.permissions),
    organisation: codes.organisation(row.organisation_uuid) ?? undefined,
    client_uri: row.client_uri ?? undefined,
    logo_uri: row.logo_uri ?? undefined,
    contacts: filled(textList(row.contacts)),
    access_token_lifetime: row.access_token_lifetime ?? undefined,
    client_secret_hashes: filled(secrets.map(exportedSecret)),
  }
}

/** What a machine has nothing of. */
function forPeople(row: ClientRow): Exported {
  return {
    redirect_uris: textList(row.redirect_uris),
    post_logout_redirect_uris: filled(textList(row.post_logout_redirect_uris)),
    allowed_origins: textList(row.allowed_origins),
    backchannel_logout_uri: row.backchannel_logout_uri ?? undefined,
    refresh_idle_lifetime: row.refresh_idle_lifetime ?? undefined,
    refresh_absolute_lifetime: row.refresh_absolute_lifetime ?? undefined,
  }
}

const filled = <T>(list: readonly T[]): readonly T[] | undefined => (list.length === 0 ? undefined : list)

function exportedSecret({ secret_hash, expires_at }: ClientSecretRow): unknown {
  const hash = `${hashPrefix}${secret_hash}`
  return expires_at === null ? hash : { hash, expires_at: moment(expires_at) }
}

export const onlyInactive = ({ active }: { active: 0 | 1 }): Exported =>
  active === 1 ? {} : { active: false }

export const moment = (at: number | null): string | undefined =>
  at === null ? undefined : new Date(at).toISOString()
