/**
 * The one list of what is administered. Permissions, paths, tables, keys, kinds of audit records, what a declared file
 * manages and the nouns of the command come from it. Its order is that of the permissions.
 */

/** A thing that there are many of: people add, change and remove it. */
interface Collection {
  /** Its table, the address of its list, and the middle of its permissions. */
  readonly many: string
  /** The column, and the parameter of its address, that names one. */
  readonly key: 'uuid' | 'code' | 'client_id'
  /** What it is, as the help of the command says it. */
  readonly about: string
  /** What it is a part of: a declared file manages both together. */
  readonly partOf?: string
  /** The thing has no name in declared files. */
  readonly undeclared?: true
  /** The audit has kinds of its own for it, and no `created`, `changed` and `removed`. */
  readonly ownKinds?: true
}

/** A thing that is always there, and so is only changed. */
interface Singleton {
  readonly many: string
  /** What it is, with `the` before. */
  readonly settled: string
}

/** What has permissions alone. */
interface Other {
  readonly many: string
}

export const administered = {
  user: { many: 'users', key: 'uuid', about: 'The people who sign in.' },
  organisation: {
    many: 'organisations',
    key: 'uuid',
    about: 'Organisations, in which people have profiles.',
  },
  unit: { many: 'units', key: 'uuid', about: 'Units of organisations: a tree.', partOf: 'organisation' },
  profile: {
    many: 'profiles',
    key: 'uuid',
    about: 'Profiles: the roles that people hold, and where.',
    partOf: 'user',
  },
  role: { many: 'roles', key: 'code', about: 'Roles: what a profile lets somebody do.' },
  permission: { many: 'permissions', key: 'code', about: 'Permissions of services.', partOf: 'service' },
  service: { many: 'services', key: 'code', about: 'Protected services, with their audiences.' },
  client: {
    many: 'clients',
    key: 'client_id',
    about: 'Clients: the applications and machines that get tokens.',
  },
  session: { many: 'sessions' },
  factor: { many: 'factors' },
  consent: { many: 'consents' },
  signing_key: { many: 'keys' },
  audit: { many: 'audit' },
  access: { many: 'access' },
  upstream: {
    many: 'upstreams',
    key: 'uuid',
    about: 'Upstreams: the providers by which people of organisations sign in.',
  },
  directory: {
    many: 'directories',
    key: 'uuid',
    about: 'Directories, which provision people by SCIM.',
    partOf: 'organisation',
  },
  domain: {
    many: 'domains',
    key: 'uuid',
    about: 'Domains, whose addresses an organisation speaks for.',
    partOf: 'organisation',
  },
  link: { many: 'links' },
  webhook: {
    many: 'webhooks',
    key: 'uuid',
    about: 'Webhooks: who is sent what the audit records.',
    undeclared: true,
  },
  invitation: {
    many: 'invitations',
    key: 'uuid',
    about: 'People who are asked to join: there is no user before they accept.',
    ownKinds: true,
  },
  policy: { many: 'policy', settled: 'policy of the installation' },
  mail: { many: 'mails' },
  branding: { many: 'branding', settled: 'branding of the installation' },
  break_glass: { many: 'break-glass', settled: 'break-glass list of the installation' },
  assertion_issuers: {
    many: 'assertion-issuers',
    settled: 'list of issuers whose tokens prove clients',
  },
  statistics: { many: 'statistics' },
  setting: { many: 'settings' },
  declared: { many: 'declared' },
} as const satisfies Record<string, Collection | Singleton | Other>

type All = typeof administered
/** The names of those that are so. */
type Those<Are> = { [N in keyof All]: All[N] extends Are ? N : never }[keyof All]

export type ThingName = Those<Collection>
export type SettledName = Those<Singleton>
/** Things that the audit has as created, changed and removed. */
export type AuditedName = Exclude<ThingName, Those<{ ownKinds: true }>>

type Things = { [N in ThingName]: All[N] }
export type ThingTable = Things[ThingName]['many']
/** The tables of things that a declared file names at its top, and not within another. */
export type ManagedThingTable = Things[Exclude<
  ThingName,
  Those<{ partOf: string }> | Those<{ undeclared: true }>
>]['many']
/** A thing, its address below /admin/v1, and what names one. */
export type ThingAddress = {
  [N in AuditedName]: { thing: N; path: `/${All[N]['many']}`; key: All[N]['key'] }
}[AuditedName]

const entries = Object.entries<Collection | Singleton | Other>(administered)

/** What has permissions: the middle of each. */
export const resources: readonly string[] = entries.map(([, { many }]) => many)

export const things = Object.fromEntries(entries.filter(([, one]) => 'key' in one)) as Readonly<
  Record<ThingName, Collection>
>
export const thingNames = Object.keys(things) as ThingName[]

/** What is always there, with `the` before. */
export const settledThings = Object.fromEntries(
  entries.flatMap(([name, one]) => ('settled' in one ? [[name, one.settled]] : [])),
) as Readonly<Record<SettledName, string>>
