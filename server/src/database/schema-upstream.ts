/** The tables of sign-in through other providers, and of provisioning. */
import type { Generated } from 'kysely'
import type { directory } from '../catalogue/directory.ts'
import type { domain } from '../catalogue/domain.ts'
import type { RowOf } from '../catalogue/thing.ts'
import type { upstream } from '../catalogue/upstream.ts'
import type { Flag } from './flag.ts'

export interface UpstreamTables {
  upstreams: UpstreamRow
  upstream_states: UpstreamStateRow
  upstream_links: UpstreamLinkRow
  upstream_requests: UpstreamRequestRow
  upstream_trials: UpstreamTrialRow
  upstream_sessions: UpstreamSessionRow
  upstream_invitations: UpstreamInvitationRow
  domains: DomainRow
  directories: DirectoryRow
  directory_tokens: DirectoryTokenRow
  scim_resources: ScimResourceRow
  scim_members: ScimMemberRow
  scim_emails: ScimEmailRow
  profile_sources: ProfileSourceRow
  suspensions: SuspensionRow
}

/** What these tables add to others. */
export interface UpstreamColumns {
  organisations: {
    /** JSON: uuids of organisations. What their upstreams prove opens this one too. */
    accepts: Generated<string>
    /** JSON: uuids of the people who get in when the organisation's upstream does not. */
    break_glass: Generated<string>
  }
  users: {
    /** The organisation whose upstream's proof the password was set under: it opens no more. Null: everything. */
    password_reach: Generated<string | null>
    /** JSON: the fields that an upstream or a directory keeps, each with its uuid. */
    kept_by: Generated<string | null>
    /** The directory or upstream that disabled the account, and alone enables it again. Null: a person did, or nobody. */
    disabled_by: Generated<string | null>
  }
  factors: { reach: Generated<string | null> }
  trusted_devices: { reach: Generated<string | null> }
  recovery_codes: { reach: Generated<string | null> }
  profiles: {
    /** The end of what an upstream told of the profile, without another sign-in. Null: it rests on none. */
    counts_until: Generated<number | null>
    /** 1: a source says that nothing of the person counts in the organisation. */
    suspended: Generated<Flag>
  }
  directories: {
    /** 1: somebody who did not administer everything made a token of it. */
    limited_reach: Generated<Flag>
  }
}

/** `secret` and `private_key` are encrypted with the service's secret. */
export interface UpstreamRow
  extends Omit<{ -readonly [C in keyof RowOf<typeof upstream>]: RowOf<typeof upstream>[C] }, 'managed_by'> {
  private_key: string | null
}

/** What the service finds out about an upstream: no change of it. */
export interface UpstreamStateRow {
  upstream_uuid: string
  /** JSON: SAML metadata as it was read last. */
  documents: string | null
  fetched_at: number | null
  /** The time since which its documents can't be fetched and nobody gets through; null: they can. */
  failing_since: number | null
  /** Up to when the days of what rests on it stand still already. */
  stood_at: number | null
  problem: string | null
  last_sign_in_at: number | null
  last_sign_in_by: string | null
}

/** A person and who they are at an upstream. One person has one subject there, one subject is one person. */
export interface UpstreamLinkRow {
  upstream_uuid: string
  subject: string
  user_uuid: string
  created_at: number
  /** One: the person linked it by hand, from their account. */
  by_hand: Flag
  last_sign_in_at: number
  /** JSON: the groups as they were last known; null: never. */
  groups: string | null
  /** JSON: what rules by claim look at, as it was last known. */
  claims: string | null
  groups_at: number | null
  /** A hash of all that was told last: the same again changes nothing. */
  told: string | null
}

