/** What would make somebody able to do something: changes that can be asked for as they stand here. */
import * as z from 'zod'
import type { ClientFacts, ClientWithin, HeldByRow } from '../access/holders.ts'
import { permissionsOf, type Place, withinReach } from '../access/reach.ts'
import type { ChainLink } from '../access/explain.ts'
import { rowOf, rowsOf } from '../database/rows.ts'
import type { UserRow } from '../database/schema.ts'
import { Problem } from '../protocol/problem.ts'
import { iamService, iamWildcard, serviceOf } from '../protocol/permission.ts'
import { type Scope, scopesOf, signInScope } from '../protocol/scope.ts'
import { textList } from '../store/clients.ts'
import { enters, listsIn } from '../store/entry.ts'
import type { By, Transacting } from './by.ts'
import { clientRoutes } from './clients/routes.ts'
import { organisationRoutes } from './organisations/routes.ts'
import { profileRoutes } from './profiles/routes.ts'
import { roleRoutes } from './roles/routes.ts'
import type { RouteRequest, Method } from './route.ts'
import { unitRoutes } from './units/routes.ts'
import { userRoutes } from './users/routes.ts'

export const remedy = z.object({
  mends: z.string().describe('The `check` of the chain.'),
  method: z.enum(['POST', 'PATCH']),
  path: z.string().describe('Below `/admin/v1`. A PATCH needs `If-Match`.'),
  body: z.record(z.string(), z.unknown()),
  gives: z.array(z.string()).describe('What else comes with it, as permissions; to this person alone.'),
  allowed: z.boolean().describe('Whether you can do it now; it was tried out.'),
  by: z.enum(['you', 'organisation', 'installation']).describe('Who can, at the least.'),
  refusal: z.string().nullable().describe('Why you can not.'),
})

type Remedy = z.output<typeof remedy>
type Wanted = Pick<Remedy, 'method' | 'path' | 'body'> & { gives?: string[]; everybody?: true }

/** What the case is about. */
export interface Case {
  permission: string
  user?: UserRow | undefined
  profile?: (HeldByRow & { permissions: readonly string[] }) | undefined
  client?: ClientWithin | undefined
  /** The scopes that are asked for; undefined: all that the client may. */
  requested?: readonly Scope[] | undefined
}

const most = 3
const routes = [
  ...userRoutes,
  ...profileRoutes,
  ...roleRoutes,
  ...organisationRoutes,
  ...unitRoutes,
  ...clientRoutes,
]

/** The links that another profile makes hold. */
const byProfiles = new Set(['role_has_permission', 'profile_at_client_organisation', 'profile_allowed'])

const power = ({ everybody, gives = [] }: Wanted) => (everybody === true ? 1000 : 0) + gives.length

/** Up to three changes, those that give the least first. Where several links fail, each has one before any has two. */
export async function remediesOf(
  asked: RouteRequest,
  about: Case,
  chain: readonly ChainLink[],
): Promise<Remedy[]> {
  const found = new Map<string, Wanted & { mends: string }>()
  for (const { check: mends } of chain.filter((one) => !one.holds)) {
    // A body shows what the client has.
    const ofClient = /^(client|service|scope)_/.test(mends)
    if (ofClient && !asked.by.authority.permissions.has('iam.clients.read')) continue
    const wanted = mending(about, mends)
    if (byProfiles.has(mends)) wanted.push(...(await otherProfiles(asked, about)))
    if (mends === 'profile_allowed') wanted.push(...letIn(asked, about))
    // One change may mend several links, such as an organisation of both the profile and the client.
    for (const one of wanted) {
      const key = JSON.stringify([one.path, one.body])
      if (!found.has(key)) found.set(key, { ...one, mends })
    }
  }
  const least = [...found.values()].toSorted((a, b) => power(a) - power(b))
  const ofSame = (one: { mends: string }) => least.filter(({ mends }) => mends === one.mends)
  const rank = (one: (typeof least)[number]) => ofSame(one).indexOf(one)
  const chosen = least.toSorted((a, b) => rank(a) - rank(b)).slice(0, most)
  const remedies: Remedy[] = []
  for (const { everybody: _, gives = [], ...one } of chosen) {
    const refused = await refusalOf(asked, one)
    const by = refused === undefined ? 'you' : whoCan(refused, asked, about, one)
    const refusal = refused?.description ?? null
    remedies.push({ ...one, gives, allowed: refused === undefined, by, refusal })
  }
  return remedies
}

