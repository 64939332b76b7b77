import { randomUUID } from 'node:crypto'
import * as z from 'zod'
import { changedColumns, newColumns } from '../../catalogue/columns.ts'
import { organisation } from '../../catalogue/organisation.ts'
import { newBody, patchBody, shownSchema } from '../../catalogue/schemas.ts'
import { notFound } from '../../protocol/problem.ts'
import type { Row } from '../by.ts'
import {
  createOrganisation,
  deleteOrganisation,
  listOrganisations,
  readOrganisation,
  shownOrganisation,
  updateOrganisation,
} from './verbs.ts'
import { searchCursor, searchCursorText } from '../cursor.ts'
import { flag, pageOf, paging, text, uuids } from '../fields.ts'
import { uuidOf } from '../path.ts'
import { answerWith, createdAnswer, madeAnswer, route, type Route } from '../route.ts'

const shown = shownSchema(organisation)

export const organisationSchemas = { Organisation: shown, OrganisationPage: pageOf(shown) }

const oneAnswer = (row: Row<'organisations'>) => answerWith(shownOrganisation(row), row)
const newAnswer = (row: Row<'organisations'>) => madeAnswer(oneAnswer(row), `/organisations/${row.uuid}`)

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
          'The beginning of a code or of any word of a name, whatever its case; words end at a space or a hyphen. What is found by the code comes first. Or a uuid.',
        ),
      active: flag.optional(),
      uuid: uuids.optional(),
      ...paging,
    }),
    async handle({ service, by, query: { q, active, uuid: among, cursor, limit } }) {
      const filter = { reach: by.authority.reach, search: q, active, uuids: among }
      const { rows, next } = await listOrganisations(service.store, filter, searchCursor(cursor), limit)
      return {
        status: 200,
        body: { items: rows.map(shownOrganisation), next_cursor: searchCursorText(next) },
      }
    },
  }),
  route({
    method: 'POST',
    path: '/organisations',
    permission: 'iam.organisations.create',
    summary: 'Add an organisation',
    answers: 'Organisation',
    refusals: ['conflict', 'forbidden'],
    body: newBody(organisation),
    async handle({ service, by, body, repeatable }) {
      const columns = { uuid: randomUUID(), ...newColumns(organisation, body) }
      const created = await createOrganisation(service.store, by, columns, repeatable(newAnswer))
      return createdAnswer(created, newAnswer)
    },
  }),
  route({
    method: 'GET',
    path: '/organisations/:uuid',
    permission: 'iam.organisations.read',
    summary: 'Read an organisation',
    answers: 'Organisation',
    async handle({ service, by, param }) {
      const uuid = uuidOf(param('uuid'), 'organisation')
      const row = await readOrganisation(service.store, uuid, by.authority.reach)
      if (row === undefined) throw notFound('organisation')
      return oneAnswer(row)
    },
  }),
  route({
    method: 'PATCH',
    path: '/organisations/:uuid',
    permission: 'iam.organisations.update',
    summary: 'Rename or disable an organisation',
    description:
      'Disabling ends the tokens of everybody who acts under it, and of its clients, at once. Only an administrator of the whole installation can do that.',
    answers: 'Organisation',
    refusals: ['forbidden', 'managed_by_file'],
    body: patchBody(organisation),
    async handle({ service, by, body, param, versions }) {
      const uuid = uuidOf(param('uuid'), 'organisation')
      const change = { uuid, versions, set: changedColumns(organisation, body) }
      return oneAnswer(await updateOrganisation(service.store, by, change))
    },
  }),
  route({
    method: 'DELETE',
    path: '/organisations/:uuid',
    permission: 'iam.organisations.delete',
    summary: 'Remove an organisation',
    description:
      'With its units, the profiles in it and its clients. The people stay, without those profiles. Only an administrator of the whole installation can do that.',
    answers: undefined,
    refusals: ['forbidden', 'managed_by_file'],
    async handle({ service, by, param, versions }) {
      const uuid = uuidOf(param('uuid'), 'organisation')
      await deleteOrganisation(service.store, by, { uuid, versions })
      return { status: 204 }
    },
  }),
]
