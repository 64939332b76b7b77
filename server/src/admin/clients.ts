import * as z from 'zod'
import { notFound, wrongField } from '../protocol/problem.ts'
import { clientIdProblem } from '../protocol/values.ts'
import { addClientSecret, type MadeSecret, removeClientSecret } from '../store/admin/client-secrets.ts'
import { listClients, searchClients } from '../store/admin/client-list.ts'
import {
  type AdministeredClient,
  createClient,
  deleteClient,
  readClient,
  updateClient,
} from '../store/admin/clients.ts'
import { newSecret } from '../store/identifier.ts'
import {
  checkTogether,
  client,
  clientPatch,
  clientSecret,
  columnsOf,
  createdClient,
  defaultsOf,
  newClient,
  secretOf,
  shownClient,
  shownSecret,
} from './client-fields.ts'
import { keyCursor, keyCursorText, pairCursor, pairCursorText } from './cursor.ts'
import { flag, instant, millisecondsOf, pageOf, paging, text, uuid } from './fields.ts'
import { type Answer, createdAnswer, route, type Route } from './route.ts'

const createdSecret = shownSecret.extend({ client_secret: clientSecret.optional() })

export const clientSchemas = {
  Client: client,
  ClientPage: pageOf(client),
  CreatedClient: createdClient,
  CreatedClientSecret: createdSecret,
}

/** The id of the path; what is none names nothing. */
function clientIdOf(text: string): string {
  if (clientIdProblem(text) !== undefined) throw notFound('client')
  return text
}

const answerWith = (row: AdministeredClient): Answer => ({
  status: 200,
  body: shownClient(row),
  version: row.version,
})

const madeAnswer =
  (secret: string | undefined) =>
  (made: AdministeredClient): Answer => ({
    status: 201,
    body: { ...shownClient(made), ...(secret !== undefined && { client_secret: secret }) },
    version: made.version,
    location: `/clients/${made.client_id}`,
  })

const secretAnswer =
  (secret: string | undefined) =>
  (made: MadeSecret): Answer => ({
    status: 201,
    body: { ...secretOf(made), ...(secret !== undefined && { client_secret: secret }) },
    location: `/clients/${made.client_id}/secrets/${made.id}`,
  })

