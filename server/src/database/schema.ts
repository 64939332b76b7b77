import type { Flag } from './flag.ts'
import type { Account, Seen } from './schema-account.ts'
import type { Factors, FactorTables } from './schema-factors.ts'
import type { MailTables } from './schema-mail.ts'
import type { AuditTables } from './schema-audit.ts'
import type { Generated } from 'kysely'
import type { OptionalClaim } from '../protocol/claims.ts'
import type { ClientType } from '../protocol/client-type.ts'
import type { AccessTokenTyp } from '../protocol/access-token-typ.ts'
import type { ManagedThingTable, ThingTable } from '../protocol/things.ts'
import type { SigningAlg } from '../protocol/signing-alg.ts'
import type {
  ClientPermissionRow,
  Credential,
  InstallationRow,
  InvitationRow,
  MakerRow,
  MemberRow,
  Ownership,
  PictureRow,
  RepeatableAnswerRow,
  SetupLinkRow,
  Waiting,
  WordsRow,
} from './schema-admin.ts'
import type { LimitRow, RefusedAddressRow, ThrottleRow } from './schema-limits.ts'
import type { WebhookDeliveryRow, WebhookOutboxRow, WebhookRow, WebhookSecretRow } from './schema-webhooks.ts'
import type {
  AuthorizationCodeRow,
  AuthorizationRequestRow,
  ConsentRow,
  DeviceCodeRow,
  LogoutNoticeRow,
  TokenFamilyRow,
} from './schema-tokens.ts'

/**
 * The tables. Both databases hold the same: text and bigint, epoch milliseconds that were passed in, flags as
 * 0 or 1, lists as JSON text that is read and written in this room alone.
 */
export type Schema = {
  [T in keyof Tables]: Tables[T] &
    (T extends Administered ? Versioned : unknown) &
    (T extends 'clients' ? Tokens : unknown) &
    (T extends 'sessions' | 'token_families' ? Moving : unknown) &
    (T extends ManagedTable ? Managed : unknown) &
    (T extends CredentialTable ? Credential : unknown) &
    (T extends 'users' ? Factors & Account & Ownership : unknown) &
    (T extends 'profiles' ? Waiting : unknown) &
    (T extends 'sessions' ? Seen : unknown)
}

/** What is changed on condition of the version that was read. */
type Administered = ThingTable | 'installation'

export interface Versioned {
  /** Moves with every change. */
  version: Generated<number>
}

/** The tables that a declared file names at its top, and not within another. */
export type ManagedTable = ManagedThingTable | 'installation'

/** The tables whose rows prove who somebody is. */
export type CredentialTable = 'users' | 'clients' | 'client_secrets'

export interface Managed {
  /** The name of the declared file that manages it; null: none does. */
  managed_by: Generated<string | null>
}

export interface Tokens {
  /** A machine's token is of the generation that it was made in, and counts as long as that is the machine's. */
  token_generation: Generated<number>
}

/** What has an end that moves while it is in use. */
export interface Moving {
  /** Its end as it was known last, by which the sweep finds it. 0: to be looked at. */
  known_end: Generated<number>
}

/** The rows without what the store derives by itself. */
export interface Tables extends AuditTables, FactorTables, MailTables {
  services: ServiceRow
  permissions: PermissionRow
  roles: RoleRow
  role_permissions: RolePermissionRow
  organisations: OrganisationRow
  units: UnitRow
  users: UserRow
  profiles: ProfileRow
  clients: ClientRow
  client_origins: { origin: string; client_id: string }
  client_secrets: ClientSecretRow
  signing_keys: SigningKeyRow
  sessions: SessionRow
  devices: DeviceRow
  authorization_requests: AuthorizationRequestRow
  authorization_codes: AuthorizationCodeRow
  device_codes: DeviceCodeRow
  token_families: TokenFamilyRow
  revoked_tokens: { jti: string; expires_at: number }
  client_assertions: { key: string; expires_at: number }
  refused_addresses: RefusedAddressRow
  consents: ConsentRow
  throttles: ThrottleRow
  limits: LimitRow
  /** `catalogue`: of what processes keep in memory. `generation`: when everything from before was ended last. */
  revisions: { name: string; value: number }
  /** What is set for all, as JSON: the rows `policy` and `branding`. */
  installation: InstallationRow
  logout_notices: LogoutNoticeRow
  makers: MakerRow
  members: MemberRow
  client_permissions: ClientPermissionRow
  words: WordsRow
  repeatable_answers: RepeatableAnswerRow
  setup_links: SetupLinkRow
  invitations: InvitationRow
  pictures: PictureRow
  webhooks: WebhookRow
  webhook_secrets: WebhookSecretRow
  webhook_deliveries: WebhookDeliveryRow
  webhook_outbox: WebhookOutboxRow
}

