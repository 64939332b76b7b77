import * as z from 'zod'
import { changedColumns, newColumns, shownOf } from '../../catalogue/columns.ts'
import { directory as catalogued } from '../../catalogue/directory.ts'
import * as kinds from '../../catalogue/kinds.ts'
import { newBody, patchBody, shownSchema } from '../../catalogue/schemas.ts'
import { hashSecret, newSecret } from '../../protocol/identifier.ts'
import { code, instant, millisecondsOf, pageOf, uuid } from '../fields.ts'
import { idOf, uuidOf } from '../path.ts'
import { listOwned } from '../owned.ts'
import { changeRoute, createRoute, listed, listRoute, readRoute, removeRoute } from '../resource-routes.ts'
import { createdAnswer, route, type Route } from '../route.ts'
import { listResources, shownResource } from './resources.ts'
import { addToken, type DirectoryToken, listTokens, removeToken } from './tokens.ts'
import { createDirectory, deleteDirectory, directories, updateDirectory } from './verbs.ts'

const shown = shownSchema(catalogued)
/** What is told of a token: never its text. */
const token = {
  id: { kind: kinds.anyText() },
  created_at: { kind: kinds.instant },
  expires_at: { kind: kinds.instant },
  last_used_at: { kind: kinds.instant, nullable: true },
} as const
const shownToken = shownSchema(token)
const resource = z.object({
  id: z.string().describe('The `id` that the directory knows.'),
  kind: z.enum(['User', 'Group']),
  name: z.string().describe('The `userName` of a User, the `displayName` of a Group.'),
  external_id: z.string().nullable(),
  active: z.boolean(),
  state: z
    .enum(['signed_in', 'not_signed_in_yet'])
    .nullable()
    .describe('Of a User. Until its person signs in, nothing tells whether there is an account.'),
  user_uuid: z.string().nullable().describe('Of a User whose person has signed in.'),
  updated_at: z.iso.datetime(),
})

export const directorySchemas = {
  Directory: shown,
  DirectoryPage: pageOf(shown),
  DirectoryTokenPage: pageOf(shownToken),
  DirectoryResourcePage: pageOf(resource),
  CreatedDirectoryToken: shownToken.extend({ token: z.string().describe('Shown this once.').optional() }),
}

const opens =
  'It needs that you could give each profile of its `mapping`, and whatever anybody holds in the organisation: a directory writes the addresses of its people.'

const newAnswer = (text: string | undefined) => (made: DirectoryToken) => ({
  status: 201 as const,
  body: { ...shownOf(token, made), ...(text !== undefined && { token: text }) },
})

export const directoryRoutes: Route[] = [
  listRoute({
    ...listed(directories),
    file: shown,
    summary: 'List directories',
    example: '--organisation acme',
    columns: ['organisation_uuid', 'code', 'name', 'active'],
    description: 'By uuid. An administrator of an organisation sees those of it.',
    query: { organisation_uuid: uuid.optional(), code: code.optional() },
    rows: ({ service, by, query, after, limit }) =>
      listOwned(service.store.db, 'directories', by.authority.reach, query, { after: after(1), limit }),
  }),
  createRoute(directories, {
    summary: 'Add a directory',
    example: "scim --organisation acme --name 'Entra of Acme'",
    named: 'code',
    description: `It provisions people by SCIM, with a token of its own. ${opens}`,
    refusals: ['conflict', 'forbidden', 'managed_by_file'],
    body: newBody(catalogued),
    make: ({ service, by, body }, repeatable) =>
      createDirectory(service.store, by, newColumns(catalogued, body), repeatable),
  }),
  readRoute(directories, { summary: 'Read a directory', example: 'acme/scim' }),
  changeRoute(directories, {
    summary: 'Change or disable a directory',
    example: "acme/scim --name 'Okta of Acme'",
    description: `Disabled, it takes no token, and its profiles do not count. ${opens} \`name\` needs less.`,
    refusals: ['forbidden', 'managed_by_file'],
    body: patchBody(catalogued),
    change: ({ service, by, body }, one) =>
      updateDirectory(service.store, by, one, changedColumns(catalogued, body)),
  }),
  removeRoute(directories, {
    summary: 'Remove a directory',
    description:
      'With its tokens and resources. Profiles that it gives end, unless something else gives them too.',
    refusals: ['forbidden', 'managed_by_file'],
    remove: ({ service, by }, one) => deleteDirectory(service.store, by, one),
  }),
  listRoute({
    path: '/directories/:uuid/tokens',
    permission: 'iam.directories.read',
    summary: 'List the tokens of a directory',
    description: 'Never the tokens themselves.',
    answers: 'DirectoryTokenPage',
    file: shownToken,
    refusals: ['not_found'],
    shown: (row: DirectoryToken) => shownOf(token, row),
    rows: ({ service, by, param, after, limit }) => {
      const asked = { uuid: uuidOf(param('uuid'), 'directory'), authority: by.authority }
      return listTokens(service.store, asked, after(1), limit)
    },
  }),
  listRoute({
    path: '/directories/:uuid/resources',
    permission: 'iam.directories.read',
    summary: 'List what a directory has told of',
    description: 'Its Users and Groups by id, as it named them.',
    answers: 'DirectoryResourcePage',
    file: resource,
    refusals: ['not_found'],
    query: { kind: z.enum(['User', 'Group']).optional() },
    shown: shownResource,
    rows: ({ service, by, param, query: { kind }, after, limit }) => {
      const asked = { uuid: uuidOf(param('uuid'), 'directory'), kind, authority: by.authority }
      return listResources(service.store, asked, after(1), limit)
    },
  }),
  route({
    method: 'POST',
    path: '/directories/:uuid/tokens',
    permission: 'iam.directories.update',
    summary: 'Add a token to a directory',
    description: `Shown this once. Two count at a time, so that one is replaced without an outage. ${opens}`,
    answers: 'CreatedDirectoryToken',
    refusals: ['conflict', 'forbidden', 'not_found'],
    body: z.strictObject({ expires_at: instant.describe('At most two years from now.') }),
    async handle({ service, by, body, param, repeatable }) {
      const text = newSecret()
      const asked = { hash: hashSecret(text), expiresAt: millisecondsOf(body.expires_at) }
      const uuid = uuidOf(param('uuid'), 'directory')
      // What is kept to be repeated does not hold the token.
      const created = await addToken(service.store, by, { uuid, ...asked }, repeatable(newAnswer(undefined)))
      return createdAnswer(created, newAnswer(text))
    },
  }),
  route({
    method: 'DELETE',
    path: '/directories/:uuid/tokens/:id',
    permission: 'iam.directories.update',
    summary: 'Revoke a token of a directory',
    refusals: ['not_found', 'forbidden'],
    handle: ({ service, by, param }) =>
      removeToken(service.store, by, uuidOf(param('uuid'), 'directory'), idOf(param('id'), 'token')),
  }),
]
