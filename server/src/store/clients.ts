import type { Compilable, Selectable } from 'kysely'
import { methodOf } from '../protocol/client-type.ts'
import type { Federated } from '../protocol/federated.ts'
import type { JwkSet } from '../protocol/jwk-set.ts'
import type { DocumentMethod } from '../protocol/client-document.ts'
import { Cache } from '../database/cache.ts'
import { type Policy, policyOf } from '../protocol/policy.ts'
import { type ClientClaims, clientClaimsOf } from '../protocol/client-claims.ts'
import { expandPermissions } from '../protocol/permission.ts'
import { type PersonHeader, personHeaders, type remoteUsers } from '../protocol/proxied.ts'
import { type ProxiedRoutes, readRoutes, type RouteFinder } from '../protocol/proxied-routes.ts'
import type { ApplicationType } from '../protocol/redirect-uri.ts'
import { type Scope, scopesOf } from '../protocol/scope.ts'
import type { Store } from '../database/store.ts'
import { prepared } from '../database/prepared.ts'
import { isUsableClient, usableClients } from './usable.ts'
import type { Flag } from '../database/flag.ts'
import type { ClientSecretRow, Schema } from '../database/schema.ts'
import { type Exchanging, exchangingOf } from './exchanging.ts'
import { allServices, type ClientService } from './services.ts'
import { type AllowedColumns, type Entry, entryOf } from './entry.ts'
import type { Reading } from './in-transaction.ts'

/** Where an application behind a proxy is, what its routes demand, and what it is told of its visitors. */
export interface Proxied {
  origins: readonly string[]
  routes: RouteFinder
  headers: readonly PersonHeader[]
  remoteUser: (typeof remoteUsers)[number]
}

/** A client secret as it is kept: its hash, and when it ends (epoch milliseconds; null: never). */
export type Secret = Pick<ClientSecretRow, 'secret_hash' | 'expires_at'>

/** Values made of columns once, when a client is read. */
interface Parsed extends ClientClaims {
  /** False when it, or the organisation that it belongs to, is disabled. */
  usable: boolean
  scopes: readonly Scope[]
  redirect_uris: readonly string[]
  post_logout_redirect_uris: readonly string[]
  grant_types: readonly string[]
  /** The codes of the services assigned to it, the built-in `iam` among them. */
  services: readonly string[]
  /** The declared ones among the services, with their audiences. */
  declaredServices: readonly ClientService[]
  /** The allow-list, wildcard written out; null: none, so all that the role has (a machine then has none). */
  permissions: readonly string[] | null
  secrets: readonly Secret[]
  jwks: JwkSet | null
  federated: Federated | null
  /** The one way in which it proves itself. */
  token_endpoint_auth_method: ReturnType<typeof methodOf>
  /** Undefined: everybody gets in. */
  entry: Entry | undefined
  /** How strongly people have to sign in to it. */
  policy: Policy | undefined
  /** Undefined: it is of another type. */
  proxied: Proxied | undefined
  /** Undefined: it says itself what it is. */
  document: ReadDocument | undefined
  application_type: ApplicationType
  /** Undefined: it exchanges no tokens. */
  exchanging: Exchanging | undefined
}

/** Facts of a document that are in no column of its client. */
interface ReadDocument {
  /** Whether the document came with the registration, so that nothing is fetched. */
  isInline: boolean
  redirectHosts: readonly string[]
  /** How the client may authenticate; none: nothing was read, or it is gone. */
  methods: readonly DocumentMethod[]
}

type UnseenColumn =
  | 'origins'
  | 'routes'
  | 'headers'
  | 'remote_user'
  | 'active'
  | 'scope'
  | 'metadata'
  | 'redirect_hosts'
  | 'document_methods'
  | 'acts_as'
  | 'exchange'

/** A registered client (decisions 9): what is read of its row. Lifetimes are seconds; null: the service's own setting. */
export type Client = Omit<ReadRow, keyof Parsed | keyof AllowedColumns | UnseenColumn> & Parsed

