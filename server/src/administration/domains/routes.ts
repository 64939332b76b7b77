import { changedColumns, newColumns } from '../../catalogue/columns.ts'
import { domain as catalogued } from '../../catalogue/domain.ts'
import * as kinds from '../../catalogue/kinds.ts'
import { newBody, patchBody, schemaOf, shownSchema } from '../../catalogue/schemas.ts'
import { pageOf, uuid } from '../fields.ts'
import { listOwned } from '../owned.ts'
import { changeRoute, createRoute, listed, listRoute, readRoute, removeRoute } from '../resource-routes.ts'
import type { Route } from '../route.ts'
import { createDomain, deleteDomain, domains, updateDomain } from './verbs.ts'

const shown = shownSchema(catalogued)

export const domainSchemas = { Domain: shown, DomainPage: pageOf(shown) }

export const domainRoutes: Route[] = [
  listRoute({
    ...listed(domains),
    file: shown,
    summary: 'List domains',
    example: '--organisation acme',
    columns: ['organisation_uuid', 'name', 'holds', 'given', 'token'],
    description: 'By uuid. An administrator of an organisation sees those of it.',
    query: { organisation_uuid: uuid.optional(), name: schemaOf(kinds.domainName).optional() },
    rows: ({ service, by, query, after, limit }) =>
      listOwned(service.store.db, 'domains', by.authority.reach, query, { after: after(1), limit }),
  }),
  createRoute(domains, {
    summary: 'Claim a domain, or give it',
    example: 'acme.example --organisation acme',
    named: 'name',
    description:
      'A claim counts once the TXT record of `_tessera.` before the name is its `token`; it blocks nobody. Only somebody who administers everything gives a domain without a record, by `given`; another organisation that has it loses it then.',
    refusals: ['conflict', 'forbidden', 'managed_by_file'],
    body: newBody(catalogued),
    make: ({ service, by, body }, repeatable) =>
      createDomain(service.store, by, newColumns(catalogued, body), repeatable),
  }),
  readRoute(domains, { summary: 'Read a domain', example: 'acme/acme.example' }),
  changeRoute(domains, {
    summary: 'Give a domain, or take that back',
    example: 'acme/acme.example --given',
    description: 'For somebody who administers everything.',
    refusals: ['forbidden', 'managed_by_file'],
    body: patchBody(catalogued),
    change: ({ service, by, body }, one) =>
      updateDomain(service.store, by, one, changedColumns(catalogued, body)),
  }),
  removeRoute(domains, {
    summary: 'Remove a domain',
    description:
      'Links of people stay, and nothing new is made by its addresses. One that was given, somebody who administers everything removes.',
    refusals: ['forbidden', 'managed_by_file'],
    remove: ({ service, by }, one) => deleteDomain(service.store, by, one),
  }),
]
