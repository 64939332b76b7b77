import { shownOf } from '../../catalogue/columns.ts'
import * as kinds from '../../catalogue/kinds.ts'
import { shownSchema } from '../../catalogue/schemas.ts'
import { defined, time } from '../../catalogue/thing.ts'
import { pageOf } from '../fields.ts'
import { uuidOf } from '../path.ts'
import { listRoute } from '../resource-routes.ts'
import { route, type Route } from '../route.ts'
import { type Link, listLinks, removeLink } from './verbs.ts'

const link = defined({
  upstream_uuid: { kind: kinds.uuid },
  subject: { kind: kinds.anyText(), description: 'Who the person is there, for good.' },
  by_hand: { kind: kinds.flag, description: 'Whether the person linked it from their account.' },
  created_at: time,
  last_sign_in_at: time,
  groups_at: { ...time, nullable: true, description: 'When the upstream told groups last.' },
})

export const linkSchemas = { LinkPage: pageOf(shownSchema(link)) }

export const linkRoutes: Route[] = [
  listRoute({
    path: '/users/:uuid/links',
    permission: 'iam.links.read',
    summary: 'List the links of a user to upstreams',
    description: 'At upstreams that you administer.',
    answers: 'LinkPage',
    file: shownSchema(link),
    refusals: ['not_found'],
    shown: (row: Link) => shownOf(link, row),
    rows: ({ service, by, param, after, limit }) => {
      const asked = { user_uuid: uuidOf(param('uuid'), 'user'), authority: by.authority }
      return listLinks(service.store, asked, after(1), limit)
    },
  }),
  route({
    method: 'DELETE',
    path: '/users/:uuid/links/:upstream_uuid',
    permission: 'iam.links.delete',
    summary: 'Remove a link of a user to an upstream',
    description:
      'What rests on it ends, with the profiles that the upstream gives. Their next sign-in there is a first one. It needs all that the person holds, at every place. Nobody does it to themself.',
    refusals: ['forbidden'],
    handle: ({ service, by, param }) =>
      removeLink(service.store, by, {
        user_uuid: uuidOf(param('uuid'), 'user'),
        upstream_uuid: uuidOf(param('upstream_uuid'), 'link'),
      }),
  }),
]