export interface ServiceRow {
  code: string
  name: string
  audience: string
  access_token_alg: SigningAlg
  access_token_typ: AccessTokenTyp
}

export interface PermissionRow {
  code: string
  service_code: string
  description: string
}

export interface RoleRow {
  code: string
  name: string
  active: Flag
  /** How strongly people sign in for it, as JSON; null: nothing is set. So with organisations and clients. */
  policy: string | null
}

/** `permission` is a permission's code or the wildcard `iam.*`. */
export interface RolePermissionRow {
  role_code: string
  permission: string
}

export interface OrganisationRow {
  uuid: string
  code: string
  name: string
  active: Flag
  policy: string | null
  /** How it looks to people, as JSON; null: nothing is set. */
  branding: string | null
}

export interface UnitRow {
  uuid: string
  organisation_uuid: string
  parent_uuid: string | null
  code: string
  name: string
  active: Flag
}

export interface UserRow extends Record<OptionalClaim, string | null> {
  uuid: string
  email: string
  /** The e-mail address as it is compared: see `emailKey`. */
  email_key: string
  email_verified: Flag
  name: string
  password_hash: string | null
  /** What the declared file set last: as long as it says the same, a password changed since stays. */
  declared_password_hash: string | null
  active: Flag
  last_profile_uuid: string | null
  created_at: number
  updated_at: number
}

export interface ProfileRow {
  uuid: string
  user_uuid: string
  role_code: string
  organisation_uuid: string | null
  unit_uuid: string | null
  active: Flag
  expires_at: number | null
}

/** Names of RFC 7591 where it has them. The columns that end in no `_at` and hold lists are JSON text. */
export interface ClientRow {
  client_id: string
  type: ClientType
  application_type: 'web' | 'native'
  client_name: string
  active: Flag
  first_party: Flag
  scope: string
  redirect_uris: string
  post_logout_redirect_uris: string
  grant_types: string
  /** The client's public keys, as JSON; or where they are published. */
  jwks: string | null
  jwks_uri: string | null
  require_nonce: Flag
  require_state: Flag
  require_pkce: Flag
  /** How the claim `groups` is made; null: of role codes. */
  groups: string | null
  claims: string
  services: string
  /** The allow-list of permissions; null: no list, all that the role has. */
  permissions: string | null
  organisation_uuid: string | null
  allowed_origins: string
  client_uri: string | null
  logo_uri: string | null
  contacts: string
  backchannel_logout_uri: string | null
  /** Seconds; null: the service's own setting. */
  access_token_lifetime: number | null
  refresh_idle_lifetime: number | null
  refresh_absolute_lifetime: number | null
  policy: string | null
  created_at: number
  updated_at: number
}

export interface ClientSecretRow {
  id: string
  client_id: string
  secret_hash: string
  created_at: number
  expires_at: number | null
}

export interface SigningKeyRow {
  kid: string
  alg: SigningAlg
  public_jwk: string
  /** PKCS #8, encrypted with the service's secret. */
  private_key: string
  created_at: number
  signs_from: number
  /** Null while no successor signs. */
  published_until: number | null
}

export interface SessionRow {
  /** Travels in tokens; never changes while the session lives. */
  sid: string
  /** SHA-256 of the cookie; changes at every step up. */
  cookie_hash: string
  user_uuid: string
  auth_time: number
  acr: string
  amr: string
  /** JSON of what they are computed from. `[]`: written by a version before. */
  proofs: string
  created_at: number
  last_seen_at: number
  expires_at: number
  ended_at: number | null
}

export interface DeviceRow {
  id_hash: string
  user_uuid: string
  created_at: number
  last_used_at: number
}
