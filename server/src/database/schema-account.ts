import type { Generated } from 'kysely'
import type { Flag } from './flag.ts'

/** What people do with their account. */
export interface Account {
  /** 1: the password has to be changed at the next sign-in. */
  password_temporary: Generated<Flag>
  /** The subject in the system that the person was imported from. */
  former_sub: Generated<string | null>
  /** The import that they came by; null: none, or a version before. */
  import_uuid: Generated<string | null>
  /** When the account is removed, because its person asked for it; `active` is 0 until then. Null: it isn't. */
  deletion_at: Generated<number | null>
  /** The day of the last sign-in, UTC. Empty: none since that is noted. */
  last_sign_in_on: Generated<string>
}

/** What a person knows a session by. Null: it began with a version before. */
export interface Seen {
  /** Such as `Firefox, Linux`. */
  browser: Generated<string | null>
  /** The network address of the sign-in. */
  network: Generated<string | null>
}
