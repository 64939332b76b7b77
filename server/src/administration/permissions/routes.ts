import * as z from 'zod'
import { newColumns } from '../../catalogue/columns.ts'
import { permission } from '../../catalogue/permission.ts'
import { newBody, schemaOf, shownSchema } from '../../catalogue/schemas.ts'
import { iamPermissions, iamService, serviceOf } from '../../protocol/permission.ts'
import { Problem } from '../../protocol/problem.ts'
import type { Authority } from '../authority.ts'
import { code, pageOf, search } from '../fields.ts'
import { emptyPage, firstOf, type Page } from '../../database/page.ts'
import { changeRoute, createRoute, listed, listRoute, readRoute, removeRoute } from '../resource-routes.ts'
import type { Route } from '../route.ts'
import { isFound } from '../search.ts'
import {
  createPermission,
  deletePermission,
  listPermissions,
  permissions,
  updatePermission,
} from './verbs.ts'

const shape = shownSchema(permission).extend({
  built_in: z.boolean().describe('Of the administration API itself; it can not be changed.'),
})

export const permissionSchemas = { Permission: shape, PermissionPage: pageOf(shape) }

const permissionPatch = z.strictObject({
  description: schemaOf(permission.description.kind).nullable().optional(),
})

type ShownPermission = z.output<typeof shape>

const actions: Readonly<Record<string, string>> = {
  read: 'See',
  create: 'Add',
  update: 'Change',
  delete: 'Remove',
}

function builtIn(one: string): ShownPermission {
  const [, resource = '', action = ''] = one.split('.')
  const description = `${actions[action] ?? action} ${resource} by the administration API`
  return { code: one, service_code: iamService, description, built_in: true }
}

function refuseBuiltIn(code: string): void {
  if (serviceOf(code) !== iamService) return
  throw new Problem('forbidden', 'The service iam is built in; its permissions can not be changed.')
}

/** The page of the built-in service's permissions, which no table holds. It comes before the others. */
function builtInPage(
  { sees }: Authority,
  search: string | undefined,
  after: string,
  limit: number,
): Page<ShownPermission> {
  const seen = iamPermissions
    .filter((one) => (sees?.includes(one) ?? true) && one > after)
    .toSorted()
    .map(builtIn)
    .filter((one) => isFound(search, one.code, one.description))
  return firstOf(seen, limit, ({ code }) => ['built-in', code])
}

export const permissionRoutes: Route[] = [
  listRoute({
    ...listed(permissions),
    file: shape,
    summary: 'List permissions',
    example: '--service press',
    columns: ['code', 'description', 'built_in'],
    description:
      'Those of the built-in service `iam` first, then the others by code. An administrator of an organisation sees those that they hold.',
    query: { q: search('description'), service_code: code.optional() },
    shown: (one: object) => one,
    async rows({ service, by, query: { q, service_code }, after, limit }) {
      const [kind = 'built-in', from = ''] = after(2) ?? []
      const asksBuiltIn = kind === 'built-in' && (service_code ?? iamService) === iamService
      const own = asksBuiltIn ? builtInPage(by.authority, q, from, limit) : emptyPage
      if (own.next !== undefined) return own
      const filter = { within: by.authority.sees, service_code, q }
      const begin = kind === 'built-in' ? undefined : [from]
      const { rows, next } = await listPermissions(service.store, filter, begin, limit - own.rows.length)
      return { rows: [...own.rows, ...rows.map(permissions.shown)], next: next && ['declared', ...next] }
    },
  }),
  createRoute(permissions, {
    summary: 'Add a permission to a service',
    example: "press.label.print --description 'Print a label'",
    named: 'code',
    description: 'For administrators of the whole installation.',
    refusals: ['conflict', 'forbidden', 'managed_by_file'],
    body: newBody(permission),
    async make({ service, by, body }, repeatable) {
      refuseBuiltIn(body.code)
      return await createPermission(service.store, by, newColumns(permission, body), repeatable)
    },
  }),
  readRoute(permissions, {
    summary: 'Read a permission',
    example: 'press.label.print',
    builtIn: (own) => (iamPermissions.includes(own) ? builtIn(own) : undefined),
  }),
  changeRoute(permissions, {
    summary: 'Describe a permission otherwise',
    example: "press.label.print --description 'Print one label'",
    description: 'For administrators of the whole installation.',
    refusals: ['forbidden', 'managed_by_file'],
    body: permissionPatch,
    async change({ service, by, body: { description } }, one) {
      refuseBuiltIn(one.id)
      return await updatePermission(service.store, by, one, description === null ? '' : description)
    },
  }),
  removeRoute(permissions, {
    summary: 'Remove a permission',
    description:
      'Also from the roles that give it and the clients that list it. For administrators of the whole installation.',
    refusals: ['forbidden', 'managed_by_file'],
    async remove({ service, by }, one) {
      refuseBuiltIn(one.id)
      await deletePermission(service.store, by, one)
    },
  }),
]
