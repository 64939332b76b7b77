import type { Claims, NamedContext, OptionalClaim, ClaimPerson } from './claims.ts'
import { optionalClaims, reservedClaims, usernameOf } from './claims.ts'
import type { Scope } from './scope.ts'
import type { ValueProblem } from './values.ts'

/** Claims that a client is registered to get beside those of its scopes, and how its `groups` are made. */

export const claimPlaces = ['id_token', 'userinfo'] as const
export type ClaimPlace = (typeof claimPlaces)[number]

interface ClaimRule {
  name: string
  /** A rule has either a source or a constant value. */
  source?: ClaimSource | undefined
  value?: string | number | boolean | undefined
  in: readonly ClaimPlace[]
}

/** What groups are made from. */
export const groupsOrigins = ['role', 'organisation/role', 'permissions', 'map'] as const

export interface GroupsRule {
  from: (typeof groupsOrigins)[number]
  /** The service whose permissions are told, with `permissions`. */
  service?: string | undefined
  /** Names by role code or `organisation/role`, with `map`. */
  map?: Readonly<Record<string, readonly string[]>> | undefined
}

/** The default, where nothing is written. */
const plainGroups: GroupsRule = { from: 'role' }

/** Nobody has a group. */
export const noGroups: GroupsRule = { from: 'map', map: {} }

/** The claims of a client. */
export interface ClientClaims {
  claims: readonly ClaimRule[]
  /** `within`: its allow-list of permissions, where it has one. */
  groups: GroupsRule & { within?: readonly string[] | undefined }
}

/** What claims are made of: the person, their context, groups and scopes. */
export interface ClaimSubject {
  person: ClaimPerson
  context: NamedContext
  groups: readonly string[]
  scopes: readonly Scope[]
}

type ScopeSource = readonly [Scope, (subject: ClaimSubject) => Claims[string]]

const optionalSources = Object.fromEntries(
  optionalClaims.map((name): [OptionalClaim, ScopeSource] => [
    name,
    ['profile', ({ person }) => person[name] ?? undefined],
  ]),
) as Record<OptionalClaim, ScopeSource>

/** The sources of claims, each with the scope that shows as much, and its value. */
const sources = {
  sub: ['openid', ({ person }) => person.uuid],
  email: ['email', ({ person }) => person.email],
  name: ['profile', ({ person }) => person.name],
  ...optionalSources,
  preferred_username: ['profile', ({ person, scopes }) => usernameOf(person, scopes)],
  profile_uuid: ['openid', ({ context }) => context.held_uuid],
  role_code: ['openid', ({ context }) => context.role_code],
  role_name: ['openid', ({ context }) => context.role_name],
  organisation_uuid: ['openid', ({ context }) => context.organisation_uuid ?? undefined],
  organisation_code: ['openid', ({ context }) => context.organisation_code ?? undefined],
  organisation_name: ['openid', ({ context }) => context.organisation_name ?? undefined],
  organisation_unit_uuid: ['openid', ({ context }) => context.unit_uuid ?? undefined],
  organisation_unit_code: ['openid', ({ context }) => context.unit_code ?? undefined],
  organisation_unit_name: ['openid', ({ context }) => context.unit_name ?? undefined],
  groups: ['groups', ({ groups }) => groups],
} as const satisfies Record<string, ScopeSource>

export type ClaimSource = keyof typeof sources
export const claimSources = Object.keys(sources) as [ClaimSource, ...ClaimSource[]]

/** The scope by which a claim of a person is there. */
export function claimScope(claim: string): Scope | undefined {
  if (claim === 'email_verified') return 'email'
  if (claim === 'updated_at') return 'profile'
  const source = claimSources.find((one) => one === claim)
  const scope = source && sources[source][0]
  return scope === 'openid' ? undefined : scope
}

/** What is wrong with the name of a claim from this source. A claim of a person has its name from its own source alone. */
export const claimNameProblem =
  (source: ClaimSource | undefined): ValueProblem =>
  (name) => {
    // Names with an underscore first are of aggregated claims (OpenID Connect Core 1.0 §5.6.2).
    if (!/^[A-Za-z][A-Za-z0-9_.:/~-]{0,99}$/.test(name) || name in {})
      return 'is no name of a claim: letters, digits and _ . : / ~ - after a first letter, at most 100'
    const isOwn = name === source && sources[source][0] !== 'openid'
    return reservedClaims.has(name) && !isOwn
      ? 'is reserved; tokens have it with a meaning of its own'
      : undefined
  }

