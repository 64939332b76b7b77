import { randomUUID } from 'node:crypto'
import * as z from 'zod'
import { notFound } from '../protocol/problem.ts'
import type { Row } from '../store/admin/change.ts'
import {
  createOrganisation,
  deleteOrganisation,
  listOrganisations,
  readOrganisation,
  updateOrganisation,
} from '../store/admin/organisations.ts'
import { shownClient } from './client-fields.ts'
import { searchCursor, searchCursorText } from './cursor.ts'
import { code, columnFlag, flag, managedBy, pageOf, paging, text, uuid } from './fields.ts'
import { uuidOf } from './path.ts'
import { type Answer, createdAnswer, route, type Route } from './route.ts'

const organisation = z.object({
  uuid,
  code: code.describe('What it is known by in a declared file; never changes.'),
  name: text(200),
  active: z.boolean().describe('Nobody can act under a disabled one, and its clients are inactive.'),
  managed_by: managedBy,
})

const newOrganisation = z.strictObject({ code, name: text(200), active: z.boolean().optional() })
const organisationPatch = z.strictObject({ name: text(200).optional(), active: z.boolean().optional() })

export const organisationSchemas = { Organisation: organisation, OrganisationPage: pageOf(organisation) }

const shown = (row: Row<'organisations'>): z.output<typeof organisation> => ({
  uuid: row.uuid,
  code: row.code,
  name: row.name,
  active: row.active === 1,
  managed_by: row.managed_by,
})

/** How the audit is told of what goes when an organisation is removed. */
const shows = { organisation: shown, client: shownClient }

const answerWith = (row: Row<'organisations'>): Answer => ({
  status: 200,
  body: shown(row),
  version: row.version,
})

const madeAnswer = (row: Row<'organisations'>): Answer => ({
  ...answerWith(row),
  status: 201,
  location: `/organisations/${row.uuid}`,
})

export const organisationRoutes: Route[] = [
  route({
    method: 'GET',
    path: '/organisations',
    permission: 'iam.organisations.read',
    summary: 'List and search organisations',
    description: 'By code.',
    answers: 'OrganisationPage',
    query: z.strictObject({
      q: text(200)
        .optional()
        .describe(
          'The beginning of a code or of any word of a name, whatever its case; words end at a space or a hyphen. What is found by the code comes first.',
        ),
      active: flag.optional(),
      ...paging,
    }),
    async handle({ service, actor, query: { q, active, cursor, limit } }) {
      const filter = { reach: actor.reach, search: q, active }
      const { rows, next } = await listOrganisations(service.store, filter, searchCursor(cursor), limit)
      return { status: 200, body: { items: rows.map(shown), next_cursor: searchCursorText(next) } }
    },
  }),
  route({
    method: 'POST',
    path: '/organisations',
    permission: 'iam.organisations.create',
    summary: 'Add an organisation',
    answers: 'Organisation',
    refusals: ['conflict', 'forbidden'],
    body: newOrganisation,
    async handle({ service, actor, by, body, repeatable }) {
      const columns = { uuid: randomUUID(), ...body, active: columnFlag(body.active ?? true) }
      const options = { show: shown, repeatable: repeatable(madeAnswer) }
      return createdAnswer(await createOrganisation(service.store, by, actor, columns, options), madeAnswer)
    },
  }),
  route({
    method: 'GET',
    path: '/organisations/:uuid',
    permission: 'iam.organisations.read',
    summary: 'Read an organisation',
    answers: 'Organisation',
    async handle({ service, actor, param }) {
      const uuid = uuidOf(param('uuid'), 'organisation')
      const row = await readOrganisation(service.store, uuid, actor.reach)
      if (row === undefined) throw notFound('organisation')
      return answerWith(row)
    },
  }),
  route({
    method: 'PATCH',
    path: '/organisations/:uuid',
    permission: 'iam.organisations.update',
    summary: 'Rename or disable an organisation',
    description:
      'Disabling ends the tokens of everybody who acts under it, and of its clients, at once. Only whoever administers the whole installation can do that.',
    answers: 'Organisation',
    refusals: ['forbidden', 'managed_by_file'],
    body: organisationPatch,
    async handle({ service, actor, by, body: { name, active }, param, versions }) {
      const uuid = uuidOf(param('uuid'), 'organisation')
      const set = {
        ...(name !== undefined && { name }),
        ...(active !== undefined && { active: columnFlag(active) }),
      }
      const change = { uuid, versions, set }
      return answerWith(await updateOrganisation(service.store, by, actor, change, shown))
    },
  }),
  route({
    method: 'DELETE',
    path: '/organisations/:uuid',
    permission: 'iam.organisations.delete',
    summary: 'Remove an organisation',
    description:
      'With its units, the profiles in it and its clients. The people stay, without those profiles. Only whoever administers the whole installation can do that.',
    answers: undefined,
    refusals: ['forbidden', 'managed_by_file'],
    async handle({ service, actor, by, param, versions }) {
      const uuid = uuidOf(param('uuid'), 'organisation')
      await deleteOrganisation(service.store, by, actor, { uuid, versions }, shows)
      return { status: 204 }
    },
  }),
]
