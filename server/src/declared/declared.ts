import type { Branding } from '../protocol/branding.ts'
import type { AssertionIssuer } from '../protocol/federated.ts'
import type { NewOf } from '../catalogue/thing.ts'
import type { Policy } from '../protocol/policy.ts'
import type { TotpSecret } from '../protocol/totp-secret.ts'
import type { ThingOf } from './kinds.ts'

/**
 * What a declared file says, checked; only `readDeclaredFile` makes one. Each thing has the fields that the catalogue
 * says, as bodies of the API have them; what is left out is not there. References are codes, and `line` is where a
 * thing stands in the file.
 */
export interface Declared {
  file: string
  /** The policy of the installation. Undefined: the file is silent, and what is stored stays. */
  policy: Policy | undefined
  branding: Branding | undefined
  /** The addresses of those who get in when the upstreams of the installation do not work. */
  break_glass: string[] | undefined
  /** The issuers; their `organisations` are codes. */
  assertion_issuers: AssertionIssuer[] | undefined
  services: DeclaredService[]
  roles: DeclaredRole[]
  organisations: DeclaredOrganisation[]
  /** The upstreams of the whole installation. Undefined: the file is silent, and what is stored stays. */
  upstreams: DeclaredUpstream[] | undefined
  users: DeclaredUser[]
  clients: DeclaredClient[]
  invitations: DeclaredInvitation[]
}

interface Line {
  line: number
}

interface Uuid {
  /** Undefined: the stored one, or a new one. */
  uuid: string | undefined
}

type DeclaredPermission = NewOf<ThingOf<'permission'>>

export type DeclaredService = NewOf<ThingOf<'service'>> & Line & { permissions: DeclaredPermission[] }

export type DeclaredRole = NewOf<ThingOf<'role'>> & Line

/** `accepts` are codes, `break_glass` addresses. A list left out is not the file's. */
export type DeclaredOrganisation = NewOf<ThingOf<'organisation'>> &
  Line &
  Uuid & {
    units: DeclaredUnit[]
    domains: string[] | undefined
    upstreams: DeclaredUpstream[] | undefined
    directories: DeclaredDirectory[] | undefined
  }

export type DeclaredUpstream = Omit<NewOf<ThingOf<'upstream'>>, 'organisation_uuid'> &
  Line & {
    /** Its secret there, which a new one brings along. */
    secret: string | undefined
  }

export type DeclaredDirectory = Omit<NewOf<ThingOf<'directory'>>, 'organisation_uuid'> & Line

export type DeclaredUnit = Omit<NewOf<ThingOf<'unit'>>, 'organisation_uuid'> &
  Line &
  Uuid & {
    /** The code of a unit of the same organisation. */
    parent: string | undefined
  }

/** `email_verified` left out: what is stored; false for a new user or a new address. */
export type DeclaredUser = NewOf<ThingOf<'user'>> &
  Line &
  Uuid & {
    /** Undefined: what is stored; a new user then has none. */
    password: { plain: string } | { hash: string } | undefined
    /** The secret of the authenticator app that a new user brings along. */
    totp: TotpSecret | undefined
    profiles: DeclaredProfile[]
  }

export type DeclaredProfile = Omit<NewOf<ThingOf<'profile'>>, 'user_uuid'> &
  Line &
  Uuid & { organisation: string | undefined; unit: string | undefined }

export type DeclaredClient = NewOf<ThingOf<'client'>> &
  Line & {
    organisation: string | undefined
    /** Undefined: the file is silent, and what is stored stays. */
    secrets: DeclaredSecret[] | undefined
  }

/** Its profiles have codes, as those of users. */
export type DeclaredInvitation = Pick<NewOf<ThingOf<'invitation'>>, 'email' | 'name' | 'locale'> &
  Line & { profiles: DeclaredInvitedProfile[] }

interface DeclaredInvitedProfile {
  role_code: string
  organisation: string | undefined
  unit: string | undefined
  expires_at: string | undefined
}

export interface DeclaredSecret {
  /** The output of `hashSecret`. */
  hash: string
  /** Epoch milliseconds; null: never. */
  expiresAt: number | null
}
