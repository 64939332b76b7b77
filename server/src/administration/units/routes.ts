import { randomUUID } from 'node:crypto'
import * as z from 'zod'
import { changedColumns, newColumns } from '../../catalogue/columns.ts'
import { newBody, patchBody, shownSchema } from '../../catalogue/schemas.ts'
import { unit } from '../../catalogue/unit.ts'
import { notFound, wrongField } from '../../protocol/problem.ts'
import { isUuid } from '../../protocol/values.ts'
import type { Row } from '../by.ts'
import { createUnit, deleteUnit, listUnits, readUnit, shownUnit, updateUnit } from './verbs.ts'
import { pairCursor, pairCursorText } from '../cursor.ts'
import { flag, pageOf, paging, search, uuid, uuids } from '../fields.ts'
import { uuidOf } from '../path.ts'
import { answerWith, createdAnswer, madeAnswer, route, type Route } from '../route.ts'

const shown = shownSchema(unit)

export const unitSchemas = { Unit: shown, UnitPage: pageOf(shown) }

const oneAnswer = (row: Row<'units'>) => answerWith(shownUnit(row), row)
const newAnswer = (row: Row<'units'>) => madeAnswer(oneAnswer(row), `/units/${row.uuid}`)

export const unitRoutes: Route[] = [
  route({
    method: 'GET',
    path: '/units',
    permission: 'iam.units.read',
    summary: 'List and search units',
    description: 'By organisation and code. A search is within one organisation.',
    answers: 'UnitPage',
    query: z.strictObject({
      q: search().describe(
        'The beginning of a code or of any word of a name, whatever its case, within one organisation; or the uuid of a unit.',
      ),
      organisation_uuid: uuid.optional(),
      parent_uuid: uuid.optional().describe('Directly below this unit.'),
      active: flag.optional(),
      uuid: uuids.optional(),
      ...paging,
    }),
    async handle({ service, by, query }) {
      const { reach } = by.authority
      const isWithinOne = (query.organisation_uuid ?? reach.organisationUuid) !== undefined
      if (query.q !== undefined && !isWithinOne && !isUuid(query.q.trim())) {
        throw wrongField('organisation_uuid', 'A search for units needs their organisation.')
      }
      const filter = {
        reach,
        organisationUuid: query.organisation_uuid,
        parentUuid: query.parent_uuid,
        active: query.active,
        search: query.q,
        uuids: query.uuid,
      }
      const [organisationUuid = '', code = ''] = pairCursor(query.cursor) ?? []
      const after = query.cursor === undefined ? undefined : { organisationUuid, code }
      const { rows, next } = await listUnits(service.store, filter, after, query.limit)
      const cursor = next && ([next.organisationUuid, next.code] as const)
      return { status: 200, body: { items: rows.map(shownUnit), next_cursor: pairCursorText(cursor) } }
    },
  }),
  route({
    method: 'POST',
    path: '/units',
    permission: 'iam.units.create',
    summary: 'Add a unit',
    description:
      'Its code is the only one of the organisation. An administrator of a unit gives codes that begin with that of their unit and two hyphens, `intake--desk`; where the beginning is not sent, it is put before.',
    answers: 'Unit',
    refusals: ['conflict', 'managed_by_file'],
    body: newBody(unit),
    async handle({ service, by, body, repeatable }) {
      const columns = { uuid: randomUUID(), ...newColumns(unit, body) }
      const created = await createUnit(service.store, by, columns, repeatable(newAnswer))
      return createdAnswer(created, newAnswer)
    },
  }),
  route({
    method: 'GET',
    path: '/units/:uuid',
    permission: 'iam.units.read',
    summary: 'Read a unit',
    answers: 'Unit',
    async handle({ service, by, param }) {
      const row = await readUnit(service.store, uuidOf(param('uuid'), 'unit'), by.authority.reach)
      if (row === undefined) throw notFound('unit')
      return oneAnswer(row)
    },
  }),
  route({
    method: 'PATCH',
    path: '/units/:uuid',
    permission: 'iam.units.update',
    summary: 'Rename, move or disable a unit',
    description:
      'Disabling ends the tokens of everybody who acts at it at once. Moving it needs `iam.profiles.create` and every permission that is held at it and below, if any: the administrators of the new place come to reach it.',
    answers: 'Unit',
    refusals: ['conflict', 'forbidden', 'managed_by_file'],
    body: patchBody(unit),
    async handle({ service, by, body, param, versions }) {
      const uuid = uuidOf(param('uuid'), 'unit')
      const set = changedColumns(unit, body)
      return oneAnswer(await updateUnit(service.store, by, { uuid, versions, set }))
    },
  }),
  route({
    method: 'DELETE',
    path: '/units/:uuid',
    permission: 'iam.units.delete',
    summary: 'Remove a unit',
    description: 'With the profiles at it. Units below it have to be moved or removed first.',
    answers: undefined,
    refusals: ['conflict', 'forbidden', 'managed_by_file'],
    async handle({ service, by, param, versions }) {
      const uuid = uuidOf(param('uuid'), 'unit')
      await deleteUnit(service.store, by, { uuid, versions })
      return { status: 204 }
    },
  }),
]