export const clientRoutes: Route[] = [
  route({
    method: 'GET',
    path: '/clients',
    permission: 'iam.clients.read',
    summary: 'List and search clients',
    description: 'By client_id; what a search finds, in the order of what begins so.',
    answers: 'ClientPage',
    query: z.strictObject({
      q: text(200)
        .optional()
        .describe(
          'The beginning of a client_id or of any word of a client_name, whatever its case; words end at a space or a hyphen.',
        ),
      organisation_uuid: uuid.optional(),
      type: z.enum(['public', 'machine']).optional(),
      active: flag.optional(),
      ...paging,
    }),
    async handle({ service, actor, query: { q, organisation_uuid, type, active, cursor, limit } }) {
      const { store } = service
      const filter = { reach: actor.reach, organisationUuid: organisation_uuid, type, active }
      if (q === undefined) {
        const { rows, next } = await listClients(store, filter, keyCursor(cursor), limit)
        return { status: 200, body: { items: rows.map(shownClient), next_cursor: keyCursorText(next) } }
      }
      const [words, clientId = ''] = pairCursor(cursor) ?? []
      const after = words === undefined ? undefined : { words, clientId }
      const { rows, next } = await searchClients(store, { ...filter, search: q }, after, limit)
      const nextCursor = pairCursorText(next && [next.words, next.clientId])
      return { status: 200, body: { items: rows.map(shownClient), next_cursor: nextCursor } }
    },
  }),
  route({
    method: 'POST',
    path: '/clients',
    permission: 'iam.clients.create',
    summary: 'Add a client',
    description: 'A machine gets its first secret, which is in the answer and never shown again.',
    answers: 'CreatedClient',
    refusals: ['conflict', 'forbidden'],
    body: newClient,
    async handle({ service, actor, by, body, repeatable }) {
      const { client_id: clientId, type, token_endpoint_auth_method: method, ...sent } = body
      const columns = { ...defaultsOf(body), ...columnsOf(sent) }
      checkTogether(type, columns, method)
      const secret = type === 'machine' ? newSecret() : undefined
      // What is kept to be repeated does not hold the secret.
      const options = { show: shownClient, repeatable: repeatable(madeAnswer(undefined)) }
      const made = { clientId, type, columns, secret }
      const created = await createClient(service.store, by, actor, made, options)
      return createdAnswer(created, madeAnswer(secret))
    },
  }),
  route({
    method: 'GET',
    path: '/clients/:client_id',
    permission: 'iam.clients.read',
    summary: 'Read a client',
    answers: 'Client',
    async handle({ service, actor, param }) {
      const row = await readClient(service.store, clientIdOf(param('client_id')), actor.reach)
      if (row === undefined) throw notFound('client')
      return answerWith(row)
    },
  }),
  route({
    method: 'PATCH',
    path: '/clients/:client_id',
    permission: 'iam.clients.update',
    summary: 'Change or disable a client',
    description:
      'Disabling ends every token that was issued through it at once. Its client_id and type never change.',
    answers: 'Client',
    refusals: ['forbidden', 'managed_by_file'],
    body: clientPatch,
    async handle({ service, actor, by, body, param, versions }) {
      const asked = {
        clientId: clientIdOf(param('client_id')),
        versions,
        set: (before: Omit<AdministeredClient, 'secrets'>) => {
          const set = columnsOf(body)
          checkTogether(before.type, { ...before, ...set })
          return set
        },
      }
      return answerWith(await updateClient(service.store, by, actor, asked, shownClient))
    },
  }),
  route({
    method: 'DELETE',
    path: '/clients/:client_id',
    permission: 'iam.clients.delete',
    summary: 'Remove a client',
    description: 'With its secrets and the consents given to it; the tokens that were issued through it end.',
    answers: undefined,
    refusals: ['forbidden', 'managed_by_file'],
    async handle({ service, actor, by, param, versions }) {
      const clientId = clientIdOf(param('client_id'))
      await deleteClient(service.store, by, actor, { clientId, versions }, shownClient)
      return { status: 204 }
    },
  }),
  route({
    method: 'POST',
    path: '/clients/:client_id/secrets',
    permission: 'iam.clients.update',
    summary: 'Give a machine another secret',
    description:
      'Both count until one is removed or runs out, so that it can be replaced without an outage. It is in this answer alone. A third is refused.',
    answers: 'CreatedClientSecret',
    refusals: ['conflict', 'forbidden'],
    body: z.strictObject({ expires_at: instant.nullable().optional().describe('It counts until then.') }),
    async handle({ service, actor, by, body, param, repeatable }) {
      const expiresAt = typeof body.expires_at === 'string' ? millisecondsOf(body.expires_at) : null
      if (expiresAt !== null && expiresAt <= by.now) throw wrongField('expires_at', 'It is over already.')
      const secret = newSecret()
      const made = { clientId: clientIdOf(param('client_id')), secret, expiresAt }
      const options = { show: shownClient, repeatable: repeatable(secretAnswer(undefined)) }
      const created = await addClientSecret(service.store, by, actor, made, options)
      return createdAnswer(created, secretAnswer(secret))
    },
  }),
  route({
    method: 'DELETE',
    path: '/clients/:client_id/secrets/:secret_id',
    permission: 'iam.clients.update',
    summary: 'Remove a secret of a machine',
    description: 'It does not count any more, at once. Tokens that it gave live until they expire.',
    answers: undefined,
    refusals: ['forbidden'],
    async handle({ service, actor, by, param, versions }) {
      const asked = { clientId: clientIdOf(param('client_id')), id: param('secret_id'), versions }
      await removeClientSecret(service.store, by, actor, asked, shownClient)
      return { status: 204 }
    },
  }),
]
