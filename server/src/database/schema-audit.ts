export interface AuditRecordRow {
  /** 1, 2, 3 without a gap. */
  sequence: number
  /** The hash of the record before. */
  previous: string
  hash: string
  /** By the key of the audit; null: somebody without it wrote the record. */
  mac: string | null
  at: number
  kind: string
  actor_kind: string
  actor_id: string | null
  actor_profile_uuid: string | null
  actor_role_code: string | null
  actor_organisation_uuid: string | null
  address: string | null
  request_id: string | null
  target_kind: string | null
  target_id: string | null
  user_uuid: string | null
  client_id: string | null
  sid: string | null
  organisation_uuid: string | null
  /** JSON objects. */
  before: string | null
  after: string | null
  detail: string | null
}
