/** The tables of second factors and passkeys, and of what a browser or a request holds of them. */
import type { Generated } from 'kysely'
import type { Flag } from './flag.ts'

export interface FactorTables {
  factors: FactorRow
  recovery_codes: RecoveryCodeRow
  trusted_devices: TrustedDeviceRow
  webauthn_challenges: WebauthnChallengeRow
}

/** What a user may have to prove, besides the password. */
export interface Factors {
  /** 1 while at least one confirmed factor is there, suspended ones too; kept by the verbs that confirm and remove. */
  second_factor: Generated<Flag>
  /** What passkeys name the person by (WebAuthn Level 3 §5.4.3), base64url; null before the first one. */
  user_handle: string | null
  /** 1: an administrator demands a factor, without grace. */
  enrolment_required: Generated<Flag>
  /** When a sign-in demanded a factor for the first time. */
  grace_began_at: number | null
}

export interface FactorRow {
  id: string
  user_uuid: string
  kind: 'totp' | 'passkey' | 'security_key'
  name: string
  created_at: number
  last_used_at: number | null
  /** Null: pending, in the session `pending_sid`. */
  confirmed_at: number | null
  pending_sid: string | null
  suspended_at: number | null
  /** Consecutive wrong ones. */
  failures: Generated<number>
  /** The secret of TOTP: JSON with algorithm, digits and period, encrypted with the service's secret. */
  secret: string | null
  /** The last step of TOTP that was accepted. */
  last_step: number | null
  /** The columns from here on are of a passkey or security key. */
  credential_id: string | null
  public_key: string | null
  sign_count: number | null
  backup_eligible: Flag | null
  backup_state: Flag | null
  transports: string | null
  aaguid: string | null
  rp_id: string | null
}

export interface RecoveryCodeRow {
  user_uuid: string
  number: number
  hash: string
  used_at: number | null
  /** 0: with a version before. */
  created_at: Generated<number>
}

export interface TrustedDeviceRow {
  id_hash: string
  user_uuid: string
  label: string
  /** When the second factor was proved, by which it ends. */
  proved_at: number
  last_used_at: number
}

/** Used by one statement that removes it. */
export interface WebauthnChallengeRow {
  id: string
  challenge: string
  purpose: string
  /** A hash of what the browser holds. */
  bound_to: string
  user_uuid: string | null
  expires_at: number
}
