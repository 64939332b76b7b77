import * as z from 'zod'
import { changedColumns, newColumns } from '../../catalogue/columns.ts'
import { newBody, patchBody, shownSchema } from '../../catalogue/schemas.ts'
import { service as catalogued } from '../../catalogue/service.ts'
import { iamAudience, iamService } from '../../protocol/permission.ts'
import { Problem, wrongField } from '../../protocol/problem.ts'
import { pageOf, search } from '../fields.ts'
import { changeRoute, createRoute, listed, listRoute, readRoute, removeRoute } from '../resource-routes.ts'
import type { AdministrationService, Route } from '../route.ts'
import { isFound } from '../search.ts'
import { createService, deleteService, listServices, seenBy, services, updateService } from './verbs.ts'

const shape = shownSchema(catalogued).extend({
  built_in: z.boolean().describe('The administration API itself; it can not be changed.'),
})

export const serviceSchemas = { Service: shape, ServicePage: pageOf(shape) }

const builtIn = ({ issuer }: AdministrationService): z.output<typeof shape> => ({
  code: iamService,
  name: 'Administration',
  description: null,
  audience: iamAudience(issuer),
  access_token_alg: 'RS256',
  access_token_typ: 'at+jwt',
  managed_by: null,
  built_in: true,
})

function refuseBuiltIn(own: string): void {
  if (own !== iamService) return
  throw new Problem('forbidden', 'The service iam is built in and can not be changed.')
}

/** Tokens without a service are for the issuer, and the administration API has its own audience. */
function refuseOwnAudience({ issuer }: AdministrationService, wanted: string | undefined): void {
  if (wanted !== issuer && wanted !== iamAudience(issuer)) return
  throw wrongField('audience', 'It belongs to Tessera itself.', 'conflict')
}

export const serviceRoutes: Route[] = [
  listRoute({
    ...listed(services),
    file: shape,
    summary: 'List services',
    example: '--search pr',
    columns: ['code', 'name', 'audience', 'access_token_alg'],
    description:
      'The built-in `iam` first, then the others by code. An administrator of an organisation sees those of which they hold a permission.',
    query: { q: search() },
    shown: (one: object) => one,
    async rows({ service, by, query: { q }, after, limit }) {
      const from = after(1)
      const within = seenBy(by.authority)
      const own = builtIn(service)
      const isSeen = within?.includes(iamService) !== false && isFound(q, own.code, own.name)
      const first = from === undefined && isSeen ? [own] : []
      const { rows, next } = await listServices(service.store, { within, q }, from, limit - first.length)
      return { rows: [...first, ...rows.map(services.shown)], next }
    },
  }),
  createRoute(services, {
    summary: 'Add a service',
    example: "press --name 'Sample press' --audience https://press.acme.example/api",
    named: 'code',
    description: 'For administrators of the whole installation.',
    refusals: ['conflict', 'forbidden'],
    body: newBody(catalogued),
    async make({ service, by, body }, repeatable) {
      if (body.code === iamService) throw wrongField('code', 'It is built in.', 'conflict')
      refuseOwnAudience(service, body.audience)
      return await createService(service.store, by, newColumns(catalogued, body), repeatable)
    },
  }),
  readRoute(services, {
    summary: 'Read a service',
    example: 'press',
    builtIn: (code, service) => (code === iamService ? builtIn(service) : undefined),
  }),
  changeRoute(services, {
    summary: 'Change a service',
    example: 'press --access-token-alg ES256',
    description:
      'Tokens that were issued before keep the audience and the signature that they have; introspection tells nothing of an audience that is gone. For administrators of the whole installation.',
    refusals: ['conflict', 'forbidden', 'managed_by_file'],
    body: patchBody(catalogued),
    async change({ service, by, body }, one) {
      refuseBuiltIn(one.id)
      refuseOwnAudience(service, body.audience)
      return await updateService(service.store, by, one, changedColumns(catalogued, body))
    },
  }),
  removeRoute(services, {
    summary: 'Remove a service',
    description:
      'With its permissions, also from the roles that give them and the clients that list them. For administrators of the whole installation.',
    refusals: ['forbidden', 'managed_by_file'],
    async remove({ service, by }, one) {
      refuseBuiltIn(one.id)
      await deleteService(service.store, by, one)
    },
  }),
]
