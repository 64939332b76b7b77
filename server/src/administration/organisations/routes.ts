import { randomUUID } from 'node:crypto'
import { changedColumns, newColumns } from '../../catalogue/columns.ts'
import { organisation } from '../../catalogue/organisation.ts'
import { newBody, patchBody, shownSchema } from '../../catalogue/schemas.ts'
import { flag, pageOf, text, uuids } from '../fields.ts'
import { changeRoute, createRoute, listed, listRoute, readRoute, removeRoute } from '../resource-routes.ts'
import type { Route } from '../route.ts'
import {
  createOrganisation,
  deleteOrganisation,
  listOrganisations,
  organisations,
  updateOrganisation,
} from './verbs.ts'

const shown = shownSchema(organisation)

export const organisationSchemas = { Organisation: shown, OrganisationPage: pageOf(shown) }

export const organisationRoutes: Route[] = [
  listRoute({
    ...listed(organisations),
    file: shown,
    summary: 'List and search organisations',
    example: '--search ha',
    columns: ['code', 'name', 'active'],
    description: 'By code.',
    query: {
      q: text(200)
        .optional()
        .describe(
          'The beginning of a code or of any word of a name, whatever its case; words end at a space or a hyphen. What is found by the code comes first. Or a uuid.',
        ),
      active: flag.optional(),
      uuid: uuids.optional(),
    },
    rows: ({ service, by, query, after, limit }) =>
      listOrganisations(service.store, by.authority.reach, query, after(3), limit),
  }),
  createRoute(organisations, {
    summary: 'Add an organisation',
    example: "harbour --name 'Harbour Institute'",
    named: 'code',
    refusals: ['conflict', 'forbidden'],
    body: newBody(organisation),
    make: ({ service, by, body }, repeatable) => {
      const columns = { uuid: randomUUID(), ...newColumns(organisation, body) }
      return createOrganisation(service.store, by, columns, repeatable)
    },
  }),
  readRoute(organisations, { summary: 'Read an organisation', example: 'harbour' }),
  changeRoute(organisations, {
    summary: 'Rename or disable an organisation',
    example: "harbour --name 'Institute of the Harbour'",
    description:
      'Disabling ends the tokens of everybody who acts under it, and of its clients, at once. Only an administrator of the whole installation can do that.',
    refusals: ['conflict', 'forbidden', 'managed_by_file'],
    body: patchBody(organisation),
    change: ({ service, by, body }, one) =>
      updateOrganisation(service.store, by, one, changedColumns(organisation, body)),
  }),
  removeRoute(organisations, {
    summary: 'Remove an organisation',
    description:
      'With its units, the profiles in it and its clients. The people stay, without those profiles. Only an administrator of the whole installation can do that.',
    refusals: ['conflict', 'forbidden', 'managed_by_file'],
    remove: ({ service, by }, one) => deleteOrganisation(service.store, by, one),
  }),
]
