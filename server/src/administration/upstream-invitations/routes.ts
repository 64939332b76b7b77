import * as z from 'zod'
import { newSecret } from '../../protocol/identifier.ts'
import { notFound } from '../../protocol/problem.ts'
import { proveDomain } from '../../upstream/domains.ts'
import { originOf } from '../change.ts'
import { code, uuid } from '../fields.ts'
import { uuidOf } from '../path.ts'
import { listRoute } from '../resource-routes.ts'
import { type AdministrationService, createdAnswer, route, type Route, type RouteResponse } from '../route.ts'
import { confirmUpstreamInvitation } from './confirm.ts'
import { shownAt, shownInvitation, states, type UpstreamInvitation } from './shown.ts'
import {
  createUpstreamInvitation,
  findUpstreamInvitation,
  listUpstreamInvitations,
  permission,
  withdrawUpstreamInvitation,
} from './verbs.ts'

export { upstreamInvitationSchemas } from './shown.ts'

const path = '/upstream-invitations'
const one = `${path}/:uuid`
const thing = 'upstream invitation'

/** The page that a set-up link leads to. */
export const connectPath = '/connect'

const madeAnswer =
  ({ issuer }: Pick<AdministrationService, 'issuer'>, link?: string) =>
  (row: UpstreamInvitation): RouteResponse => ({
    status: 201,
    body: {
      ...shownAt(row, row.created_at),
      ...(link !== undefined && { address: `${issuer}${connectPath}?link=${link}` }),
    },
    location: `${path}/${row.uuid}`,
  })

export const upstreamInvitationRoutes: Route[] = [
  listRoute({
    path,
    permission: 'iam.upstreams.read',
    summary: 'List set-up links',
    columns: ['uuid', 'organisation_uuid', 'state', 'created_at', 'expires_at'],
    description:
      'By uuid, with what was entered by each, never its secrets. One is removed thirty days after its end.',
    answers: 'UpstreamInvitationPage',
    file: shownInvitation,
    query: { organisation_uuid: uuid.optional(), state: z.enum(states).optional() },
    shown: (item: { row: UpstreamInvitation; now: number }) => shownAt(item.row, item.now),
    async rows({ service, by, query, after, limit }) {
      const { now, authority } = by
      const page = await listUpstreamInvitations(service.store, authority.reach, query, {
        after: after(1),
        limit,
        now,
      })
      return { ...page, rows: page.rows.map((row) => ({ row, now })) }
    },
  }),
  route({
    method: 'POST',
    path,
    permission,
    summary: 'Make a set-up link',
    description:
      'With it the organisation sets up its domain, its upstream and SCIM itself, without an account, for three days, in one browser. Nothing counts before somebody who could make all of that confirms it. It ends with your right to make it.',
    answers: 'CreatedUpstreamInvitation',
    refusals: ['conflict', 'forbidden'],
    body: z.strictObject({ organisation_uuid: uuid }),
    async handle({ service, by, body, repeatable }) {
      const link = newSecret()
      const asked = { ...body, link, secret: service.settings.secret }
      // What is kept to be repeated does not hold the link.
      const repeated = repeatable(madeAnswer(service))
      const created = await createUpstreamInvitation(service.store, by, asked, repeated)
      return createdAnswer(created, madeAnswer(service, link))
    },
  }),
  route({
    method: 'GET',
    path: one,
    permission: 'iam.upstreams.read',
    summary: 'Read a set-up link, and what was entered by it',
    answers: 'UpstreamInvitation',
    async handle({ service, by, param }) {
      const row = await findUpstreamInvitation(service.store.db, uuidOf(param('uuid'), thing), by.authority)
      if (row === undefined) throw notFound(thing)
      return { status: 200, body: shownAt(row, by.now) }
    },
  }),
  route({
    method: 'POST',
    path: `${one}/confirm`,
    permission,
    summary: 'Confirm what an organisation handed in',
    description:
      'Makes the claim of the domain, the upstream, and a directory with its token: you could make each of them. `entry_hash` is that of what you saw; anything else is refused. The record of the domain is looked at then.',
    answers: 'ConfirmedUpstreamInvitation',
    repeatable: false,
    refusals: ['conflict', 'forbidden', 'managed_by_file'],
    body: z.strictObject({
      entry_hash: z.string().max(100).describe('Of what was handed in, as it was shown.'),
      code: code
        .optional()
        .describe('Another code of the upstream: the one that was entered may be taken meanwhile.'),
      directory_code: code.optional().describe('Another code of the directory.'),
    }),
    async handle({ service, by, body, param }) {
      const asked = { uuid: uuidOf(param('uuid'), thing), ...body }
      const { row, made } = await confirmUpstreamInvitation(service.store, by, asked, service.settings.secret)
      // A change that is tried out reaches nobody.
      if (made.domain !== null && by.tried === undefined)
        await proveDomain(service, made.domain, { now: by.now, ...originOf(by) })
      return { status: 200, body: { ...shownAt(row, by.now), made } }
    },
  }),
  route({
    method: 'DELETE',
    path: one,
    permission,
    summary: 'Withdraw a set-up link, with what was entered by it',
    refusals: ['conflict'],
    handle: ({ service, by, param }) =>
      withdrawUpstreamInvitation(service.store, by, uuidOf(param('uuid'), thing)),
  }),
]
