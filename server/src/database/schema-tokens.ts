import type { Generated } from 'kysely'
import type { Flag } from './flag.ts'

export interface AuthorizationRequestRow {
  id: string
  browser_hash: string
  client_id: string
  redirect_uri: string
  /** The checked parameters, as JSON. */
  parameters: string
  /** The session that this request's own sign-in step made; null until then. */
  signed_in_sid: string | null
  profile_uuid: string | null
  consented: Flag
  created_at: number
  expires_at: number
}

/** An authorization request that a client pushed: checked, and not bound to a browser. */
export interface PushedRequestRow
  extends Pick<AuthorizationRequestRow, 'client_id' | 'redirect_uri' | 'parameters' | 'created_at'> {
  /** SHA-256 of the part of the request_uri that is random. */
  hash: string
  /** When it can not be opened any more. */
  expires_at: number
}

export interface AuthorizationCodeRow {
  id: string
  secret_hash: string
  client_id: string
  user_uuid: string
  sid: string
  profile_uuid: string
  redirect_uri: string
  code_challenge: string
  nonce: string
  scope: string
  resource: string | null
  auth_time: number
  acr: string
  amr: string
  proofs: string
  /** The thumbprint of the key that has to exchange it; null: no key is demanded. */
  jkt: string | null
  created_at: number
  expires_at: number
  consumed_at: number | null
  family_id: string | null
}

export interface DeviceCodeRow {
  id: string
  secret_hash: string
  user_code: string
  client_id: string
  scope: string
  resource: string | null
  /** `approved`: the authorization code with this id says by whom. */
  state: 'pending' | 'approved' | 'denied'
  /** How long the device has to wait between two requests, ms. */
  poll_interval: number
  next_poll_at: number
  created_at: number
  expires_at: number
}

export interface TokenFamilyRow {
  id: string
  client_id: string
  user_uuid: string
  sid: string
  profile_uuid: string
  scope: string
  resource: string | null
  auth_time: number
  acr: string
  amr: string
  proofs: string
  /** The thumbprint of the key that each refresh has to prove; null: none. */
  jkt: string | null
  /** SHA-256 of the part of the token that stays: proves that a token, however old, is of this family. */
  family_hash: string
  /** SHA-256 of the part that every rotation replaces. */
  current_hash: string
  /** What was replaced within the grace period, as JSON: `{hash, salt, at}[]`. */
  predecessors: string
  created_at: number
  last_used_at: number
  /** The earlier of the idle end and the absolute one. */
  idle_expires_at: number
  expires_at: number
  revoked_at: number | null
  revoked_reason: string | null
}

export interface ConsentRow {
  user_uuid: string
  client_id: string
  scope: string
  /** JSON lists, as are the two below. */
  services: Generated<string>
  permissions: Generated<string>
  redirect_hosts: Generated<string>
  claims: Generated<string>
  /** What services that it calls may do elsewhere: codes of services and permissions. */
  onward: Generated<string>
  granted_at: number
  /** The organisation under whose upstream's proof it was given: another proof is asked again. Null: it counts for all. */
  reach: Generated<string | null>
}

export interface LogoutNoticeRow {
  id: string
  client_id: string
  uri: string
  sub: string
  sid: string
  attempts: number
  next_at: number
  created_at: number
}