/** Such as `reader` or `acme/reader`. */
export const mapKeyProblem: ValueProblem = (key) =>
  /^[a-z0-9][a-z0-9-]{0,59}(\/[a-z0-9][a-z0-9-]{0,59})?$/.test(key)
    ? undefined
    : 'is neither the code of a role nor organisation/role'

/** Reads the columns. A name that came to be reserved since is left out. */
export function clientClaimsOf(
  row: { claims: string; groups: string | null },
  within: readonly string[] | undefined,
): ClientClaims {
  const groups = row.groups === null ? plainGroups : (JSON.parse(row.groups) as GroupsRule)
  const claims = (JSON.parse(row.claims) as ClaimRule[]).filter(
    ({ name, source }) => claimNameProblem(source)(name) === undefined,
  )
  return { claims, groups: { ...groups, within } }
}

/** The column of `groups` without these services: whoever had groups from one has none then. */
export function groupsWithout(column: string | null, gone: (service: string) => boolean): string | null {
  const { service } = column === null ? plainGroups : (JSON.parse(column) as GroupsRule)
  return service !== undefined && gone(service) ? JSON.stringify(noGroups) : column
}

const getsGroups = ({ claims }: ClientClaims, scopes: readonly Scope[]) =>
  scopes.includes('groups') || claims.some((one) => one.source === 'groups')

/** Whether there is something to make, for a client with these scopes. */
export const hasClientClaims = (client: ClientClaims, scopes: readonly Scope[]): boolean =>
  client.claims.length > 0 || scopes.includes('groups')

const ofPermissions = (service: string) => `permissions:${service}`

/** What of a person the claims tell beyond the scopes: sources, and `permissions:<service>` (decisions 10). */
export function toldBeyond(client: ClientClaims, scopes: readonly Scope[]): string[] {
  const told = new Set<string>()
  for (const { source } of client.claims)
    if (source !== undefined && !isShown(source, scopes)) told.add(source)
  const { service } = client.groups
  if (service !== undefined && getsGroups(client, scopes)) told.add(ofPermissions(service))
  return [...told].sort()
}

const isShown = (source: ClaimSource, scopes: readonly Scope[]) =>
  sources[source][0] === 'openid' || scopes.includes(sources[source][0])

/** The claims that a person allowed. */
export function claimsAllowed(
  { claims, groups }: ClientClaims,
  given: { scopes: readonly Scope[]; claims: readonly string[] },
): ClientClaims {
  const { service } = groups
  const allowsGroups = service === undefined || given.claims.includes(ofPermissions(service))
  return {
    claims: claims.filter(
      ({ source }) => source === undefined || isShown(source, given.scopes) || given.claims.includes(source),
    ),
    groups: allowsGroups ? groups : noGroups,
  }
}

/** The groups of somebody; `permissions` are those that they have at the service of the rule. */
export function groupsBy(
  { from, map = {} }: GroupsRule,
  { role_code, organisation_code }: NamedContext,
  permissions: readonly string[],
): readonly string[] {
  const placed = organisation_code === null ? role_code : `${organisation_code}/${role_code}`
  if (from === 'role') return [role_code]
  if (from === 'organisation/role') return [placed]
  if (from === 'permissions') return permissions
  const keys = new Set([role_code, placed])
  return [...new Set([...keys].flatMap((key) => (Object.hasOwn(map, key) ? (map[key] ?? []) : [])))]
}

/** A claim as it is made. */
export interface MadeClaim {
  name: string
  /** Undefined: there is none of this person. */
  value: Claims[string]
  source: ClaimSource | undefined
  in: readonly ClaimPlace[]
}

/** Makes the claims, and `groups` where the scope asks for them. */
export function makeClaims({ claims }: ClientClaims, subject: ClaimSubject): MadeClaim[] {
  const byScope = subject.scopes.includes('groups')
  const own = claims.filter(({ name }) => !(byScope && name === 'groups'))
  const made: MadeClaim[] = own.map(({ name, source, value, in: places }) => ({
    name,
    value: source === undefined ? value : sources[source][1](subject),
    source,
    in: places,
  }))
  if (byScope) made.push({ name: 'groups', value: subject.groups, source: 'groups', in: claimPlaces })
  return made
}
