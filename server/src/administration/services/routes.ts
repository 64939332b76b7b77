import * as z from 'zod'
import { changedColumns, newColumns } from '../../catalogue/columns.ts'
import { newBody, patchBody, shownSchema } from '../../catalogue/schemas.ts'
import { service as catalogued } from '../../catalogue/service.ts'
import { iamAudience, iamService, serviceOf } from '../../protocol/permission.ts'
import { notFound, Problem, wrongField } from '../../protocol/problem.ts'
import type { Row } from '../by.ts'
import {
  createService,
  deleteService,
  listServices,
  readService,
  shownService,
  updateService,
} from './verbs.ts'
import { isFound } from '../search.ts'
import type { Authority } from '../authority.ts'
import { keyCursor, keyCursorText } from '../cursor.ts'
import { pageOf, paging, search } from '../fields.ts'
import { codeOf } from '../path.ts'
import { type Administered, answerWith, createdAnswer, madeAnswer, route, type Route } from '../route.ts'

const shape = shownSchema(catalogued).extend({
  built_in: z.boolean().describe('The administration API itself; it can not be changed.'),
})

export const serviceSchemas = { Service: shape, ServicePage: pageOf(shape) }

type Shown = z.output<typeof shape>

const builtIn = ({ issuer }: Administered): Shown => ({
  code: iamService,
  name: 'Administration',
  audience: iamAudience(issuer),
  access_token_alg: 'RS256',
  managed_by: null,
  built_in: true,
})

const oneAnswer = (row: Row<'services'>) => answerWith(shownService(row), row)
const newAnswer = (row: Row<'services'>) => madeAnswer(oneAnswer(row), `/services/${row.code}`)

/** An administrator of an organisation sees the services of which they hold a permission. */
const seenBy = ({ sees }: Authority): string[] | undefined => sees && [...new Set(sees.map(serviceOf))]

/** The code of the path; what is none, or is out of sight, names nothing. */
function serviceCode(text: string, authority: Authority): string {
  const own = codeOf(text, 'service')
  if (seenBy(authority)?.includes(own) === false) throw notFound('service')
  return own
}

function refuseBuiltIn(own: string): void {
  if (own !== iamService) return
  throw new Problem('forbidden', 'The service iam is built in and can not be changed.')
}

/** Tokens without a service are for the issuer, and the administration API has its own audience. */
function refuseOwnAudience({ issuer }: Administered, wanted: string | undefined): void {
  if (wanted !== issuer && wanted !== iamAudience(issuer)) return
  throw wrongField('audience', 'It belongs to Tessera itself.', 'conflict')
}

export const serviceRoutes: Route[] = [
  route({
    method: 'GET',
    path: '/services',
    permission: 'iam.services.read',
    summary: 'List services',
    description:
      'The built-in `iam` first, then the others by code. An administrator of an organisation sees those of which they hold a permission.',
    answers: 'ServicePage',
    query: z.strictObject({ q: search(), ...paging }),
    async handle({ service, by, query: { q, cursor, limit } }) {
      const within = seenBy(by.authority)
      const isFirst = cursor === undefined && isFound(q, iamService, builtIn(service).name)
      const first = isFirst && within?.includes(iamService) !== false ? [builtIn(service)] : []
      const room = limit - first.length
      const filter = { within, search: q }
      const { rows, next } = await listServices(service.store, filter, keyCursor(cursor), room)
      return {
        status: 200,
        body: { items: [...first, ...rows.map(shownService)], next_cursor: keyCursorText(next) },
      }
    },
  }),
  route({
    method: 'POST',
    path: '/services',
    permission: 'iam.services.create',
    summary: 'Add a service',
    description: 'For administrators of the whole installation.',
    answers: 'Service',
    refusals: ['conflict', 'forbidden'],
    body: newBody(catalogued),
    async handle({ service, by, body, repeatable }) {
      if (body.code === iamService) throw wrongField('code', 'It is built in.', 'conflict')
      refuseOwnAudience(service, body.audience)
      const columns = newColumns(catalogued, body)
      const created = await createService(service.store, by, columns, repeatable(newAnswer))
      return createdAnswer(created, newAnswer)
    },
  }),
  route({
    method: 'GET',
    path: '/services/:code',
    permission: 'iam.services.read',
    summary: 'Read a service',
    answers: 'Service',
    async handle({ service, by, param }) {
      const own = serviceCode(param('code'), by.authority)
      if (own === iamService) return { status: 200, body: builtIn(service) }
      const row = await readService(service.store, own)
      if (row === undefined) throw notFound('service')
      return oneAnswer(row)
    },
  }),
  route({
    method: 'PATCH',
    path: '/services/:code',
    permission: 'iam.services.update',
    summary: 'Change a service',
    description:
      'Tokens that were issued before keep the audience and the signature that they have; introspection tells nothing of an audience that is gone. For administrators of the whole installation.',
    answers: 'Service',
    refusals: ['conflict', 'forbidden', 'managed_by_file'],
    body: patchBody(catalogued),
    async handle({ service, by, body, param, versions }) {
      const own = serviceCode(param('code'), by.authority)
      refuseBuiltIn(own)
      refuseOwnAudience(service, body.audience)
      const set = changedColumns(catalogued, body)
      return oneAnswer(await updateService(service.store, by, { code: own, versions, set }))
    },
  }),
  route({
    method: 'DELETE',
    path: '/services/:code',
    permission: 'iam.services.delete',
    summary: 'Remove a service',
    description:
      'With its permissions, also from the roles that give them and the clients that list them. For administrators of the whole installation.',
    answers: undefined,
    refusals: ['forbidden', 'managed_by_file'],
    async handle({ service, by, param, versions }) {
      const own = serviceCode(param('code'), by.authority)
      refuseBuiltIn(own)
      await deleteService(service.store, by, { code: own, versions })
      return { status: 204 }
    },
  }),
]
