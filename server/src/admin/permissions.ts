import * as z from 'zod'
import { iamPermissions, iamService, isPermission, serviceOf } from '../protocol/permission.ts'
import { notFound, Problem } from '../protocol/problem.ts'
import type { Row } from '../store/admin/change.ts'
import {
  createPermission,
  deletePermission,
  listPermissions,
  readPermission,
  updatePermission,
} from '../store/admin/permissions.ts'
import type { Actor } from './actor.ts'
import { pairCursor, pairCursorText } from './cursor.ts'
import { code, longText, pageOf, paging, permission, permissionStart } from './fields.ts'
import { type Answer, createdAnswer, route, type Route } from './route.ts'

const shape = z.object({
  code: permission.describe('`<service>.<resource>.<action>`; never changes.'),
  service_code: code,
  description: z.string(),
  built_in: z.boolean().describe('Of the administration API itself; it can not be changed.'),
})

const newPermission = z.strictObject({ code: permission, description: longText(1000).optional() })
const permissionPatch = z.strictObject({ description: longText(1000).nullable().optional() })

export const permissionSchemas = { Permission: shape, PermissionPage: pageOf(shape) }

type Shown = z.output<typeof shape>

const shown = (row: Row<'permissions'>): Shown => ({
  code: row.code,
  service_code: row.service_code,
  description: row.description,
  built_in: false,
})

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

const answerWith = (row: Row<'permissions'>): Answer => ({
  status: 200,
  body: shown(row),
  version: row.version,
})

const madeAnswer = (row: Row<'permissions'>): Answer => ({
  ...answerWith(row),
  status: 201,
  location: `/permissions/${row.code}`,
})

/** The code of the path; what is none, or is out of sight, names nothing. */
function permissionOf(text: string, { sees }: Actor): string {
  if (!isPermission(text) || (sees !== undefined && !sees.includes(text))) throw notFound('permission')
  return text
}

function refuseBuiltIn(code: string): void {
  if (serviceOf(code) !== iamService) return
  throw new Problem('forbidden', 'The service iam is built in; its permissions can not be changed.')
}

/** Those of the built-in service, which no table holds, come before the others. */
function builtInPage(
  actor: Actor,
  { q, after, limit }: { q: string | undefined; after: string; limit: number },
): { items: Shown[]; more: boolean } {
  const seen = iamPermissions
    .filter((one) => (actor.sees?.includes(one) ?? true) && one.startsWith(q ?? '') && one > after)
    .toSorted()
  return { items: seen.slice(0, limit).map(builtIn), more: seen.length > limit }
}

export const permissionRoutes: Route[] = [
  route({
    method: 'GET',
    path: '/permissions',
    permission: 'iam.permissions.read',
    summary: 'List permissions',
    description:
      'Those of the built-in service `iam` first, then the others by code. Whoever administers an organisation sees those that they hold.',
    answers: 'PermissionPage',
    query: z.strictObject({ q: permissionStart.optional(), service_code: code.optional(), ...paging }),
    async handle({ service, actor, query: { q, service_code: serviceCode, cursor, limit } }) {
      const [kind = 'built-in', after = ''] = pairCursor(cursor) ?? []
      const asksBuiltIn = kind === 'built-in' && (serviceCode ?? iamService) === iamService
      const first = asksBuiltIn ? builtInPage(actor, { q, after, limit }) : { items: [], more: false }
      const last = first.items.at(-1)
      if (first.more && last !== undefined) {
        const next = pairCursorText(['built-in', last.code])
        return { status: 200, body: { items: first.items, next_cursor: next } }
      }
      const filter = { within: actor.sees, serviceCode, search: q }
      const from = kind === 'built-in' ? undefined : after
      const room = limit - first.items.length
      const { rows, next } = await listPermissions(service.store, filter, from, room)
      const items = [...first.items, ...rows.map(shown)]
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
    description: 'For whoever administers the whole installation.',
    answers: 'Permission',
    refusals: ['conflict', 'forbidden', 'managed_by_file'],
    body: newPermission,
    async handle({ service, actor, by, body: { code: own, description = '' }, repeatable }) {
      refuseBuiltIn(own)
      const options = { show: shown, repeatable: repeatable(madeAnswer) }
      const made = await createPermission(service.store, by, actor, { code: own, description }, options)
      return createdAnswer(made, madeAnswer)
    },
  }),
  route({
    method: 'GET',
    path: '/permissions/:code',
    permission: 'iam.permissions.read',
    summary: 'Read a permission',
    answers: 'Permission',
    async handle({ service, actor, param }) {
      const own = permissionOf(param('code'), actor)
      if (iamPermissions.includes(own)) return { status: 200, body: builtIn(own) }
      const row = await readPermission(service.store, own)
      if (row === undefined) throw notFound('permission')
      return answerWith(row)
    },
  }),
  route({
    method: 'PATCH',
    path: '/permissions/:code',
    permission: 'iam.permissions.update',
    summary: 'Describe a permission otherwise',
    description: 'For whoever administers the whole installation.',
    answers: 'Permission',
    refusals: ['forbidden', 'managed_by_file'],
    body: permissionPatch,
    async handle({ service, actor, by, body, param, versions }) {
      const own = permissionOf(param('code'), actor)
      refuseBuiltIn(own)
      const change = { code: own, versions, description: body.description === null ? '' : body.description }
      return answerWith(await updatePermission(service.store, by, actor, change, shown))
    },
  }),
  route({
    method: 'DELETE',
    path: '/permissions/:code',
    permission: 'iam.permissions.delete',
    summary: 'Remove a permission',
    description:
      'Also from the roles that give it and the clients that list it. For whoever administers the whole installation.',
    answers: undefined,
    refusals: ['forbidden', 'managed_by_file'],
    async handle({ service, actor, by, param, versions }) {
      const own = permissionOf(param('code'), actor)
      refuseBuiltIn(own)
      await deletePermission(service.store, by, actor, { code: own, versions }, shown)
      return { status: 204 }
    },
  }),
]
