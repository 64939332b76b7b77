import * as z from 'zod'
import { iamAudience, iamService, serviceOf } from '../protocol/permission.ts'
import { notFound, Problem, wrongField } from '../protocol/problem.ts'
import { signingAlgs } from '../protocol/signing-alg.ts'
import type { Row } from '../store/admin/change.ts'
import {
  createService,
  deleteService,
  listServices,
  readService,
  updateService,
} from '../store/admin/services.ts'
import type { Actor } from './actor.ts'
import { keyCursor, keyCursorText } from './cursor.ts'
import { audience, code, codeStart, managedBy, pageOf, paging, text } from './fields.ts'
import { codeOf } from './path.ts'
import { type Administered, type Answer, createdAnswer, route, type Route } from './route.ts'

const accessTokenAlg = z
  .enum(signingAlgs)
  .describe(
    'What its access tokens are signed with. One for several services is ES256 when each asks for it.',
  )

const shape = z.object({
  code: code.describe('What its permissions begin with; never changes.'),
  name: text(200),
  audience: audience.describe('Stands in `aud` of the access tokens that are meant for it.'),
  access_token_alg: accessTokenAlg,
  managed_by: managedBy,
  built_in: z.boolean().describe('The administration API itself; it can not be changed.'),
})

const newService = z.strictObject({
  code,
  name: text(200),
  audience,
  access_token_alg: accessTokenAlg.default('RS256'),
})
const servicePatch = z.strictObject({
  name: text(200).optional(),
  audience: audience.optional(),
  access_token_alg: accessTokenAlg.optional(),
})

export const serviceSchemas = { Service: shape, ServicePage: pageOf(shape) }

type Shown = z.output<typeof shape>

const shown = (row: Row<'services'>): Shown => ({
  code: row.code,
  name: row.name,
  audience: row.audience,
  access_token_alg: row.access_token_alg,
  managed_by: row.managed_by,
  built_in: false,
})

const builtIn = ({ issuer }: Administered): Shown => ({
  code: iamService,
  name: 'Administration',
  audience: iamAudience(issuer),
  access_token_alg: 'RS256',
  managed_by: null,
  built_in: true,
})

const answerWith = (row: Row<'services'>): Answer => ({ status: 200, body: shown(row), version: row.version })

const madeAnswer = (row: Row<'services'>): Answer => ({
  ...answerWith(row),
  status: 201,
  location: `/services/${row.code}`,
})

/** Whoever administers an organisation sees the services of which they hold a permission. */
const seenBy = ({ sees }: Actor): string[] | undefined => sees && [...new Set(sees.map(serviceOf))]

/** The code of the path; what is none, or is out of sight, names nothing. */
function serviceCode(text: string, actor: Actor): string {
  const own = codeOf(text, 'service')
  if (seenBy(actor)?.includes(own) === false) throw notFound('service')
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
      'The built-in `iam` first, then the others by code. Whoever administers an organisation sees those of which they hold a permission.',
    answers: 'ServicePage',
    query: z.strictObject({ q: codeStart.optional(), ...paging }),
    async handle({ service, actor, query: { q, cursor, limit } }) {
      const within = seenBy(actor)
      const isFirst = cursor === undefined && iamService.startsWith(q ?? '')
      const first = isFirst && within?.includes(iamService) !== false ? [builtIn(service)] : []
      const room = limit - first.length
      const filter = { within, search: q }
      const { rows, next } = await listServices(service.store, filter, keyCursor(cursor), room)
      return {
        status: 200,
        body: { items: [...first, ...rows.map(shown)], next_cursor: keyCursorText(next) },
      }
    },
  }),
  route({
    method: 'POST',
    path: '/services',
    permission: 'iam.services.create',
    summary: 'Add a service',
    description: 'For whoever administers the whole installation.',
    answers: 'Service',
    refusals: ['conflict', 'forbidden'],
    body: newService,
    async handle({ service, actor, by, body, repeatable }) {
      if (body.code === iamService) throw wrongField('code', 'It is built in.', 'conflict')
      refuseOwnAudience(service, body.audience)
      const options = { show: shown, repeatable: repeatable(madeAnswer) }
      return createdAnswer(await createService(service.store, by, actor, body, options), madeAnswer)
    },
  }),
  route({
    method: 'GET',
    path: '/services/:code',
    permission: 'iam.services.read',
    summary: 'Read a service',
    answers: 'Service',
    async handle({ service, actor, param }) {
      const own = serviceCode(param('code'), actor)
      if (own === iamService) return { status: 200, body: builtIn(service) }
      const row = await readService(service.store, own)
      if (row === undefined) throw notFound('service')
      return answerWith(row)
    },
  }),
  route({
    method: 'PATCH',
    path: '/services/:code',
    permission: 'iam.services.update',
    summary: 'Change a service',
    description:
      'Tokens that were issued before keep the audience and the signature that they have. For whoever administers the whole installation.',
    answers: 'Service',
    refusals: ['conflict', 'forbidden', 'managed_by_file'],
    body: servicePatch,
    async handle({
      service,
      actor,
      by,
      body: { name, audience: wanted, access_token_alg },
      param,
      versions,
    }) {
      const own = serviceCode(param('code'), actor)
      refuseBuiltIn(own)
      refuseOwnAudience(service, wanted)
      const set = {
        ...(name !== undefined && { name }),
        ...(wanted !== undefined && { audience: wanted }),
        ...(access_token_alg !== undefined && { access_token_alg }),
      }
      return answerWith(await updateService(service.store, by, actor, { code: own, versions, set }, shown))
    },
  }),
  route({
    method: 'DELETE',
    path: '/services/:code',
    permission: 'iam.services.delete',
    summary: 'Remove a service',
    description:
      'With its permissions, also from the roles that give them and the clients that list them. For whoever administers the whole installation.',
    answers: undefined,
    refusals: ['forbidden', 'managed_by_file'],
    async handle({ service, actor, by, param, versions }) {
      const own = serviceCode(param('code'), actor)
      refuseBuiltIn(own)
      await deleteService(service.store, by, actor, { code: own, versions }, shown)
      return { status: 204 }
    },
  }),
]
