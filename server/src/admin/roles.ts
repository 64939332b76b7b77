import * as z from 'zod'
import { notFound } from '../protocol/problem.ts'
import {
  createRole,
  deleteRole,
  listRoles,
  readRole,
  type Role,
  type RoleChange,
  updateRole,
} from '../store/admin/roles.ts'
import { keyCursor, keyCursorText } from './cursor.ts'
import {
  code,
  codeStart,
  columnFlag,
  distinct,
  flag,
  managedBy,
  pageOf,
  paging,
  permissionOrWildcard,
  text,
} from './fields.ts'
import { codeOf } from './path.ts'
import { type Answer, createdAnswer, route, type Route } from './route.ts'

const permissions = distinct(permissionOrWildcard, 1000).describe(
  'What it gives: codes of permissions, or `iam.*` for all of the administration API.',
)

const role = z.object({
  code: code.describe('Stands in tokens as `role_code`; never changes.'),
  name: text(200),
  permissions: z.array(z.string()),
  active: z.boolean().describe('Nobody can act under a disabled one.'),
  managed_by: managedBy,
})

const newRole = z.strictObject({
  code,
  name: text(200),
  permissions: permissions.default([]),
  active: z.boolean().optional(),
})

const rolePatch = z.strictObject({
  name: text(200).optional(),
  permissions: permissions.optional(),
  active: z.boolean().optional(),
})

export const roleSchemas = { Role: role, RolePage: pageOf(role) }

export const shownRole = (row: Role): z.output<typeof role> => ({
  code: row.code,
  name: row.name,
  permissions: row.permissions,
  active: row.active === 1,
  managed_by: row.managed_by,
})

const answerWith = (row: Role): Answer => ({ status: 200, body: shownRole(row), version: row.version })
const madeAnswer = (row: Role): Answer => ({
  ...answerWith(row),
  status: 201,
  location: `/roles/${row.code}`,
})

function changeOf({ name, permissions: given, active }: z.output<typeof rolePatch>): RoleChange {
  const set: RoleChange = {}
  if (name !== undefined) set.name = name
  if (given !== undefined) set.permissions = given
  if (active !== undefined) set.active = columnFlag(active)
  return set
}

export const roleRoutes: Route[] = [
  route({
    method: 'GET',
    path: '/roles',
    permission: 'iam.roles.read',
    summary: 'List roles',
    description: 'By code. Whoever administers an organisation sees the roles that they may give.',
    answers: 'RolePage',
    query: z.strictObject({ q: codeStart.optional(), active: flag.optional(), ...paging }),
    async handle({ service, actor, query: { q, active, cursor, limit } }) {
      const filter = { within: actor.sees, active, search: q }
      const { rows, next } = await listRoles(service.store, filter, keyCursor(cursor), limit)
      return { status: 200, body: { items: rows.map(shownRole), next_cursor: keyCursorText(next) } }
    },
  }),
  route({
    method: 'POST',
    path: '/roles',
    permission: 'iam.roles.create',
    summary: 'Add a role',
    description: 'For whoever administers the whole installation.',
    answers: 'Role',
    refusals: ['conflict', 'forbidden'],
    body: newRole,
    async handle({ service, actor, by, body, repeatable }) {
      const columns = { ...body, active: columnFlag(body.active ?? true) }
      const options = { show: shownRole, repeatable: repeatable(madeAnswer) }
      return createdAnswer(await createRole(service.store, by, actor, columns, options), madeAnswer)
    },
  }),
  route({
    method: 'GET',
    path: '/roles/:code',
    permission: 'iam.roles.read',
    summary: 'Read a role',
    answers: 'Role',
    async handle({ service, actor, param }) {
      const row = await readRole(service.store, codeOf(param('code'), 'role'), actor.sees)
      if (row === undefined) throw notFound('role')
      return answerWith(row)
    },
  }),
  route({
    method: 'PATCH',
    path: '/roles/:code',
    permission: 'iam.roles.update',
    summary: 'Change or disable a role',
    description:
      'And with it what everybody may do who holds it. Disabling ends the tokens that were issued under it at once. For whoever administers the whole installation.',
    answers: 'Role',
    refusals: ['forbidden', 'last_administrator', 'managed_by_file'],
    body: rolePatch,
    async handle({ service, actor, by, body, param, versions }) {
      const change = { code: codeOf(param('code'), 'role'), versions, set: changeOf(body) }
      return answerWith(await updateRole(service.store, by, actor, change, shownRole))
    },
  }),
  route({
    method: 'DELETE',
    path: '/roles/:code',
    permission: 'iam.roles.delete',
    summary: 'Remove a role',
    description:
      'With every profile that holds it; the tokens that were issued under them end at once. For whoever administers the whole installation.',
    answers: undefined,
    refusals: ['forbidden', 'last_administrator', 'managed_by_file'],
    async handle({ service, actor, by, param, versions }) {
      const code = codeOf(param('code'), 'role')
      await deleteRole(service.store, by, actor, { code, versions }, shownRole)
      return { status: 204 }
    },
  }),
]
