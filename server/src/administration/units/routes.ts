import { randomUUID } from 'node:crypto'
import { changedColumns, newColumns } from '../../catalogue/columns.ts'
import { newBody, patchBody, shownSchema } from '../../catalogue/schemas.ts'
import { unit } from '../../catalogue/unit.ts'
import { wrongField } from '../../protocol/problem.ts'
import { isUuid } from '../../protocol/values.ts'
import { flag, pageOf, search, uuid, uuids } from '../fields.ts'
import { changeRoute, createRoute, listed, listRoute, readRoute, removeRoute } from '../resource-routes.ts'
import type { Route } from '../route.ts'
import { createUnit, deleteUnit, listUnits, units, updateUnit } from './verbs.ts'

const shown = shownSchema(unit)

export const unitSchemas = { Unit: shown, UnitPage: pageOf(shown) }

export const unitRoutes: Route[] = [
  listRoute({
    ...listed(units),
    file: shown,
    summary: 'List and search units',
    example: '--organisation harbour',
    columns: ['organisation_uuid', 'code', 'name', 'active', 'parent_uuid'],
    description: 'By organisation and code. A search is within one organisation.',
    query: {
      q: search().describe(
        'The beginning of a code or of any word of a name, whatever its case, within one organisation; or the uuid of a unit.',
      ),
      organisation_uuid: uuid.optional(),
      parent_uuid: uuids.optional().describe('Directly below these units: at most 100, with commas between.'),
      top: flag.optional().describe('Below no other unit, or below one.'),
      active: flag.optional(),
      uuid: uuids.optional(),
    },
    async rows({ service, by, query, after, limit }) {
      const { reach } = by.authority
      const isWithinOne = (query.organisation_uuid ?? reach.organisation_uuid) !== undefined
      if (query.q !== undefined && !isWithinOne && !isUuid(query.q.trim()))
        throw wrongField('organisation_uuid', 'A search for units needs their organisation.')
      return await listUnits(service.store, reach, query, after(2), limit)
    },
  }),
  createRoute(units, {
    summary: 'Add a unit',
    example: 'quay --organisation harbour --name Quay',
    named: 'code',
    description:
      'Its code is the only one of the organisation. An administrator of a unit gives codes that begin with that of their unit and two hyphens, `intake--desk`; where the beginning is not sent, it is put before.',
    refusals: ['conflict', 'managed_by_file'],
    body: newBody(unit),
    make: ({ service, by, body }, repeatable) =>
      createUnit(service.store, by, { uuid: randomUUID(), ...newColumns(unit, body) }, repeatable),
  }),
  readRoute(units, { summary: 'Read a unit', example: 'harbour/quay' }),
  changeRoute(units, {
    summary: 'Rename, move or disable a unit',
    example: "harbour/quay --name 'The quay'",
    description:
      'Disabling ends the tokens of everybody who acts at it at once. Moving it needs `iam.profiles.create` and every permission that is held at it and below, if any: the administrators of the new place come to reach it.',
    refusals: ['conflict', 'forbidden', 'managed_by_file'],
    body: patchBody(unit),
    change: ({ service, by, body }, one) => updateUnit(service.store, by, one, changedColumns(unit, body)),
  }),
  removeRoute(units, {
    summary: 'Remove a unit',
    description: 'With the profiles at it. Units below it have to be moved or removed first.',
    refusals: ['conflict', 'forbidden', 'managed_by_file'],
    remove: ({ service, by }, one) => deleteUnit(service.store, by, one),
  }),
]
