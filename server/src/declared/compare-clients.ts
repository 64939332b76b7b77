import { textList } from '../store/clients.ts'
import type { ClientRow, ClientSecretRow } from '../store/schema.ts'
import { newId } from '../store/identifier.ts'
import { byKey, type Comparison, fieldsBetween, flagOf, groupBy, type Shown } from './comparison.ts'
import type { DeclaredClient } from './declared.ts'
import type { PlaceCodes } from './place-codes.ts'

/** Clients, their origins and their secrets. */
export function compareClients(
  comparison: Comparison,
  codes: PlaceCodes,
  clients: readonly DeclaredClient[],
): void {
  const { state } = comparison
  const stored = byKey(state.clients, (row) => row.client_id)
  const origins = groupBy(state.client_origins, (row) => row.client_id)
  const secrets = groupBy(state.client_secrets, (row) => row.client_id)
  for (const client of clients) {
    const before = stored.get(client.clientId)
    const secretsChanged = compareSecrets(comparison, client, secrets.get(client.clientId) ?? [])
    const storedOrigins = (origins.get(client.clientId) ?? []).map((row) => row.origin)
    compareOrigins(comparison, client, storedOrigins)
    comparison.manage('clients', client.clientId, before)
    if (before === undefined) createClient(comparison, codes, client, secretsChanged)
    else changeClient(comparison, codes, { client, before, secretsChanged })
  }
}

function createClient(
  comparison: Comparison,
  codes: PlaceCodes,
  client: DeclaredClient,
  hasSecrets: boolean,
): void {
  const { now } = comparison.settings
  const columns = columnsOf(comparison, client)
  comparison.create('clients', { client_id: client.clientId, ...columns, created_at: now, updated_at: now })
  const fields = fieldsBetween(undefined, shownOf(columns, codes))
  if (hasSecrets) fields.push({ field: 'client_secret', hidden: true })
  comparison.tell('client', 'create', client.clientId, fields, about(columns))
}

interface ChangedClient {
  client: DeclaredClient
  before: ClientRow
  secretsChanged: boolean
}

function changeClient(
  comparison: Comparison,
  codes: PlaceCodes,
  { client, before, secretsChanged }: ChangedClient,
): void {
  const columns = columnsOf(comparison, client)
  const updated_at = comparison.settings.now
  const changed = comparison.update('clients', before, columns, { updated_at })
  if (!changed && secretsChanged) comparison.update('clients', before, { updated_at })
  const fields = fieldsBetween(shownOf(before, codes), shownOf(columns, codes))
  if (secretsChanged) fields.push({ field: 'client_secret', hidden: true })
  comparison.tellChange('client', client.clientId, fields, about(columns))
}

const about = ({ organisation_uuid: organisationUuid }: Columns) => ({ organisationUuid })

/** The origins as rows, so that one can be looked up; `allowed_origins` of the client tells of the change. */
function compareOrigins(comparison: Comparison, client: DeclaredClient, stored: readonly string[]): void {
  const client_id = client.clientId
  for (const origin of client.allowedOrigins) {
    if (!stored.includes(origin)) comparison.create('client_origins', { origin, client_id })
  }
  for (const origin of stored) {
    if (!client.allowedOrigins.includes(origin)) comparison.remove('client_origins', { origin, client_id })
  }
}

/** The secrets are those of the file, when it names any; a public client has none. True when they change. */
function compareSecrets(
  comparison: Comparison,
  client: DeclaredClient,
  stored: readonly ClientSecretRow[],
): boolean {
  const secrets = client.type === 'public' ? [] : client.secrets
  if (secrets === undefined) return false
  const { now } = comparison.settings
  const left = byKey(stored, (row) => row.secret_hash)
  let changed = left.size < stored.length
  for (const { hash: secret_hash, expiresAt: expires_at } of secrets) {
    const before = left.get(secret_hash)
    left.delete(secret_hash)
    if (before === undefined) {
      const row = {
        id: newId(now),
        client_id: client.clientId,
        secret_hash,
        created_at: now,
        expires_at,
      }
      comparison.create('client_secrets', row)
      changed = true
    } else if (comparison.update('client_secrets', before, { expires_at })) {
      changed = true
    }
  }
  // One that has ended is nothing to be told of.
  const ended = (row: ClientSecretRow) => row.expires_at !== null && row.expires_at <= now
  const removed = [...left.values()].filter((row) => client.type === 'public' || !ended(row))
  for (const row of removed) comparison.remove('client_secrets', row)
  return changed || removed.length > 0
}

type Columns = Omit<ClientRow, 'client_id' | 'created_at' | 'updated_at'>

function columnsOf(comparison: Comparison, client: DeclaredClient): Columns {
  const { organisation, permissions } = client
  return {
    type: client.type,
    application_type: client.applicationType,
    client_name: client.name,
    active: flagOf(client.active),
    first_party: flagOf(client.firstParty),
    scope: client.scopes.join(' '),
    redirect_uris: JSON.stringify(client.redirectUris),
    post_logout_redirect_uris: JSON.stringify(client.postLogoutRedirectUris),
    grant_types: JSON.stringify(client.grantTypes),
    services: JSON.stringify(client.services),
    permissions: permissions === undefined ? null : JSON.stringify(permissions),
    organisation_uuid: comparison.organisationUuids.get(organisation ?? '') ?? null,
    allowed_origins: JSON.stringify(client.allowedOrigins),
    client_uri: client.clientUri ?? null,
    logo_uri: client.logoUri ?? null,
    contacts: JSON.stringify(client.contacts),
    backchannel_logout_uri: client.backchannelLogoutUri ?? null,
    access_token_lifetime: client.accessTokenLifetime ?? null,
    refresh_idle_lifetime: client.refreshIdleLifetime ?? null,
    refresh_absolute_lifetime: client.refreshAbsoluteLifetime ?? null,
  }
}

function shownOf(row: Columns, codes: PlaceCodes): Shown {
  return {
    type: row.type,
    application_type: row.application_type,
    client_name: row.client_name,
    active: row.active === 1,
    first_party: row.first_party === 1,
    scope: row.scope,
    redirect_uris: textList(row.redirect_uris),
    post_logout_redirect_uris: textList(row.post_logout_redirect_uris),
    grant_types: textList(row.grant_types),
    services: textList(row.services),
    permissions: row.permissions === null ? null : textList(row.permissions),
    organisation: codes.organisation(row.organisation_uuid),
    allowed_origins: textList(row.allowed_origins),
    client_uri: row.client_uri,
    logo_uri: row.logo_uri,
    contacts: textList(row.contacts),
    backchannel_logout_uri: row.backchannel_logout_uri,
    access_token_lifetime: row.access_token_lifetime,
    refresh_idle_lifetime: row.refresh_idle_lifetime,
    refresh_absolute_lifetime: row.refresh_absolute_lifetime,
  }
}
