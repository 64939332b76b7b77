import type { Flag } from './schema.ts'

/** That a user has a profile in an organisation, at a unit or below it; kept by `indexMembers`. */
export interface MemberRow {
  place_uuid: string
  user_uuid: string
  email_key: string
  name_key: string
  active: Flag
}

/** A name from one of its later words on, as `name_key` is; kept by triggers on what has the name. */
export interface WordsRow {
  words: string
}

/** That a machine may do something now, if its organisation is active; kept by triggers on `clients`. */
export interface ClientPermissionRow {
  client_id: string
  /** A permission's code or the wildcard `iam.*`. */
  permission: string
  client_name: string
  organisation_uuid: string | null
}

/** The answer to a request that may be sent again, and what it was asked with. */
export interface RepeatableAnswerRow {
  key_hash: string
  request_hash: string
  /** JSON. */
  answer: string
  expires_at: number
}

/** A link of `tessera setup --link`, by which the first administrator may be made once. */
export interface SetupLinkRow {
  id: string
  secret_hash: string
  created_at: number
  expires_at: number
  used_at: number | null
}
