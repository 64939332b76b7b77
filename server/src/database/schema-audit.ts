import type { Generated } from 'kysely'

export interface AuditTables {
  audit_records: AuditRecordTable
  audit_waiting: AuditWaitingTable
  audit_head: AuditHeadTable
  audit_months: AuditMonth
  audit_counts: AuditCount
  audit_verifications: AuditVerification
  /** One row, with the key that marks records, encrypted. */
  audit_keys: { name: string; kept: string }
}

/** What a record says. */
export interface AuditContent {
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

/** The columns of what a record says, in the order in which they are hashed. */
export const contentColumns = [
  'at',
  'kind',
  'actor_kind',
  'actor_id',
  'actor_profile_uuid',
  'actor_role_code',
  'actor_organisation_uuid',
  'address',
  'request_id',
  'target_kind',
  'target_id',
  'user_uuid',
  'client_id',
  'sid',
  'organisation_uuid',
  'before',
  'after',
  'detail',
] as const satisfies readonly (keyof AuditContent)[]

/** A record in the chain. */
export interface AuditRecordRow extends AuditContent {
  /** 1, 2, 3 without a gap. */
  sequence: number
  /** The hash of the record before. */
  previous: string
  hash: string
  /** The mark by the key of the audit; null: somebody without it wrote the record. */
  mac: string | null
}

export interface AuditRecordTable extends AuditRecordRow {
  /** The number under which it waited; null: it was written into the chain at once. */
  waited: Generated<number | null>
}

/** A record that was written with its change and is not yet linked to the chain. */
export interface AuditWaitingTable extends AuditContent {
  /** Grows: what was committed before another transaction began has a smaller one. */
  number: Generated<number>
  /** The mark by the key of the audit, of the content alone. */
  mac: string | null
}

export interface AuditHeadTable {
  name: string
  sequence: number
  hash: string
  /** The month that records are linked in, such as 2026-11; null: none was begun yet. */
  month: Generated<string | null>
}

/** A month that is over: where its records begin, and the head of the chain after the last of them. */
export interface AuditMonth {
  month: string
  first: number
  last: number
  hash: string
  /** The mark by the key of the audit. */
  mac: string
  /** Null: its records are in the database. */
  archived_at: number | null
  /** The mark by the key of the audit that tells an archived month from one that was removed. */
  archive_mac: string | null
}

/** What a check of the whole audit found. */
export interface AuditVerification {
  /** The last one, and the last one that found nothing wrong: the same row twice where that is one. */
  name: 'last' | 'whole'
  /** When it began. */
  at: number
  /** The `user@host` that ran it. */
  by: string
  /** The end of the chain; 0 with the hash before the first record: the row that tells it was gone. */
  sequence: number
  hash: string
  /** How many were checked. */
  records: number
  /** How much was wrong. */
  problems: number
  /** The mark by the key of the audit. */
  mac: string
}

/** Records of a kind in one hour that were linked in one month. The row without a kind says up to which sequence. */
export interface AuditCount {
  /** Empty: through any client or none. */
  client_id: string
  kind: string
  /** When it begins. */
  hour: number
  /** When the client was registered that had the name; -1: it was removed since, or the count is of any. */
  since: number
  month: string
  count: number
}
