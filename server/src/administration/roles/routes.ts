import * as z from 'zod'
import { changedColumns, newColumns } from '../../catalogue/columns.ts'
import { role } from '../../catalogue/role.ts'
import { newBody, patchBody, shownSchema } from '../../catalogue/schemas.ts'
import { notFound } from '../../protocol/problem.ts'
import { createRole, deleteRole, listRoles, readRole, type Role, shownRole, updateRole } from './verbs.ts'
import { keyCursor, keyCursorText } from '../cursor.ts'
import { flag, pageOf, paging, search } from '../fields.ts'
import { codeOf } from '../path.ts'
import { answerWith, createdAnswer, madeAnswer, route, type Route } from '../route.ts'

const shown = shownSchema(role)

export const roleSchemas = { Role: shown, RolePage: pageOf(shown) }

const oneAnswer = (row: Role) => answerWith(shownRole(row), row)
const newAnswer = (row: Role) => madeAnswer(oneAnswer(row), `/roles/${row.code}`)

export const roleRoutes: Route[] = [
  route({
    method: 'GET',
    path: '/roles',
    permission: 'iam.roles.read',
    summary: 'List roles',
    description: 'By code. An administrator of an organisation sees the roles that they may give.',
    answers: 'RolePage',
    query: z.strictObject({ q: search(), active: flag.optional(), ...paging }),
    async handle({ service, by, query: { q, active, cursor, limit } }) {
      const filter = { within: by.authority.sees, active, search: q }
      const { rows, next } = await listRoles(service.store, filter, keyCursor(cursor), limit)
      return { status: 200, body: { items: rows.map(shownRole), next_cursor: keyCursorText(next) } }
    },
  }),
  route({
    method: 'POST',
    path: '/roles',
    permission: 'iam.roles.create',
    summary: 'Add a role',
    description: 'For administrators of the whole installation.',
    answers: 'Role',
    refusals: ['conflict', 'forbidden'],
    body: newBody(role),
    async handle({ service, by, body, repeatable }) {
      const columns = newColumns(role, body)
      const created = await createRole(service.store, by, columns, repeatable(newAnswer))
      return createdAnswer(created, newAnswer)
    },
  }),
  route({
    method: 'GET',
    path: '/roles/:code',
    permission: 'iam.roles.read',
    summary: 'Read a role',
    answers: 'Role',
    async handle({ service, by, param }) {
      const row = await readRole(service.store, codeOf(param('code'), 'role'), by.authority.sees)
      if (row === undefined) throw notFound('role')
      return oneAnswer(row)
    },
  }),
  route({
    method: 'PATCH',
    path: '/roles/:code',
    permission: 'iam.roles.update',
    summary: 'Change or disable a role',
    description:
      'And with it what everybody may do who holds it. Disabling ends the tokens that were issued under it at once. For administrators of the whole installation.',
    answers: 'Role',
    refusals: ['forbidden', 'last_administrator', 'managed_by_file'],
    body: patchBody(role),
    async handle({ service, by, body, param, versions }) {
      const change = { code: codeOf(param('code'), 'role'), versions, set: changedColumns(role, body) }
      return oneAnswer(await updateRole(service.store, by, change))
    },
  }),
  route({
    method: 'DELETE',
    path: '/roles/:code',
    permission: 'iam.roles.delete',
    summary: 'Remove a role',
    description:
      'With every profile that holds it; the tokens that were issued under them end at once. For administrators of the whole installation.',
    answers: undefined,
    refusals: ['forbidden', 'last_administrator', 'managed_by_file'],
    async handle({ service, by, param, versions }) {
      const code = codeOf(param('code'), 'role')
      await deleteRole(service.store, by, { code, versions })
      return { status: 204 }
    },
  }),
]
