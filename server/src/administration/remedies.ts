/** What would make somebody able to do something: changes that can be asked for as they stand here. */
import * as z from 'zod'
import type { ClientFacts, HeldByRow } from '../access/holders.ts'
import { permissionsOf } from '../access/reach.ts'
import type { Link } from '../access/explain.ts'
import { rowsOf } from '../database/rows.ts'
import type { UserRow } from '../database/schema.ts'
import { Problem } from '../protocol/problem.ts'
import { iamService, iamWildcard, serviceOf } from '../protocol/permission.ts'
import { textList } from '../store/clients.ts'
import { clientRoutes } from './clients/routes.ts'
import { organisationRoutes } from './organisations/routes.ts'
import { profileRoutes } from './profiles/routes.ts'
import { roleRoutes } from './roles/routes.ts'
import type { Asked, Method } from './route.ts'
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
  client?: ClientFacts | undefined
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

/** Up to three changes, those that give the least first. Where several links fail, each needs its own. */
export async function remediesOf(asked: Asked, about: Case, chain: readonly Link[]): Promise<Remedy[]> {
  const found: (Wanted & { mends: string })[] = []
  for (const { check: mends } of chain.filter((one) => !one.holds)) {
    // A body shows what the client has.
    if (/^(client|service)_/.test(mends) && !asked.by.authority.permissions.has('iam.clients.read')) continue
    const wanted = mends === 'role_has_permission' ? await otherRoles(asked, about) : mending(about, mends)
    found.push(...wanted.map((one) => ({ ...one, mends })))
  }
  const power = ({ everybody, gives = [] }: Wanted) => (everybody === true ? 1000 : 0) + gives.length
  const remedies: Remedy[] = []
  for (const { everybody, gives = [], ...one } of found
    .toSorted((a, b) => power(a) - power(b))
    .slice(0, most)) {
    const refusal = await refusalOf(asked, one)
    const ofPlace =
      everybody !== true && (about.profile?.organisation_uuid ?? about.client?.organisation_uuid)
    const other = ofPlace ? 'organisation' : 'installation'
    const by = refusal === null ? 'you' : other
    remedies.push({ ...one, gives, allowed: refusal === null, by, refusal })
  }
  return remedies
}

/** What makes a link hold that fails; nothing where no single change does. */
function mending({ permission, user, profile, client }: Case, check: string): Wanted[] {
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
  const path = `/clients/${client.client_id}`
  if (check === 'client_active') return patch(path, enable, true)
  if (check === 'service_assigned')
    return patch(path, { services: [...textList(client.services), serviceOf(permission)] }, true)
  if (check === 'client_allows_permission')
    return patch(path, { permissions: [...textList(client.permissions ?? '[]'), permission] }, true)
  return []
}

/** Another profile at the same place, by the roles that give the permission and the least besides; or more by the role. */
async function otherRoles({ service, by }: Asked, about: Case): Promise<Wanted[]> {
  const { permission, user, profile } = about
  if (user === undefined || profile === undefined || !by.authority.permissions.has('iam.roles.read'))
    return []
  const { db } = service.store
  const listings = serviceOf(permission) === iamService ? [permission, iamWildcard] : [permission]
  const giving = await rowsOf(db, 'role_permissions', { permission: listings }).limit(50).execute()
  const codes = [...new Set(giving.map((row) => row.role_code))]
  const active = await rowsOf(db, 'roles', { code: [...codes, ''], active: 1 }).execute()
  const given: Wanted[] = []
  const { sees } = by.authority
  const place = { organisation_uuid: profile.organisation_uuid, organisation_unit_uuid: profile.unit_uuid }
  const has = new Set(profile.permissions)
  for (const { code } of active) {
    const permissions = await permissionsOf(db, code)
    if (sees !== undefined && !permissions.every((one) => sees.includes(one))) continue
    const gives = permissions.filter((one) => one !== permission && !has.has(one))
    const body = { user_uuid: user.uuid, role_code: code, ...place }
    given.push({ method: 'POST', path: '/profiles', body, gives })
  }
  if (sees !== undefined) return given
  const listed = await rowsOf(db, 'role_permissions', { role_code: profile.role_code }).execute()
  const permissions = [...listed.map((row) => row.permission), permission].sort()
  return [
    ...given,
    { method: 'PATCH', path: `/roles/${profile.role_code}`, body: { permissions }, everybody: true },
  ]
}

/** Why the caller can't do it now; null: they can. The change is tried out. */
async function refusalOf(
  asked: Asked,
  { method, path, body }: Pick<Remedy, 'path' | 'body'> & { method: Method },
): Promise<string | null> {
  const [, list = '', id = ''] = path.split('/')
  const route = routes.find(
    (one) => one.method === method && (id === '' ? one.path === path : one.path.startsWith(`/${list}/:`)),
  )
  if (route === undefined) throw new Error(`There is no route ${method} ${path}.`)
  try {
    if (route.permission !== undefined) asked.by.authority.requires(route.permission)
    const query = new URLSearchParams({ dry_run: 'true' })
    await route.answer({ ...asked, versions: undefined, param: () => id }, { query, body })
    return null
  } catch (error) {
    if (error instanceof Problem) return error.description
    throw error
  }
}
