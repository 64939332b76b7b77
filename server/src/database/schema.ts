import type { Flag } from './flag.ts'
import type { Account, Seen } from './schema-account.ts'
import type { Factors, FactorTables } from './schema-factors.ts'
import type { MailTables } from './schema-mail.ts'
import type { AuditTables } from './schema-audit.ts'
import type { Generated } from 'kysely'
import type { client } from '../catalogue/client.ts'
import type { organisation } from '../catalogue/organisation.ts'
import type { permission } from '../catalogue/permission.ts'
import type { profile } from '../catalogue/profile.ts'
import type { role } from '../catalogue/role.ts'
import type { service } from '../catalogue/service.ts'
import type { RowOf, Thing } from '../catalogue/thing.ts'
import type { unit } from '../catalogue/unit.ts'
import type { user } from '../catalogue/user.ts'
import type { ManagedThingTable, ThingTable } from '../protocol/things.ts'
import type { SigningAlg } from '../protocol/signing-alg.ts'
import type {
  ClientPermissionRow,
  Credential,
  ImportRow,
  InstallationRow,
  InvitationRow,
  MakerRow,
  MemberRow,
  Ownership,
  PictureRow,
  RepeatableAnswerRow,
  SetupLinkRow,
  WaitingColumns,
  WordsRow,
} from './schema-admin.ts'
import type { UpstreamColumns, UpstreamTables } from './schema-upstream.ts'
import type { LimitRow, RefusedAddressRow, ThrottleRow } from './schema-limits.ts'
import type { WebhookDeliveryRow, WebhookOutboxRow, WebhookRow, WebhookSecretRow } from './schema-webhooks.ts'
import type {
  AuthorizationCodeRow,
  AuthorizationRequestRow,
  ConsentRow,
  DeviceCodeRow,
  LogoutNoticeRow,
  PushedRequestRow,
  TokenFamilyRow,
} from './schema-tokens.ts'

/**
 * The tables. Both databases hold the same: text and bigint, epoch milliseconds that were passed in, flags as
 * 0 or 1, lists as JSON text that is read and written in this room alone.
 */
export type Schema = {
  [T in keyof Tables]: Tables[T] &
    (T extends VersionedTable ? Versioned : unknown) &
    (T extends 'clients' ? Tokens & Entered & DocumentRead : unknown) &
    (T extends 'sessions' | 'token_families' ? Moving : unknown) &
    (T extends ManagedTable ? Managed : unknown) &
    (T extends CredentialTable ? Credential : unknown) &
    (T extends 'users' ? Factors & Account & Ownership : unknown) &
    (T extends 'profiles' ? WaitingColumns : unknown) &
    (T extends keyof UpstreamColumns ? UpstreamColumns[T] : unknown) &
    (T extends 'sessions' ? Seen : unknown)
}

/** A table whose rows are changed on condition of the version that was read. */
type VersionedTable = ThingTable | 'installation'

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

/** The entry to a client. */
export interface Entered {
  /** What of `allowed` was removed since, by lists; null: nothing. */
  allowed_removed: Generated<string | null>
}

/** What a client that is a document may authenticate by; what else it says has the columns of every client. */
export interface DocumentRead {
  /** A list; null: it is none, or nothing was read. */
  document_methods: Generated<string | null>
}

/** When the document of a client was read, in epoch milliseconds. What it says stands in the client's own row. */
export interface ClientDocumentRow {
  client_id: string
  fetched_at: number | null
  fresh_until: Generated<number>
  tried_at: Generated<number>
  /** A process asks for it. */
  busy: Generated<Flag>
  /** Why the last attempt failed. */
  failure: string | null
  /** The time since which its host says that there is none. */
  gone_at: number | null
}

/** What has an end that moves while it is in use. */
export interface Moving {
  /** Its end as it was known last, by which the sweep finds it. 0: to be looked at. */
  known_end: Generated<number>
}

/** The rows without what the store derives by itself. */
export interface Tables extends AuditTables, FactorTables, MailTables, UpstreamTables {
  services: ServiceRow
  permissions: PermissionRow
  roles: RoleRow
  role_permissions: RolePermissionRow
  organisations: OrganisationRow
  units: UnitRow
  users: UserRow
  /** SHA-256 of the uuids that people had who were removed: no import gives one to somebody else. */
  removed_users: { hash: string }
  profiles: ProfileRow
  clients: ClientRow
  client_origins: { origin: string; client_id: string }
  /** Where clients of the type `proxied` are: each origin is one client's alone. */
  proxied_origins: { origin: string; client_id: string }
  client_secrets: ClientSecretRow
  /** A subject of an issuer is one client's, among those of an organisation or of none: see `subjectKey`. */
  federated_subjects: { key: string; client_id: string }
  client_documents: ClientDocumentRow
  signing_keys: SigningKeyRow
  /** Public keys of other services, which verifiers alone use. */
  foreign_keys: ForeignKeyRow
  sessions: SessionRow
  devices: DeviceRow
  authorization_requests: AuthorizationRequestRow
  pushed_requests: PushedRequestRow
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
  imports: ImportRow
  pictures: PictureRow
  webhooks: WebhookRow
  webhook_secrets: WebhookSecretRow
  webhook_deliveries: WebhookDeliveryRow
  webhook_outbox: WebhookOutboxRow
}

/**
 * A row as the catalogue has the thing, without what its table derives or gets besides. Lists are JSON text; a client has
 * names of RFC 7591 where it has them.
 */
type RowAs<T extends Thing, Besides extends string = 'managed_by'> = {
  -readonly [C in keyof RowOf<T> as Exclude<C, Besides>]: RowOf<T>[C]
}

export type ServiceRow = RowAs<typeof service>
export type PermissionRow = RowAs<typeof permission>

export type RoleRow = RowAs<typeof role, 'managed_by' | 'permissions'>

/** `permission` is a permission's code or the wildcard `iam.*`. */
export interface RolePermissionRow {
  role_code: string
  permission: string
}

export type OrganisationRow = RowAs<typeof organisation, 'managed_by' | 'accepts' | 'break_glass'>

export type UnitRow = RowAs<typeof unit>

/** Besides the catalogue's: columns of `schema-account`, `schema-factors` and `schema-admin`. */
type BesidesOfUser =
  | 'managed_by'
  | 'password_temporary'
  | 'enrolment_required'
  | 'deletion_at'
  | 'unproved_since'
  | 'former_sub'
  | 'last_sign_in_on'

export interface UserRow extends RowAs<typeof user, BesidesOfUser> {
  /** The e-mail address as it is compared: see `emailKey`. */
  email_key: string
  /** What the declared file set last: as long as it says the same, a password changed since stays. */
  declared_password_hash: string | null
  last_profile_uuid: string | null
}

export type ProfileRow = RowAs<typeof profile>
export type ClientRow = RowAs<typeof client, 'managed_by' | 'allowed_removed'>

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

export interface ForeignKeyRow {
  kid: string
  public_jwk: string
  created_at: number
  published_until: number
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