/** Somebody who was sent to an upstream. Removed by the one statement that takes it. */
export interface UpstreamRequestRow {
  /** SHA-256 of the state. */
  id: string
  upstream_uuid: string
  /** The authorization request, the trial, or what else it is for. */
  about: string
  purpose: 'sign_in' | 'link' | 'guest' | 'connect' | 'connected' | 'proof' | 'trial' | 'answer' | 'logout'
  browser_hash: string
  /** JSON: nonce, verifier, id of an AuthnRequest, what was asked for. Never the state. */
  data: string
  created_at: number
  expires_at: number
}

/** A sign-in through an upstream that is tried: nothing is written of it but what came of it. */
export interface UpstreamTrialRow {
  id: string
  /** SHA-256 of the secret in its address. */
  hash: string
  upstream_uuid: string
  /** What the upstream is a draft of, by which nobody is signed in yet. Null: it is one of `upstreams`. */
  draft_of: string | null
  /** JSON: the actor who asked for it. */
  made_by: string
  /** The page of ours that its page leads back to. */
  return_to: string | null
  /** The browser that opened it; no other can from then on. */
  browser_hash: string | null
  /** JSON: what came of it. */
  outcome: string | null
  created_at: number
  expires_at: number
}

/** A session here that was proved by a session at an upstream. */
export interface UpstreamSessionRow {
  sid: string
  upstream_uuid: string
  /** `sid` of the ID token, or SessionIndex; null: it named none. */
  upstream_sid: string | null
  subject: string
  /** The ID token, encrypted, where signing out goes both ways. */
  id_token: string | null
  expires_at: number
}

/** A link by which an organisation sets up its sign-in itself, and what was entered by it: a draft that counts nowhere. */
export interface UpstreamInvitationRow {
  uuid: string
  organisation_uuid: string
  /** SHA-256 of the link; of the cookie of the browser that opened it from then on. Null: it opens nothing any more. */
  hash: string | null
  state: 'open' | 'handed_in' | 'confirmed' | 'withdrawn'
  /** JSON: whose rights are asked at each use. */
  made_by: string
  /** The uuid that the upstream will have: addresses that are registered at the provider stay. */
  upstream_uuid: string
  /** JSON: what was entered, without secrets. */
  entry: string
  secret: string | null
  private_key: string | null
  /** SHA-256 of the token for SCIM, which counts once it is confirmed. */
  token_hash: string | null
  /** The last trial of what is entered now, and when it came to something good. */
  trial_id: string | null
  tried_at: number | null
  opened_at: number | null
  handed_in_at: number | null
  confirmed_at: number | null
  created_at: number
  updated_at: number
  expires_at: number
}

type Rows<T> = { -readonly [C in keyof T]: T[C] }

export type DomainRow = Rows<RowOf<typeof domain>>
export type DirectoryRow = Rows<RowOf<typeof directory>>

export interface DirectoryTokenRow {
  id: string
  directory_uuid: string
  hash: string
  created_at: number
  expires_at: number
  last_used_at: number | null
}

export interface ScimResourceRow {
  id: string
  directory_uuid: string
  kind: 'User' | 'Group'
  /** The userName or displayName without case. A userName is unique, the name of a Group is not. */
  name_key: string
  external_id: string | null
  /** JSON: the resource as it was sent, without members. */
  data: string
  /** The person; null: pending. */
  user_uuid: string | null
  active: Flag
  /** When the directory removed it. */
  deleted_at: number | null
  created_at: number
  updated_at: number
  version: Generated<number>
}

export interface ScimMemberRow {
  group_id: string
  user_id: string
}

/** The addresses of a User, by which a directory looks for it. */
export interface ScimEmailRow {
  user_id: string
  email_key: string
  /** The name without case; empty: the resource has none. */
  type: string
}

/** What gives a profile. A profile without a row was given by hand. */
export interface ProfileSourceRow {
  profile_uuid: string
  kind: 'hand' | 'upstream' | 'directory'
  /** The uuid of the upstream or directory; empty for `hand`. */
  source_uuid: string
}

/** A source says that nothing of a person counts in an organisation. */
export interface SuspensionRow {
  user_uuid: string
  organisation_uuid: string
  source_uuid: string
  created_at: number
}
