import { randomUUID } from 'node:crypto'
import * as z from 'zod'
import { notFound, wrongField } from '../protocol/problem.ts'
import type { Row } from '../store/admin/change.ts'
import {
  createUnit,
  deleteUnit,
  listUnits,
  readUnit,
  type UnitChange,
  updateUnit,
} from '../store/admin/units.ts'
import { pairCursor, pairCursorText } from './cursor.ts'
import { code, columnFlag, flag, pageOf, paging, text, uuid } from './fields.ts'
import { uuidOf } from './path.ts'
import { type Answer, createdAnswer, route, type Route } from './route.ts'

const unit = z.object({
  uuid,
  organisation_uuid: uuid,
  parent_uuid: uuid.nullable().describe('The unit above it, of the same organisation; null at the top.'),
  code: code.describe('What it is known by in a declared file, within its organisation; never changes.'),
  name: text(200),
  active: z.boolean().describe('Nobody can act at a disabled one; units below it are not touched.'),
})

const newUnit = z.strictObject({
  organisation_uuid: uuid,
  parent_uuid: uuid.nullable().optional(),
  code,
  name: text(200),
  active: z.boolean().optional(),
})

const unitPatch = z.strictObject({
  parent_uuid: uuid.nullable().optional(),
  name: text(200).optional(),
  active: z.boolean().optional(),
})

export const unitSchemas = { Unit: unit, UnitPage: pageOf(unit) }

const shown = (row: Row<'units'>): z.output<typeof unit> => ({
  uuid: row.uuid,
  organisation_uuid: row.organisation_uuid,
  parent_uuid: row.parent_uuid,
  code: row.code,
  name: row.name,
  active: row.active === 1,
})

const answerWith = (row: Row<'units'>): Answer => ({ status: 200, body: shown(row), version: row.version })

const madeAnswer = (row: Row<'units'>): Answer => ({
  ...answerWith(row),
  status: 201,
  location: `/units/${row.uuid}`,
})

export const unitRoutes: Route[] = [
  route({
    method: 'GET',
    path: '/units',
    permission: 'iam.units.read',
    summary: 'List and search units',
    description: 'By organisation and code. A search is within one organisation.',
    answers: 'UnitPage',
    query: z.strictObject({
      q: text(200)
        .optional()
        .describe('The beginning of a code or of any word of a name, within one organisation.'),
      organisation_uuid: uuid.optional(),
      parent_uuid: uuid.optional().describe('Directly below this unit.'),
      active: flag.optional(),
      ...paging,
    }),
    async handle({ service, actor, query }) {
      const { reach } = actor
      if (query.q !== undefined && (query.organisation_uuid ?? reach.organisationUuid) === undefined) {
        throw wrongField('organisation_uuid', 'A search for units needs their organisation.')
      }
      const filter = {
        reach,
        organisationUuid: query.organisation_uuid,
        parentUuid: query.parent_uuid,
        active: query.active,
        search: query.q,
      }
      const [organisationUuid = '', code = ''] = pairCursor(query.cursor) ?? []
      const after = query.cursor === undefined ? undefined : { organisationUuid, code }
      const { rows, next } = await listUnits(service.store, filter, after, query.limit)
      const cursor = next && ([next.organisationUuid, next.code] as const)
      return { status: 200, body: { items: rows.map(shown), next_cursor: pairCursorText(cursor) } }
    },
  }),
  route({
    method: 'POST',
    path: '/units',
    permission: 'iam.units.create',
    summary: 'Add a unit',
    answers: 'Unit',
    refusals: ['conflict', 'managed_by_file'],
    body: newUnit,
    async handle({ service, actor, by, body, repeatable }) {
      const columns = {
        uuid: randomUUID(),
        ...body,
        parent_uuid: body.parent_uuid ?? null,
        active: columnFlag(body.active ?? true),
      }
      const options = { show: shown, repeatable: repeatable(madeAnswer) }
      return createdAnswer(await createUnit(service.store, by, actor, columns, options), madeAnswer)
    },
  }),
  route({
    method: 'GET',
    path: '/units/:uuid',
    permission: 'iam.units.read',
    summary: 'Read a unit',
    answers: 'Unit',
    async handle({ service, actor, param }) {
      const row = await readUnit(service.store, uuidOf(param('uuid'), 'unit'), actor.reach)
      if (row === undefined) throw notFound('unit')
      return answerWith(row)
    },
  }),
  route({
    method: 'PATCH',
    path: '/units/:uuid',
    permission: 'iam.units.update',
    summary: 'Rename, move or disable a unit',
    description: 'Disabling ends the tokens of everybody who acts at it at once.',
    answers: 'Unit',
    refusals: ['conflict', 'forbidden', 'managed_by_file'],
    body: unitPatch,
    async handle({ service, actor, by, body: { active, ...rest }, param, versions }) {
      const uuid = uuidOf(param('uuid'), 'unit')
      const set: UnitChange = {}
      if (rest.name !== undefined) set.name = rest.name
      if (rest.parent_uuid !== undefined) set.parent_uuid = rest.parent_uuid
      if (active !== undefined) set.active = columnFlag(active)
      return answerWith(await updateUnit(service.store, by, actor, { uuid, versions, set }, shown))
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
    async handle({ service, actor, by, param, versions }) {
      const uuid = uuidOf(param('uuid'), 'unit')
      await deleteUnit(service.store, by, actor, { uuid, versions }, shown)
      return { status: 204 }
    },
  }),
]
