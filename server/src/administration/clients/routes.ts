import * as z from 'zod'
import { shownOf } from '../../catalogue/columns.ts'
import { client as catalogued } from '../../catalogue/client.ts'
import { clientTypes, methodOf } from '../../protocol/client-type.ts'
import { patchBody } from '../../catalogue/schemas.ts'
import { secret as secretFields } from '../../catalogue/secret.ts'
import { wrongField } from '../../protocol/problem.ts'
import { newSecret } from '../../protocol/identifier.ts'
import { code, flag, instant, managedBy, millisecondsOf, pageOf, text, uuid } from '../fields.ts'
import { idIn } from '../resource.ts'
import {
  changeRoute,
  creation,
  listed,
  listRoute,
  madeAnswer,
  readRoute,
  removeRoute,
} from '../resource-routes.ts'
import type { By, Row } from '../by.ts'
import { givenAnswer } from '../change.ts'
import { type RouteRequest, type RouteResponse, createdAnswer, route, type Route } from '../route.ts'
import {
  type AdministeredClient,
  changesOf,
  checkProof,
  checkTogether,
  client,
  clientSecret,
  columnsOf,
  createdClient,
  newClient,
  shownSecret,
  withMethod,
} from './fields.ts'
import { asksAgain, type FetchedDocument, fetchedFor, saidByDocument } from './document.ts'
import { listClients, searchClients } from './list.ts'
import { refusedAddressesRoute, refusedAddressList } from './refused-addresses.ts'
import { clientPreview, previewRoute } from './preview.ts'
import { clientVisit, visitRoute } from './visit.ts'
import { clientTrial, newClientTrial, trialRoutes } from './trials.ts'
import { addClientSecret, type MadeSecret, removeClientSecret } from './secrets.ts'
import { clients, createClient, deleteClient, updateClient } from './verbs.ts'

const createdSecret = shownSecret.extend({ client_secret: clientSecret.optional() })

export const clientSchemas = {
  Client: client,
  ClientPage: pageOf(client),
  CreatedClient: createdClient,
  CreatedClientSecret: createdSecret,
  ClientPreview: clientPreview,
  ClientTrial: clientTrial,
  ClientVisit: clientVisit,
  NewClientTrial: newClientTrial,
  RefusedAddresses: refusedAddressList,
}

const newAnswer = (secret: string | undefined) => (made: AdministeredClient) =>
  madeAnswer(clients, made, secret === undefined ? {} : { client_secret: secret })

const secretAnswer =
  (secret: string | undefined) =>
  (made: MadeSecret): RouteResponse => ({
    status: 201,
    body: { ...shownOf(secretFields, made), ...(secret !== undefined && { client_secret: secret }) },
    location: `/clients/${encodeURIComponent(made.client_id)}/secrets/${made.id}`,
  })

/** What is asked about another's requests there would be about ours. */
function refuseOwnOrigin(service: { issuer: string }, origins: readonly string[] = []): void {
  // The command knows the issuer where it is needed alone.
  const index = origins.findIndex((one) => one === new URL(service.issuer).origin)
  if (index !== -1) throw wrongField(`origins.${index}`, 'It is where Tessera itself is.', 'conflict')
}

/** The document of a client, where a change says something of it. */
async function fetchedAgain(
  service: RouteRequest['service'],
  by: By,
  client_id: string,
  body: z.output<ReturnType<typeof patchBody<typeof catalogued>>>,
): Promise<FetchedDocument | undefined> {
  if (body.redirect_hosts === undefined && body.document === undefined) return undefined
  const before = await clients.find(service.store.db, client_id, by.authority)
  if (before === undefined) return undefined
  const after = { ...before, ...changesOf(before, body) }
  checkTogether({ ...after, ...unsaid })
  return await fetchedFor(service, by, before, after)
}

/** What a document says, and so nobody else. */
const unsaid = { redirect_uris: '[]', jwks: null, jwks_uri: null }