/** The client with this id, active or not, from memory as long as nothing changed. */
export async function findClient(store: Reading, client_id: string): Promise<Client | undefined> {
  return await store.cache.get(`client ${client_id}`, () => readClient(store, client_id))
}

/** Columns that tokens need; the others are for those who administer it. */
const columns = [
  'clients.client_id',
  'clients.type',
  'clients.metadata',
  'clients.document',
  'clients.document_methods',
  'clients.redirect_hosts',
  'clients.application_type',
  'clients.client_name',
  'clients.active',
  'clients.first_party',
  'clients.scope',
  'clients.redirect_uris',
  'clients.post_logout_redirect_uris',
  'clients.grant_types',
  'clients.jwks',
  'clients.jwks_uri',
  'clients.federated',
  'clients.token_endpoint_auth_method',
  'clients.token_endpoint_auth_signing_alg',
  'clients.assertion_audience',
  'clients.require_nonce',
  'clients.require_state',
  'clients.require_pkce',
  'clients.require_pushed_authorization_requests',
  'clients.dpop_bound_access_tokens',
  'clients.id_token_signed_response_alg',
  'clients.groups',
  'clients.claims',
  'clients.services',
  'clients.allowed',
  'clients.allowed_removed',
  'clients.permissions',
  'clients.acts_as',
  'clients.exchange',
  'clients.organisation_uuid',
  'clients.client_uri',
  'clients.access_token_lifetime',
  'clients.refresh_idle_lifetime',
  'clients.refresh_absolute_lifetime',
  'clients.policy',
  'clients.origins',
  'clients.routes',
  'clients.headers',
  'clients.remote_user',
  'clients.token_generation',
  'clients.created_at',
] as const

type ReadRow = Pick<
  Selectable<Schema['clients']>,
  typeof columns extends readonly `clients.${infer C}`[] ? C : never
>

/** A client with one of its secrets, or with none. */
interface ClientWithSecret extends ReadRow {
  organisation_active: Flag | null
  secret_hash: string | null
  secret_expires_at: number | null
}

const selectClient = prepared<{ client_id: string }, ClientWithSecret>(
  (db, slot) =>
    db
      .selectFrom('clients')
      .leftJoin('organisations', 'organisations.uuid', 'clients.organisation_uuid')
      .leftJoin('client_secrets', 'client_secrets.client_id', 'clients.client_id')
      .select(columns)
      .select([
        'organisations.active as organisation_active',
        'client_secrets.secret_hash',
        'client_secrets.expires_at as secret_expires_at',
      ])
      .where('clients.client_id', '=', slot('client_id')) as Compilable<ClientWithSecret>,
)

/** The client as it is now, whatever this process remembers. */
export const findClientNow = async (store: Store, client_id: string): Promise<Client | undefined> =>
  await findClient({ ...store, cache: new Cache(async () => 0) }, client_id)

/** Whether any active client is a document, from memory as long as nothing changed. */
export const hasDocumentClients = async (store: Reading): Promise<boolean> =>
  await store.cache.get('document clients', async () => {
    const query = usableClients(store.db).where('c.metadata', '=', 'document')
    return (await query.select('c.client_id').limit(1).executeTakeFirst()) !== undefined
  })

async function readClient(store: Reading, client_id: string): Promise<Client | undefined> {
  const rows = await store.read(selectClient({ client_id }))
  const [row] = rows
  if (row === undefined) return undefined
  const [entry, declared] = [await entryOf(store.db, row), await allServices(store)]
  return asClient(row, rows, { entry, declared })
}

