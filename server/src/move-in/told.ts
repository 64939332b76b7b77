/**
 * `move-in/` owns reading the exports of other systems: bytes in, values out. It writes what `tessera apply` and
 * `tessera import` read, and a report. It never sees the database, and guesses nothing that lets somebody in.
 */

/** A file of an export; it is read more than once. */
export interface ExportFile {
  name: string
  bytes(): AsyncIterable<Buffer>
}

/** What the report tells: what came along, what did not, what somebody has to decide. */
export interface Remark {
  is: 'remark'
  section: 'came' | 'decide' | 'lost'
  /** A sentence, the same for each case of it. */
  what: string
  /** One case, such as a user name. Never a secret. */
  example: string
}

export const came = (what: string, example: string): Remark => ({
  is: 'remark',
  section: 'came',
  what,
  example,
})
export const decide = (what: string, example: string): Remark => ({
  is: 'remark',
  section: 'decide',
  what,
  example,
})
export const lost = (what: string, example: string): Remark => ({
  is: 'remark',
  section: 'lost',
  what,
  example,
})

/** What the other system calls itself: a realm, a tenant, a project. */
export interface ToldSystem {
  is: 'system'
  /** What stands before the codes of all that it has, because other systems move in as well. */
  prefix?: string | undefined
  name: string
  label?: string | undefined
  /** The least length of a password. */
  passwordLength?: number | undefined
  /** The role that everybody holds. */
  everybody?: string | undefined
  /** Whether people edit attributes that nothing tells of. */
  editsOthers?: boolean | undefined
}

export interface ToldOrganisation {
  is: 'organisation'
  /** What people name it by. */
  id: string
  name: string
  active?: boolean | undefined
}

/** A role. Nobody gets anything by one that nobody told of. */
export interface ToldRole {
  is: 'role'
  /** What the mapping names it by: `lesen`, or `zeit-portal/stempeln` of a client. No other role has it. */
  id: string
  /** Its own name; left out: the id, without its application. */
  name?: string | undefined
  /** The application or API that it is of; undefined: of the whole system. */
  of?: { id: string; name?: string | undefined } | undefined
  description?: string | undefined
  /** The ids of a composite's parts. */
  parts?: readonly string[] | undefined
  /** A role of the other system itself, which gives nothing here but its parts. */
  own?: boolean | undefined
  /** The role administers the other system. */
  administers?: boolean | undefined
}

/** A group: whoever is in it, or in one below it, holds its roles. */
export interface ToldGroup {
  is: 'group'
  id: string
  parent?: string | undefined
  roles: readonly string[]
}

/** Something that is known of people beside the claims. */
export interface ToldAttribute {
  is: 'attribute'
  name: string
  editableByPeople: boolean
}

/** A client, in the words of a declared file. */
export interface ToldClient {
  is: 'client'
  /** What it declares, without services and permissions. */
  declares: Readonly<Record<string, unknown>> & { client_id: string; type: 'public' | 'web' | 'machine' }
  /** The ids of the roles that it may use; undefined: of all. */
  within?: readonly string[] | undefined
  /** Addresses that name no single one. */
  wildcards: readonly string[]
  /** Whether people may come back after a sign-out to each of the redirect URIs. */
  returnsAnywhere?: boolean | undefined
  /** What it is taken to send, where the other system asks for neither PKCE nor a nonce; the mapping may say otherwise. */
  sends?: Sends | undefined
  /** A claim that tells the names of roles. */
  roleClaim?: RoleClaim | undefined
}

export const sendsValues = ['nonce', 'pkce'] as const
export type Sends = (typeof sendsValues)[number]

export interface RoleClaim {
  name: string
  in: readonly string[]
  /** The application whose roles it tells; undefined: those of the whole system. */
  of?: string | undefined
}

/** What a client was seen to use, where the other system kept records. */
export interface ToldRedirect {
  is: 'redirect'
  client_id: string
  uri: string
}

export type ToldStructure =
  | ToldSystem
  | ToldOrganisation
  | ToldRole
  | ToldGroup
  | ToldAttribute
  | ToldClient
  | ToldRedirect
  | Remark

/** Somebody, or a machine that holds roles. */
export interface ToldPerson {
  is: 'person'
  /** What the report calls them. */
  label: string
  /** A row of `tessera import`, without profiles. */
  row: Readonly<Record<string, unknown>>
  roles: readonly string[]
  groups: readonly string[]
  organisations: readonly string[]
  attributes: Readonly<Record<string, readonly string[]>>
}

/** What the account of a machine holds. */
export interface ToldMachine {
  is: 'machine'
  client_id: string
  roles: readonly string[]
  groups: readonly string[]
}

export interface SourceOptions {
  /** The domain of passkeys here: those of another stay behind. It is that of the export where that names none. */
  rpId?: string | undefined
}

/** An export that is read. Both may be asked more than once, and yield the same in the same order. */
export interface ToldExport {
  /** All but the people. */
  structure(): AsyncIterable<ToldStructure>
  /** The people, one by one. */
  people(): AsyncIterable<ToldPerson | ToldMachine | Remark>
}

/** Another system whose exports can be read. */
export type MoveInSource = (files: readonly ExportFile[], options: SourceOptions) => ToldExport