export const clientRoutes: Route[] = [
  listRoute({
    ...listed(clients),
    file: client,
    summary: 'List and search clients',
    example: '--type machine',
    columns: ['client_id', 'client_name', 'type', 'active', 'services'],
    description: 'By client_id; what a search finds, in the order of what begins so.',
    query: {
      q: text(200)
        .optional()
        .describe(
          'The beginning of a client_id or of any word of a client_name, whatever its case; words end at a space or a hyphen.',
        ),
      organisation_uuid: uuid.optional(),
      type: z.enum(clientTypes).optional(),
      active: flag.optional(),
      service: code.optional().describe('Which may ask for this service, by its code.'),
      redirect_uri: text(2000).optional().describe('Which has exactly this redirect URI.'),
      managed_by: managedBy,
    },
    rows: ({ service: { store }, by, query: { q, ...filter }, after, limit }) => {
      const { reach } = by.authority
      return q === undefined
        ? listClients(store, reach, filter, after(1), limit)
        : searchClients(store, reach, q, filter, after(2), limit)
    },
  }),
  route({
    ...creation(clients),
    summary: 'Add a client',
    example: 'sorter --client-name Sorter --type machine --service press --permission press.label.print',
    named: 'client_id',
    description:
      'A client of the type `web` or `machine` that proves itself by a secret gets its first secret, which is in the answer and never shown again.',
    answers: 'CreatedClient',
    refusals: ['conflict', 'forbidden'],
    body: newClient,
    async handle({ service, by, body, repeatable }) {
      refuseOwnOrigin(service, body.origins)
      const all = columnsOf(body)
      checkTogether(all)
      const again = repeatable(newAnswer(undefined))
      const given = again && (await givenAnswer(service.store.db, again, by.now))
      const fetched = given === undefined ? await fetchedFor(service, by, undefined, all) : undefined
      const said = { ...withMethod(all), ...saidByDocument(all, undefined, fetched) }
      const { client_id: clientId, type, ...columns } = said
      const secret = methodOf(all).startsWith('client_secret') ? newSecret() : undefined
      // What is kept to be repeated does not hold the secret.
      const made = { clientId, type, columns, secret, fetched }
      const created = await createClient(service.store, by, made, again)
      return createdAnswer(created, newAnswer(secret))
    },
  }),
  readRoute(clients, { summary: 'Read a client', example: 'sorter' }),
  changeRoute(clients, {
    summary: 'Change or disable a client',
    example: 'sorter --add-contact operations@acme.example --access-token-lifetime 300',
    description:
      'Disabling ends every token that was issued through it at once. Its client_id and type never change.',
    refusals: ['conflict', 'forbidden', 'managed_by_file'],
    body: patchBody(catalogued),
    async change({ service, by, body }, one) {
      refuseOwnOrigin(service, body.origins)
      const fetched = await fetchedAgain(service, by, one.id, body)
      const change = (before: Row<'clients'>) => {
        const set = changesOf(before, body)
        const after = { ...before, ...set }
        checkTogether(before.metadata === 'document' ? { ...after, ...unsaid, ...set } : after)
        checkProof(before, set)
        const { token_endpoint_auth_method } = withMethod(after)
        const whole = { ...set, token_endpoint_auth_method }
        return asksAgain(set) ? { ...whole, ...saidByDocument(after, before, fetched) } : whole
      }
      return await updateClient(service.store, by, one, change, fetched)
    },
  }),
  removeRoute(clients, {
    summary: 'Remove a client',
    description: 'With its secrets and the consents given to it; the tokens that were issued through it end.',
    refusals: ['forbidden', 'managed_by_file'],
    remove: ({ service, by }, one) => deleteClient(service.store, by, one),
  }),
  route({
    method: 'POST',
    path: '/clients/:client_id/secrets',
    permission: 'iam.clients.update',
    summary: 'Give a client another secret',
    description:
      'To one that proves itself by one. Both count until one is removed or runs out, so that it can be replaced without an outage. It is in this answer alone. A third is refused.',
    answers: 'CreatedClientSecret',
    refusals: ['conflict', 'forbidden'],
    body: z.strictObject({ expires_at: instant.nullable().optional().describe('It counts until then.') }),
    async handle({ service, by, body, param, repeatable }) {
      const expiresAt = typeof body.expires_at === 'string' ? millisecondsOf(body.expires_at) : null
      if (expiresAt !== null && expiresAt <= by.now) throw wrongField('expires_at', 'It is over already.')
      const secret = newSecret()
      const made = { clientId: idIn(clients, param('client_id'), by.authority), secret, expiresAt }
      const created = await addClientSecret(service.store, by, made, repeatable(secretAnswer(undefined)))
      return createdAnswer(created, secretAnswer(secret))
    },
  }),
  route({
    method: 'DELETE',
    path: '/clients/:client_id/secrets/:secret_id',
    permission: 'iam.clients.update',
    summary: 'Remove a secret of a client',
    description: 'It does not count any more, at once. Tokens that it gave live until they expire.',
    refusals: ['forbidden'],
    async handle({ service, by, param, versions }) {
      const id = idIn(clients, param('client_id'), by.authority)
      await removeClientSecret(service.store, by, { id, versions }, param('secret_id'))
    },
  }),
  previewRoute,
  visitRoute,
  ...trialRoutes,
  refusedAddressesRoute,
]