/** The narrowest administrators who can do it, where the caller is refused. */
function whoCan(
  refused: Problem,
  { by }: RouteRequest,
  { profile, client }: Case,
  { path, body }: Wanted,
): Remedy['by'] {
  const { organisation_uuid, unit_uuid } = by.authority.reach
  const isOfOrganisation = organisation_uuid !== undefined && unit_uuid === undefined
  // The change takes more than they hold in the organisation, or reaches beyond it. Which of both is not told.
  if (isOfOrganisation && refused.code !== 'insufficient_scope') return 'installation'
  if (/^\/(roles|organisations)\//.test(path)) return 'installation'
  const owner = path.startsWith('/clients/')
    ? client?.organisation_uuid
    : (body['organisation_uuid'] ?? profile?.organisation_uuid)
  return owner ? 'organisation' : 'installation'
}

const pathOf = (client: ClientFacts) => `/clients/${encodeURIComponent(client.client_id)}`

/** What makes a link hold that fails; nothing where no single change does. */
function mending({ permission, user, profile, client, requested }: Case, check: string): Wanted[] {
  const patch = (path: string, body: Wanted['body'], everybody?: true): Wanted[] => [
    { method: 'PATCH', path, body, ...(everybody && { everybody }) },
  ]
  const enable = { active: true }
  if (check === 'user_active') return user ? patch(`/users/${user.uuid}`, enable) : []
  if (profile !== undefined) {
    const { uuid, role_code: role, organisation_uuid: organisation, unit_uuid: unit } = profile
    if (check === 'profile_active') return patch(`/profiles/${uuid}`, enable)
    if (check === 'profile_not_expired') return patch(`/profiles/${uuid}`, { expires_at: null })
    if (check === 'role_active') return patch(`/roles/${role}`, enable, true)
    if (check === 'organisation_active') return patch(`/organisations/${organisation}`, enable, true)
    if (check === 'unit_active') return patch(`/units/${unit}`, enable, true)
  }
  if (client === undefined) return []
  const patchClient = (body: Wanted['body']) => patch(pathOf(client), body, true)
  if (check === 'client_active') return patchClient(enable)
  if (check === 'client_organisation_active')
    return patch(`/organisations/${client.organisation_uuid}`, enable, true)
  if (check === 'service_assigned')
    return patchClient({ services: [...textList(client.services), serviceOf(permission)] })
  if (check === 'client_allows_permission')
    return patchClient({ permissions: [...textList(client.permissions ?? '[]'), permission] })
  if (check === 'scope_assigned' || check === 'service_api_requested')
    return lackedScopes(
      client,
      requested ?? [...(user ? [signInScope(scopesOf(client.scope))] : []), 'service.api'],
    )
  return []
}

/** The scopes that the client lacks. What it may ask for and does not, it alone can change. */
function lackedScopes(client: ClientFacts, requested: readonly Scope[]): Wanted[] {
  const assigned = scopesOf(client.scope)
  const lacked = requested.filter((one) => !assigned.some((has) => has === one))
  if (lacked.length === 0) return []
  const body = { scope: [...assigned, ...lacked].join(' ') }
  return [{ method: 'PATCH', path: pathOf(client), body, everybody: true }]
}

/**
 * Another profile, by the roles that give the permission and the least besides: at the same place, or where the client
 * wants it. Or more by the role that they have.
 */
async function otherProfiles(
  { service, by }: RouteRequest,
  { permission, user, profile, client }: Case,
): Promise<Wanted[]> {
  if (user === undefined || profile === undefined || !by.authority.permissions.has('iam.roles.read'))
    return []
  const { db } = service.store
  const listings = serviceOf(permission) === iamService ? [permission, iamWildcard] : [permission]
  const giving = await rowsOf(db, 'role_permissions', { permission: listings }).limit(50).execute()
  const codes = [...new Set(giving.map((row) => row.role_code))]
  const active = await rowsOf(db, 'roles', { code: [...codes, ''], active: 1 }).execute()
  const given: Wanted[] = []
  const { sees } = by.authority
  const place = await placeFor(db, by, profile, client)
  if (place === undefined) return []
  const isElsewhere =
    place.organisation_uuid !== profile.organisation_uuid ||
    place.organisation_unit_uuid !== profile.unit_uuid
  const has = new Set(isElsewhere ? [] : profile.permissions)
  const letIn = client?.entry?.roles
  for (const { code } of active.filter((role) => letIn?.has(role.code) ?? true)) {
    const permissions = await permissionsOf(db, code)
    if (sees !== undefined && !permissions.every((one) => sees.includes(one))) continue
    const gives = permissions.filter((one) => one !== permission && !has.has(one))
    const body = { user_uuid: user.uuid, role_code: code, ...place }
    given.push({ method: 'POST', path: '/profiles', body, gives })
  }
  if (sees !== undefined || profile.permissions.includes(permission)) return given
  const listed = await rowsOf(db, 'role_permissions', { role_code: profile.role_code }).execute()
  const permissions = [...listed.map((row) => row.permission), permission].sort()
  return [
    ...given,
    { method: 'PATCH', path: `/roles/${profile.role_code}`, body: { permissions }, everybody: true },
  ]
}

/**
 * Where they could have a profile that the client takes: where this one is, or at the first place that it takes, of its
 * organisation and within the reach of the caller. Undefined: there is none.
 */
async function placeFor(
  db: Transacting,
  { authority }: By,
  { organisation_uuid, unit_uuid }: HeldByRow,
  client: ClientWithin | undefined,
) {
  const owner = client?.organisation_uuid ?? null
  const isWithin = await withinReach(db, authority.reach)
  const taken = (place: Place) =>
    (owner === null || place.organisation_uuid === owner) &&
    (client === undefined ||
      enters({ role_code: '', ...place }, { roles: undefined, places: client.entry?.places }))
  const places: Place[] = [
    { organisation_uuid, unit_uuid },
    { organisation_uuid: owner, unit_uuid: null },
  ]
  for (const uuid of [...(client?.entry?.places ?? [])].slice(0, 20)) {
    const unit = await rowOf(db, 'units', { uuid })
    places.push({ organisation_uuid: unit?.organisation_uuid ?? uuid, unit_uuid: unit?.uuid ?? null })
  }
  const [first] = places.filter((place, index) => taken(place) && (index === 0 || isWithin(place)))
  return first && { organisation_uuid: first.organisation_uuid, organisation_unit_uuid: first.unit_uuid }
}

/** The role of the profile among those that the client lets in. */
function letIn({ by }: RouteRequest, { profile, client }: Case): Wanted[] {
  const { roles, ...others } = listsIn(client?.allowed)
  if (client === undefined || profile === undefined || !roles || roles.includes(profile.role_code)) return []
  if (!by.authority.permissions.has('iam.clients.read')) return []
  const allowed = { roles: [...new Set([...roles, profile.role_code])].sort(), ...others }
  return [{ method: 'PATCH', path: pathOf(client), body: { allowed }, everybody: true }]
}

/** Why the caller can't do it now; undefined: they can. The change is tried out. */
async function refusalOf(
  asked: RouteRequest,
  { method, path, body }: Pick<Remedy, 'path' | 'body'> & { method: Method },
): Promise<Problem | undefined> {
  const [, list = '', id = ''] = path.split('/')
  const route = routes.find(
    (one) => one.method === method && (id === '' ? one.path === path : one.path.startsWith(`/${list}/:`)),
  )
  if (route === undefined) throw new Error(`There is no route ${method} ${path}.`)
  try {
    if (route.permission !== undefined) asked.by.authority.requires(route.permission)
    const query = new URLSearchParams({ dry_run: 'true' })
    await route.answer(
      { ...asked, versions: undefined, param: () => decodeURIComponent(id) },
      { query, body },
    )
    return undefined
  } catch (error) {
    if (error instanceof Problem) return error
    throw error
  }
}
