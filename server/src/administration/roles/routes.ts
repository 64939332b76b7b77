import { changedColumns, newColumns } from '../../catalogue/columns.ts'
import { role } from '../../catalogue/role.ts'
import { newBody, patchBody, shownSchema } from '../../catalogue/schemas.ts'
import { flag, pageOf, search } from '../fields.ts'
import { changeRoute, createRoute, listed, listRoute, readRoute, removeRoute } from '../resource-routes.ts'
import type { Route } from '../route.ts'
import { createRole, deleteRole, listRoles, roles, updateRole } from './verbs.ts'

const shown = shownSchema(role)

export const roleSchemas = { Role: shown, RolePage: pageOf(shown) }

export const roleRoutes: Route[] = [
  listRoute({
    ...listed(roles),
    file: shown,
    summary: 'List roles',
    example: '--search au',
    columns: ['code', 'name', 'active', 'permissions'],
    description: 'By code. An administrator of an organisation sees the roles that they may give.',
    query: { q: search(), active: flag.optional() },
    rows: ({ service, by, query, after, limit }) =>
      listRoles(service.store, { within: by.authority.sees, ...query }, after(1), limit),
  }),
  createRoute(roles, {
    summary: 'Add a role',
    example: 'auditor --name Auditor --permission iam.audit.read --permission iam.users.read',
    named: 'code',
    description: 'For administrators of the whole installation.',
    refusals: ['conflict', 'forbidden'],
    body: newBody(role),
    make: ({ service, by, body }, repeatable) =>
      createRole(service.store, by, newColumns(role, body), repeatable),
  }),
  readRoute(roles, { summary: 'Read a role', example: 'auditor' }),
  changeRoute(roles, {
    summary: 'Change or disable a role',
    example: 'auditor --add-permission iam.access.read --remove-permission iam.users.read',
    description:
      'And with it what everybody may do who holds it. Disabling ends the tokens that were issued under it at once. For administrators of the whole installation.',
    refusals: ['conflict', 'forbidden', 'last_administrator', 'managed_by_file'],
    body: patchBody(role),
    change: ({ service, by, body }, one) => updateRole(service.store, by, one, changedColumns(role, body)),
  }),
  removeRoute(roles, {
    summary: 'Remove a role',
    description:
      'With every profile that holds it; the tokens that were issued under them end at once. For administrators of the whole installation.',
    refusals: ['conflict', 'forbidden', 'last_administrator', 'managed_by_file'],
    remove: ({ service, by }, one) => deleteRole(service.store, by, one),
  }),
]