/** Whether an active client registered this origin (for CORS). */
export async function isRegisteredOrigin(store: Store, origin: string): Promise<boolean> {
  const row = await store.db
    .selectFrom('client_origins')
    .innerJoin('clients', 'clients.client_id', 'client_origins.client_id')
    .select('origin')
    .where('origin', '=', origin)
    .where('clients.active', '=', 1)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/** The client of these rows: all are of one, with a secret each. */
function asClient(
  row: ClientWithSecret,
  rows: readonly ClientWithSecret[],
  { entry, declared }: { entry: Entry | undefined; declared: readonly ClientService[] },
): Client {
  const services = textList(row.services)
  const permissions = row.permissions === null ? null : expandPermissions(textList(row.permissions))
  return {
    // Not spread: a row has getters, which a spread leaves out.
    client_id: row.client_id,
    type: row.type,
    application_type: row.metadata === 'document' ? 'document' : row.application_type,
    client_name: row.client_name,
    first_party: row.first_party,
    jwks_uri: row.jwks_uri,
    // The MCP SDK sends none.
    require_nonce: row.metadata === 'document' ? 0 : row.require_nonce,
    require_state: row.require_state,
    require_pkce: row.require_pkce,
    require_pushed_authorization_requests: row.require_pushed_authorization_requests,
    dpop_bound_access_tokens: row.dpop_bound_access_tokens,
    id_token_signed_response_alg: row.id_token_signed_response_alg,
    organisation_uuid: row.organisation_uuid,
    client_uri: row.client_uri,
    access_token_lifetime: row.access_token_lifetime,
    refresh_idle_lifetime: row.refresh_idle_lifetime,
    refresh_absolute_lifetime: row.refresh_absolute_lifetime,
    token_generation: row.token_generation,
    created_at: row.created_at,
    usable: isUsableClient(row),
    scopes: scopesOf(row.scope),
    redirect_uris: textList(row.redirect_uris),
    post_logout_redirect_uris: textList(row.post_logout_redirect_uris),
    grant_types: textList(row.grant_types),
    ...clientClaimsOf(row, permissions ?? undefined),
    services,
    declaredServices: declared.filter(({ code }) => services.includes(code)),
    permissions,
    secrets: rows.flatMap(({ secret_hash, secret_expires_at: expires_at }) =>
      secret_hash === null ? [] : [{ secret_hash, expires_at }],
    ),
    jwks: row.jwks === null ? null : (JSON.parse(row.jwks) as JwkSet),
    federated: row.federated === null ? null : (JSON.parse(row.federated) as Federated),
    token_endpoint_auth_method: methodOf(row),
    token_endpoint_auth_signing_alg: row.token_endpoint_auth_signing_alg,
    assertion_audience: row.assertion_audience,
    policy: policyOf(row.policy),
    entry,
    proxied: proxiedOf(row),
    document: documentOf(row),
    exchanging: exchangingOf(row, declared),
  }
}

function documentOf(row: ReadRow): ReadDocument | undefined {
  if (row.metadata !== 'document') return undefined
  const methods = textList(row.document_methods ?? '[]') as DocumentMethod[]
  return { isInline: row.document !== null, redirectHosts: textList(row.redirect_hosts), methods }
}

function proxiedOf({ type, origins, routes, headers, remote_user }: ReadRow): Proxied | undefined {
  if (type !== 'proxied') return undefined
  return {
    origins: textList(origins),
    routes: readRoutes(JSON.parse(routes ?? '{}') as ProxiedRoutes),
    headers: personHeaders.filter((one) => textList(headers).includes(one)),
    remoteUser: remote_user,
  }
}

/** The client at each origin, from memory as long as nothing changed. */
export async function proxiedOrigins(store: Reading): Promise<ReadonlyMap<string, string>> {
  return await store.cache.get('proxied origins', async () => {
    const rows = await store.db.selectFrom('proxied_origins').selectAll().execute()
    return new Map(rows.map(({ origin, client_id }) => [origin, client_id]))
  })
}

/** Reads a column that holds a JSON list of strings. */
export function textList(json: string): string[] {
  const list: unknown = JSON.parse(json)
  return Array.isArray(list) ? list.filter((one) => typeof one === 'string') : []
}
