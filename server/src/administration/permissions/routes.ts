import * as z from 'zod'
import { newColumns } from '../../catalogue/columns.ts'
import { permission } from '../../catalogue/permission.ts'
import { newBody, schemaOf, shownSchema } from '../../catalogue/schemas.ts'
import { iamPermissions, iamService, isPermission, serviceOf } from '../../protocol/permission.ts'
import { notFound, Problem } from '../../protocol/problem.ts'
import type { Row } from '../by.ts'
import {
  createPermission,
  deletePermission,
  listPermissions,
  readPermission,
  shownPermission,
  updatePermission,
} from './verbs.ts'
import { isFound } from '../search.ts'
import type { Authority } from '../authority.ts'
import { pairCursor, pairCursorText } from '../cursor.ts'
import { code, pageOf, paging, search } from '../fields.ts'
import { answerWith, createdAnswer, madeAnswer, route, type Route } from '../route.ts'

const shape = shownSchema(permission).extend({
  built_in: z.boolean().describe('Of the administration API itself; it can not be changed.'),
})

export const permissionSchemas = { Permission: shape, PermissionPage: pageOf(shape) }

const permissionPatch = z.strictObject({
  description: schemaOf(permission.description.kind).nullable().optional(),
})

type Shown = z.output<typeof shape>

const actions: Readonly<Record<string, string>> = {
  read: 'See',
  create: 'Add',
  update: 'Change',
  delete: 'Remove',
}

function builtIn(one: string): Shown {
  const [, resource = '', action = ''] = one.split('.')
  const description = `${actions[action] ?? action} ${resource} by the administration API`
  return { code: one, service_code: iamService, description, built_in: true }
}

const oneAnswer = (row: Row<'permissions'>) => answerWith(shownPermission(row), row)
const newAnswer = (row: Row<'permissions'>) => madeAnswer(oneAnswer(row), `/permissions/${row.code}`)

/** The code of the path; what is none, or is out of sight, names nothing. */
function permissionOf(text: string, { sees }: Authority): string {
  if (!isPermission(text) || (sees !== undefined && !sees.includes(text))) throw notFound('permission')
  return text
}

function refuseBuiltIn(code: string): void {
  if (serviceOf(code) !== iamService) return
  throw new Problem('forbidden', 'The service iam is built in; its permissions can not be changed.')
}

/** Those of the built-in service, which no table holds, come before the others. */
function builtInPage(
  authority: Authority,
  { q, after, limit }: { q: string | undefined; after: string; limit: number },
): { items: Shown[]; more: boolean } {
  const seen = iamPermissions
    .filter((one) => (authority.sees?.includes(one) ?? true) && one > after)
    .toSorted()
    .map(builtIn)
    .filter((one) => isFound(q, one.code, one.description))
  return { items: seen.slice(0, limit), more: seen.length > limit }
}

export const permissionRoutes: Route[] = [
  route({
    method: 'GET',
    path: '/permissions',
    permission: 'iam.permissions.read',
    summary: 'List permissions',
    description:
      'Those of the built-in service `iam` first, then the others by code. An administrator of an organisation sees those that they hold.',
    answers: 'PermissionPage',
    query: z.strictObject({ q: search('description'), service_code: code.optional(), ...paging }),
    async handle({ service, by, query: { q, service_code: serviceCode, cursor, limit } }) {
      const [kind = 'built-in', after = ''] = pairCursor(cursor) ?? []
      const asksBuiltIn = kind === 'built-in' && (serviceCode ?? iamService) === iamService
      const first = asksBuiltIn ? builtInPage(by.authority, { q, after, limit }) : { items: [], more: false }
      const last = first.items.at(-1)
      if (first.more && last !== undefined) {
        const next = pairCursorText(['built-in', last.code])
        return { status: 200, body: { items: first.items, next_cursor: next } }
      }
      const filter = { within: by.authority.sees, serviceCode, search: q }
      const from = kind === 'built-in' ? undefined : after
      const room = limit - first.items.length
      const { rows, next } = await listPermissions(service.store, filter, from, room)
      const items = [...first.items, ...rows.map(shownPermission)]
      return {
        status: 200,
        body: { items, next_cursor: pairCursorText(next === undefined ? next : ['declared', next]) },
      }
    },
  }),
  route({
    method: 'POST',
    path: '/permissions',
    permission: 'iam.permissions.create',
    summary: 'Add a permission to a service',
    description: 'For administrators of the whole installation.',
    answers: 'Permission',
    refusals: ['conflict', 'forbidden', 'managed_by_file'],
    body: newBody(permission),
    async handle({ service, by, body, repeatable }) {
      refuseBuiltIn(body.code)
      const columns = newColumns(permission, body)
      const created = await createPermission(service.store, by, columns, repeatable(newAnswer))
      return createdAnswer(created, newAnswer)
    },
  }),
  route({
    method: 'GET',
    path: '/permissions/:code',
    permission: 'iam.permissions.read',
    summary: 'Read a permission',
    answers: 'Permission',
    async handle({ service, by, param }) {
      const own = permissionOf(param('code'), by.authority)
      if (iamPermissions.includes(own)) return { status: 200, body: builtIn(own) }
      const row = await readPermission(service.store, own)
      if (row === undefined) throw notFound('permission')
      return oneAnswer(row)
    },
  }),
  route({
    method: 'PATCH',
    path: '/permissions/:code',
    permission: 'iam.permissions.update',
    summary: 'Describe a permission otherwise',
    description: 'For administrators of the whole installation.',
    answers: 'Permission',
    refusals: ['forbidden', 'managed_by_file'],
    body: permissionPatch,
    async handle({ service, by, body, param, versions }) {
      const own = permissionOf(param('code'), by.authority)
      refuseBuiltIn(own)
      const change = { code: own, versions, description: body.description === null ? '' : body.description }
      return oneAnswer(await updatePermission(service.store, by, change))
    },
  }),
  route({
    method: 'DELETE',
    path: '/permissions/:code',
    permission: 'iam.permissions.delete',
    summary: 'Remove a permission',
    description:
      'Also from the roles that give it and the clients that list it. For administrators of the whole installation.',
    answers: undefined,
    refusals: ['forbidden', 'managed_by_file'],
    async handle({ service, by, param, versions }) {
      const own = permissionOf(param('code'), by.authority)
      refuseBuiltIn(own)
      await deletePermission(service.store, by, { code: own, versions })
      return { status: 204 }
    },
  }),
]
