import { changedColumns, newColumns } from '../../catalogue/columns.ts'
import { newBody, patchBody, shownSchema } from '../../catalogue/schemas.ts'
import { upstream as catalogued } from '../../catalogue/upstream.ts'
import { checked } from '../../catalogue/checked.ts'
import { textProblem } from '../../protocol/values.ts'
import { code, pageOf, uuid } from '../fields.ts'
import { listOwned } from '../owned.ts'
import { changeRoute, createRoute, listed, listRoute, readRoute, removeRoute } from '../resource-routes.ts'
import type { Route } from '../route.ts'
import { createUpstream, deleteUpstream, updateUpstream, upstreams } from './verbs.ts'

const shown = shownSchema(catalogued)

export const upstreamSchemas = { Upstream: shown, UpstreamPage: pageOf(shown) }

const secret = checked(textProblem(1000), 1000).nullable().optional()
const secrets = {
  client_secret: secret.describe(
    'Of OpenID Connect: the secret of the client. Kept encrypted, and never shown.',
  ),
  bind_password: secret.describe('Of LDAP: the password of `bind_dn`. Kept encrypted, and never shown.'),
}

const opens =
  'It needs that you could give each profile of its `mapping`, and whatever anybody holds in the organisation: it can sign in everybody there. One of the whole installation takes somebody who administers everything.'

export const upstreamRoutes: Route[] = [
  listRoute({
    ...listed(upstreams),
    file: shown,
    summary: 'List upstreams',
    example: '--organisation acme',
    columns: ['organisation_uuid', 'code', 'name', 'kind', 'active'],
    description: 'By uuid. An administrator of an organisation sees those of it.',
    query: { organisation_uuid: uuid.optional(), code: code.optional() },
    rows: ({ service, by, query, after, limit }) =>
      listOwned(service.store.db, 'upstreams', by.authority.reach, query, { after: after(1), limit }),
  }),
  createRoute(upstreams, {
    summary: 'Add an upstream',
    example:
      "entra --organisation acme --kind oidc --name 'Acme' --issuer https://login.microsoftonline.com/6a7c4f0e-3d7b-4c55-9c0e-5b1f5a1d2e3f/v2.0 --client 1b2c --secret-stdin < secret",
    named: 'code',
    description: `A provider by which people sign in: \`oidc\` needs \`issuer\` and \`client_id\`, \`saml\` its entityID as \`issuer\` and \`metadata_url\` or \`metadata\`, \`ldap\` needs \`url\`, \`bind_dn\` and \`base\`. ${opens}`,
    refusals: ['conflict', 'forbidden'],
    body: newBody(catalogued).extend(secrets),
    make: ({ service, by, body }, repeatable) =>
      createUpstream(
        service.store,
        by,
        newColumns(catalogued, body),
        { said: body, secret: service.settings.secret },
        repeatable,
      ),
  }),
  readRoute(upstreams, { summary: 'Read an upstream', example: 'acme/entra' }),
  changeRoute(upstreams, {
    summary: 'Change or disable an upstream',
    example: "acme/entra --name 'Acme'",
    description: `Disabled, it signs nobody in, and what it proved counts no more, at once. Its kind, issuer, address, base and subject never change: another one is another upstream. ${opens} \`name\`, \`logout\` and \`secret_expires_at\` need less.`,
    refusals: ['forbidden', 'managed_by_file'],
    body: patchBody(catalogued).extend(secrets),
    change: ({ service, by, body }, one) =>
      updateUpstream(service.store, by, one, changedColumns(catalogued, body), {
        said: body,
        secret: service.settings.secret,
      }),
  }),
  removeRoute(upstreams, {
    summary: 'Remove an upstream',
    description:
      'With its links: one of the same code that is made later knows nobody. Profiles that it gives end, unless something else gives them too.',
    refusals: ['forbidden', 'managed_by_file'],
    remove: ({ service, by }, one) => deleteUpstream(service.store, by, one),
  }),
]
