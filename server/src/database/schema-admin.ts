import type { Generated } from 'kysely'
import type { ActorKind } from '../protocol/audit-kinds.ts'
import type { Flag } from './flag.ts'

export interface InstallationRow {
  name: string
  kept: string
}

/** A credential, or what was made along with it. */
export interface Credential {
  /**
   * 1: somebody set it who did not administer everything. Of a user: the account is unproved; of a client it is all that
   * can be written.
   */
  limited_reach: Generated<Flag>
}

/** The makers of an account that nobody has proved. */
export interface Ownership {
  /** What is mailed to the present address from then on proves it; null: it is proved, or from a version before. */
  unproved_since: Generated<number | null>
  /** Ids of `makers` with spaces between: it gets no more than each of them could give. Null: nobody knows. */
  makers: Generated<string | null>
  /**
   * When an administrator, a file or a proof last set how one signs in: no undo gives back anything from before. Null:
   * not yet.
   */
  ranked_at: Generated<number | null>
}

export interface WaitingColumns {
  /**
   * Set for an unproved account. `waits`: it is more than its makers could give, and counts once the account is proved.
   * The others were there before that was asked, and count on: `counts` is more than any administrator of an
   * organisation could give, `before` is not. Null: it is not more.
   */
  beyond: Generated<Beyond | null>
}
export type Beyond = 'waits' | 'counts' | 'before'

/** Somebody limited who made an account, or set how one signs in to it, and what they could give then. */
export interface MakerRow {
  /** A hash of all else, so that those who made many accounts stand here once. */
  id: string
  kind: ActorKind
  actor_id: string | null
  /** The place that they administered; null: everywhere. */
  organisation_uuid: string | null
  unit_uuid: string | null
  /** Permissions with spaces between. */
  permissions: string
}

/** A user with a profile in an organisation, at a unit or below it; kept by `indexMembers`. */
export interface MemberRow {
  place_uuid: string
  user_uuid: string
  email_key: string
  active: Flag
  /** The day of their last sign-in; empty: none. */
  last_sign_in_on: Generated<string>
}

/** The words by which a user, an organisation or a client is found; kept by `indexWords`. */
export interface WordsRow {
  kind: 'user' | 'organisation' | 'client'
  id: string
  /** The organisation or unit where it is found; empty: everywhere. */
  place: string
  /** 1: the name from one of its later words on. */
  later: Flag
  /** The words as `nameKey` yields them. */
  words: string
  /** What orders it among those of the same words: an address, a code or a client_id. */
  key: string
}

/** A permission that a machine has now, if its organisation is active; kept by `indexClients`. */
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

/** Somebody who was invited. Its link is in `links`. */
export interface InvitationRow {
  uuid: string
  email: string
  email_key: string
  name: string | null
  locale: string | null
  /** JSON, as bodies have them. */
  profiles: string
  /** The one that all of these profiles are in; null: there is none such. */
  organisation_uuid: string | null
  client_id: string | null
  /** JSON. */
  invited_by: string
  /** One that is pending has expired when its end is over. */
  state: 'pending' | 'accepted' | 'withdrawn' | 'expired'
  created_at: number
  updated_at: number
  expires_at: number
}

/** What people came by at once. They name it, and it stays when they go. */
export interface ImportRow {
  uuid: string
  /** The name of the file. */
  name: string
  created_at: number
  /** JSON: the `kind` and `id` of the importer. */
  created_by: string
  /** The request under which the audit has all that it did. */
  request_id: string | null
  /** What they administered; null: everywhere. */
  organisation_uuid: string | null
  unit_uuid: string | null
}

/** A picture that is served from here, or one that is still to be fetched. */
export interface PictureRow {
  /** A hash of where it is fetched from, or of its bytes where it was uploaded. It is part of its address. */
  id: string
  /** The address that it is fetched from; null: it was uploaded. */
  address: string | null
  /** The user that it belongs to; null: it is a logo. */
  user_uuid: string | null
  /** Its media type, and its bytes as base64; null: it is not here yet. */
  type: string | null
  bytes: string | null
  /** Why it could not be fetched. */
  problem: string | null
  attempts: number
  /** When to fetch it, or to look whether anything still shows it. */
  next_at: number
}
