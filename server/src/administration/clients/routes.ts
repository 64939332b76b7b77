import * as z from 'zod'
import { changedColumns, shownOf } from '../../catalogue/columns.ts'
import { client as catalogued } from '../../catalogue/client.ts'
import { patchBody } from '../../catalogue/schemas.ts'
import { secret as secretFields } from '../../catalogue/secret.ts'
import { notFound, wrongField } from '../../protocol/problem.ts'
import { clientIdProblem } from '../../protocol/values.ts'
import { addClientSecret, type MadeSecret, removeClientSecret } from './secrets.ts'
import { listClients, searchClients } from './list.ts'
import { createClient, deleteClient, readClient, updateClient } from './verbs.ts'
import { newSecret } from '../../protocol/identifier.ts'
import {
  type AdministeredClient,
  checkTogether,
  client,
  clientSecret,
  columnsOf,
  createdClient,
  newClient,
  shownClient,
  shownSecret,
} from './fields.ts'
import { keyCursor, keyCursorText, pairCursor, pairCursorText } from '../cursor.ts'
import { flag, instant, millisecondsOf, pageOf, paging, text, uuid } from '../fields.ts'
import { type Answer, answerWith, createdAnswer, madeAnswer, route, type Route } from '../route.ts'

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

const oneAnswer = (row: AdministeredClient) => answerWith(shownClient(row), row)

const newAnswer = (secret: string | undefined) => (made: AdministeredClient) => {
  const shown = { ...shownClient(made), ...(secret !== undefined && { client_secret: secret }) }
  return madeAnswer(answerWith(shown, made), `/clients/${made.client_id}`)
}

const secretAnswer =
  (secret: string | undefined) =>
  (made: MadeSecret): Answer => ({
    status: 201,
    body: { ...shownOf(secretFields, made), ...(secret !== undefined && { client_secret: secret }) },
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
    async handle({ service, by, query: { q, organisation_uuid, type, active, cursor, limit } }) {
      const { store } = service
      const filter = { reach: by.authority.reach, organisationUuid: organisation_uuid, type, active }
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
    async handle({ service, by, body, repeatable }) {
      const all = columnsOf(body)
      checkTogether(all, body.token_endpoint_auth_method)
      const { client_id: clientId, type, ...columns } = all
      const secret = type === 'machine' ? newSecret() : undefined
      // What is kept to be repeated does not hold the secret.
      const made = { clientId, type, columns, secret }
      const created = await createClient(service.store, by, made, repeatable(newAnswer(undefined)))
      return createdAnswer(created, newAnswer(secret))
    },
  }),
  route({
    method: 'GET',
    path: '/clients/:client_id',
    permission: 'iam.clients.read',
    summary: 'Read a client',
    answers: 'Client',
    async handle({ service, by, param }) {
      const row = await readClient(service.store, clientIdOf(param('client_id')), by.authority.reach)
      if (row === undefined) throw notFound('client')
      return oneAnswer(row)
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
    body: patchBody(catalogued),
    async handle({ service, by, body, param, versions }) {
      const asked = {
        clientId: clientIdOf(param('client_id')),
        versions,
        set: (before: Omit<AdministeredClient, 'secrets'>) => {
          const set = changedColumns(catalogued, body)
          checkTogether({ ...before, ...set })
          return set
        },
      }
      return oneAnswer(await updateClient(service.store, by, asked))
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
    async handle({ service, by, param, versions }) {
      const clientId = clientIdOf(param('client_id'))
      await deleteClient(service.store, by, { clientId, versions })
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
    async handle({ service, by, body, param, repeatable }) {
      const expiresAt = typeof body.expires_at === 'string' ? millisecondsOf(body.expires_at) : null
      if (expiresAt !== null && expiresAt <= by.now) throw wrongField('expires_at', 'It is over already.')
      const secret = newSecret()
      const made = { clientId: clientIdOf(param('client_id')), secret, expiresAt }
      const created = await addClientSecret(service.store, by, made, repeatable(secretAnswer(undefined)))
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
    async handle({ service, by, param, versions }) {
      const asked = { clientId: clientIdOf(param('client_id')), id: param('secret_id'), versions }
      await removeClientSecret(service.store, by, asked)
      return { status: 204 }
    },
  }),
]
