import type { Compilable } from 'kysely'
import type { AccessTokenTyp } from '../protocol/access-token-typ.ts'
import type { JwkSet } from '../protocol/jwk-set.ts'
import type { ClientType } from '../protocol/client-type.ts'
import { type Policy, policyOf } from '../protocol/policy.ts'
import { type ClientClaims, clientClaimsOf } from '../protocol/client-claims.ts'
import { expandPermissions } from '../protocol/permission.ts'
import type { ApplicationType } from '../protocol/redirect-uri.ts'
import { type Scope, scopesOf } from '../protocol/scope.ts'
import type { SigningAlg } from '../protocol/signing-alg.ts'
import type { Store } from '../database/store.ts'
import { prepared } from '../database/prepared.ts'
import { isUsableClient } from './usable.ts'
import type { Flag } from '../database/flag.ts'
import type { ClientRow } from '../database/schema.ts'
import type { Reading } from './in-transaction.ts'

export interface Service {
  code: string
  name: string
  audience: string
  /** What it wants access tokens to be signed with. */
  accessTokenAlg: SigningAlg
  accessTokenTyp: AccessTokenTyp
}

/** A client secret as it is kept: its hash, and when it ends (epoch milliseconds; null: never). */
export interface Secret {
  hash: string
  expiresAt: number | null
}

/** A registered client (decisions 9). Lifetimes are seconds; undefined: the service's own setting. */
export interface Client extends ClientClaims {
  clientId: string
  type: ClientType
  applicationType: ApplicationType
  name: string
  /** False when it, or the organisation that it belongs to, is disabled. */
  active: boolean
  firstParty: boolean
  scopes: readonly Scope[]
  redirectUris: readonly string[]
  postLogoutRedirectUris: readonly string[]
  grantTypes: readonly string[]
  /** What an authorization request must have. */
  requireNonce: boolean
  requireState: boolean
  requirePkce: boolean
  /** The codes of the services assigned to it, the built-in `iam` among them. */
  services: readonly string[]
  /** The declared ones among the services, with their audiences. */
  declaredServices: readonly Service[]
  /** The allow-list, wildcard written out; undefined: none, so all that the role has (a machine then has none). */
  permissions: readonly string[] | undefined
  secrets: readonly Secret[]
  /** What it proves itself with by private_key_jwt: its keys, or where they are published. */
  jwks: JwkSet | undefined
  jwksUri: string | undefined
  organisationUuid: string | undefined
  clientUri: string | undefined
  backchannelLogoutUri: string | undefined
  accessTokenLifetime: number | undefined
  refreshIdleLifetime: number | undefined
  refreshAbsoluteLifetime: number | undefined
  /** How strongly people have to sign in to it. */
  policy: Policy | undefined
  /** The generation of a machine's tokens: moves when it can't be used any more, so that none counts again. */
  tokenGeneration: number
  /** Epoch milliseconds. */
  createdAt: number
}

/** The client with this id, active or not, from memory as long as nothing changed. */
export async function findClient(store: Reading, clientId: string): Promise<Client | undefined> {
  return await store.cache.get(`client ${clientId}`, () => readClient(store, clientId))
}

/** What a token needs of a client; the rest is for those who administer it. */
const columns = [
  'clients.client_id',
  'clients.type',
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
  'clients.require_nonce',
  'clients.require_state',
  'clients.require_pkce',
  'clients.groups',
  'clients.claims',
  'clients.services',
  'clients.permissions',
  'clients.organisation_uuid',
  'clients.client_uri',
  'clients.backchannel_logout_uri',
  'clients.access_token_lifetime',
  'clients.refresh_idle_lifetime',
  'clients.refresh_absolute_lifetime',
  'clients.policy',
  'clients.token_generation',
  'clients.created_at',
] as const

/** A client with one of its secrets, or with none. */
interface Row extends Omit<ClientRow, 'allowed_origins' | 'logo_uri' | 'contacts' | 'updated_at'> {
  token_generation: number
  organisation_active: Flag | null
  secret_hash: string | null
  secret_expires_at: number | null
}

const selectClient = prepared<{ clientId: string }, Row>(
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
      .where('clients.client_id', '=', slot('clientId')) as Compilable<Row>,
)

async function readClient(store: Reading, clientId: string): Promise<Client | undefined> {
  const rows = await store.read(selectClient({ clientId }))
  return asClient(rows, await allServices(store))
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

/** Every service, from memory as long as nothing changed: they are few, and many clients have the same. */
export async function allServices(store: Reading): Promise<Service[]> {
  return await store.cache.get('services', () =>
    store.db
      .selectFrom('services')
      .select(['code', 'name', 'audience'])
      .select(['access_token_alg as accessTokenAlg', 'access_token_typ as accessTokenTyp'])
      .orderBy('code')
      .execute(),
  )
}

/** The client of these rows: all are of one, with a secret each. */
function asClient(rows: readonly Row[], declared: readonly Service[]): Client | undefined {
  const [row] = rows
  if (row === undefined) return undefined
  const services = textList(row.services)
  const permissions = row.permissions === null ? undefined : expandPermissions(textList(row.permissions))
  return {
    clientId: row.client_id,
    type: row.type,
    applicationType: row.application_type,
    name: row.client_name,
    active: isUsableClient(row),
    firstParty: row.first_party === 1,
    scopes: scopesOf(row.scope),
    redirectUris: textList(row.redirect_uris),
    postLogoutRedirectUris: textList(row.post_logout_redirect_uris),
    grantTypes: textList(row.grant_types),
    requireNonce: row.require_nonce === 1,
    requireState: row.require_state === 1,
    requirePkce: row.require_pkce === 1,
    ...clientClaimsOf(row, permissions),
    services,
    declaredServices: declared.filter(({ code }) => services.includes(code)),
    permissions,
    secrets: rows.flatMap(({ secret_hash: hash, secret_expires_at: expiresAt }) =>
      hash === null ? [] : [{ hash, expiresAt }],
    ),
    jwks: row.jwks === null ? undefined : (JSON.parse(row.jwks) as JwkSet),
    jwksUri: row.jwks_uri ?? undefined,
    organisationUuid: row.organisation_uuid ?? undefined,
    clientUri: row.client_uri ?? undefined,
    backchannelLogoutUri: row.backchannel_logout_uri ?? undefined,
    accessTokenLifetime: row.access_token_lifetime ?? undefined,
    refreshIdleLifetime: row.refresh_idle_lifetime ?? undefined,
    refreshAbsoluteLifetime: row.refresh_absolute_lifetime ?? undefined,
    policy: policyOf(row.policy),
    tokenGeneration: row.token_generation,
    createdAt: row.created_at,
  }
}

/** Reads a column that holds a JSON list of strings. */
export function textList(json: string): string[] {
  const list: unknown = JSON.parse(json)
  return Array.isArray(list) ? list.filter((one) => typeof one === 'string') : []
}
