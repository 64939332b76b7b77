import type { Scope } from '../protocol/scope.ts'
import type { SigningAlg } from '../protocol/signing-alg.ts'

/**
 * What a declared file says, checked and with its defaults written out; only `readDeclaredFile` makes one.
 * Names of things that are referred to are codes; `line` is where a thing stands in the file.
 */
export interface Declared {
  file: string
  services: DeclaredService[]
  roles: DeclaredRole[]
  organisations: DeclaredOrganisation[]
  users: DeclaredUser[]
  clients: DeclaredClient[]
}

export interface DeclaredService {
  line: number
  code: string
  name: string
  audience: string
  accessTokenAlg: SigningAlg
  permissions: { code: string; description: string }[]
}

export interface DeclaredRole {
  line: number
  code: string
  name: string
  active: boolean
  /** Codes, or the wildcard `iam.*`. */
  permissions: string[]
}

export interface DeclaredOrganisation {
  line: number
  code: string
  /** Undefined: the stored one, or a new one. */
  uuid: string | undefined
  name: string
  active: boolean
  units: DeclaredUnit[]
}

export interface DeclaredUnit {
  line: number
  code: string
  uuid: string | undefined
  name: string
  active: boolean
  /** The code of a unit of the same organisation. */
  parent: string | undefined
}

export interface DeclaredUser {
  line: number
  email: string
  uuid: string | undefined
  name: string
  givenName: string | undefined
  familyName: string | undefined
  preferredUsername: string | undefined
  picture: string | undefined
  locale: string | undefined
  zoneinfo: string | undefined
  /** Undefined: what is stored; a new user then has none. */
  password: { plain: string } | { hash: string } | undefined
  /** Undefined: what is stored; false for a new user or a new address. */
  emailVerified: boolean | undefined
  active: boolean
  profiles: DeclaredProfile[]
}

export interface DeclaredProfile {
  line: number
  uuid: string | undefined
  role: string
  organisation: string | undefined
  unit: string | undefined
  active: boolean
  /** Epoch milliseconds. */
  expiresAt: number | undefined
}

export interface DeclaredClient {
  line: number
  clientId: string
  name: string
  type: 'public' | 'machine'
  applicationType: 'web' | 'native'
  active: boolean
  firstParty: boolean
  redirectUris: string[]
  postLogoutRedirectUris: string[]
  scopes: Scope[]
  grantTypes: string[]
  services: string[]
  /** Undefined: no allow-list, so all that the role has. A machine always has a list. */
  permissions: string[] | undefined
  organisation: string | undefined
  allowedOrigins: string[]
  clientUri: string | undefined
  logoUri: string | undefined
  contacts: string[]
  backchannelLogoutUri: string | undefined
  /** Undefined: the file is silent, and what is stored stays. */
  secrets: DeclaredSecret[] | undefined
  accessTokenLifetime: number | undefined
  refreshIdleLifetime: number | undefined
  refreshAbsoluteLifetime: number | undefined
}

export interface DeclaredSecret {
  /** As `hashSecret` makes it. */
  hash: string
  /** Epoch milliseconds; null: never. */
  expiresAt: number | null
}
