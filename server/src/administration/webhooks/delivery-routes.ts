import * as z from 'zod'
import { shownOf } from '../../catalogue/columns.ts'
import { secret as secretFields } from '../../catalogue/secret.ts'
import { notFound, wrongField } from '../../protocol/problem.ts'
import { type Delivery, listDeliveries, replayDelivery, testWebhook } from './deliveries.ts'
import { addWebhookSecret, removeWebhookSecret, type ShownWebhookSecret } from './secrets.ts'
import { deliveryStates } from '../../database/schema-webhooks.ts'
import { instant, isoTime, millisecondsOf, pageOf } from '../fields.ts'
import { idOf, uuidOf } from '../path.ts'
import { listRoute } from '../resource-routes.ts'
import { type RouteResponse, createdAnswer, route, type Route } from '../route.ts'
import { createdSecret } from './fields.ts'
import { generatedSecret } from './routes.ts'
import { webhooks } from './verbs.ts'

const deliveryState = z.enum(deliveryStates)

const delivery = z.object({
  id: z.string().describe('The `webhook-id`, the same in every attempt.'),
  sequence: z.int().describe('Of the audit record.'),
  kind: z.string(),
  state: deliveryState.describe('`dead`: it was given up after the last attempt.'),
  attempts: z.int().describe('Those that were begun.'),
  next_at: z.iso.datetime().nullable().describe('When the next attempt is due; null: there is none.'),
  created_at: z.iso.datetime(),
  ended_at: z.iso.datetime().nullable().describe('When it was delivered or given up.'),
  last_status: z.int().nullable().describe('The HTTP status of the last answer; null: there was none.'),
  last_error: z.string().nullable().describe('Why the last attempt failed.'),
})

const shownDelivery = (row: Delivery): z.output<typeof delivery> => ({
  id: row.id,
  sequence: row.sequence,
  kind: row.kind,
  state: row.state,
  attempts: row.attempts,
  next_at: row.state === 'pending' ? isoTime(row.next_at) : null,
  created_at: isoTime(row.created_at),
  ended_at: row.ended_at === null ? null : isoTime(row.ended_at),
  last_status: row.last_status,
  last_error: row.last_error,
})

export const webhookDeliverySchemas = {
  WebhookDelivery: delivery,
  WebhookDeliveryPage: pageOf(delivery),
  CreatedWebhookSecret: createdSecret,
}

const day = 86_400_000

const secretAnswer =
  (secret: string | undefined) =>
  (made: ShownWebhookSecret): RouteResponse => ({
    status: 201,
    body: { ...shownOf(secretFields, made), ...(secret !== undefined && { secret }) },
    location: `/webhooks/${made.webhook_uuid}/secrets/${made.id}`,
  })

const deliveryAnswer = (row: Delivery): RouteResponse => ({
  status: 201,
  body: shownDelivery(row),
  location: `/webhooks/${row.webhook_uuid}/deliveries`,
})

/** The sequence that a cursor has. */
function sequenceOf([cursor]: readonly string[] = []): number | undefined {
  if (cursor === undefined) return undefined
  if (/^\d{1,15}$/.test(cursor)) return Number(cursor)
  throw wrongField('cursor', 'It is none; send next_cursor of the page before.')
}

export const webhookDeliveryRoutes: Route[] = [
  route({
    method: 'POST',
    path: '/webhooks/:uuid/secrets',
    permission: 'iam.webhooks.update',
    summary: 'Give a webhook another secret',
    description:
      'What is sent is signed with both until the one before ends, so that the receiver can change without missing anything. The new one is in this answer alone. A third is refused.',
    answers: 'CreatedWebhookSecret',
    refusals: ['conflict'],
    body: z.strictObject({
      previous_expires_at: instant.optional().describe('When the one before ends; left out: in a day.'),
    }),
    async handle({ service, by, body: { previous_expires_at: ends }, param, repeatable }) {
      const previousEndsAt = ends === undefined ? by.now + day : millisecondsOf(ends)
      if (previousEndsAt <= by.now) throw wrongField('previous_expires_at', 'It is over already.')
      const secret = generatedSecret(service, by.now)
      const asked = { uuid: uuidOf(param('uuid'), 'webhook'), secret: secret.kept, previousEndsAt }
      const created = await addWebhookSecret(service.store, by, asked, repeatable(secretAnswer(undefined)))
      return createdAnswer(created, secretAnswer(secret.text))
    },
  }),
  route({
    method: 'DELETE',
    path: '/webhooks/:uuid/secrets/:secret_id',
    permission: 'iam.webhooks.update',
    summary: 'Remove a secret of a webhook',
    description: 'Nothing more is signed with it, at once. The one that has no end can’t be removed.',
    refusals: ['conflict'],
    async handle({ service, by, param, versions }) {
      const id = uuidOf(param('uuid'), 'webhook')
      await removeWebhookSecret(service.store, by, { id, versions }, param('secret_id'))
    },
  }),
  listRoute({
    path: '/webhooks/:uuid/deliveries',
    permission: 'iam.webhooks.read',
    summary: 'List what is sent to a webhook',
    description:
      'Newest first. What is dead was given up. Delivered ones are listed for a week, dead ones for ninety days.',
    answers: 'WebhookDeliveryPage',
    file: delivery,
    query: { state: deliveryState.optional() },
    shown: shownDelivery,
    async rows({ service: { store }, by, param, query: { state }, after, limit }) {
      const uuid = uuidOf(param('uuid'), 'webhook')
      const before = sequenceOf(after(1))
      if ((await webhooks.find(store.db, uuid, by.authority)) === undefined) throw notFound('webhook')
      return await listDeliveries(store, { uuid, state }, before, limit)
    },
  }),
  route({
    method: 'POST',
    path: '/webhooks/:uuid/deliveries/:delivery/replay',
    permission: 'iam.webhooks.update',
    summary: 'Send something again',
    description:
      'Dead, delivered or still waiting: it is due at once and has all its attempts before it. The `webhook-id` stays.',
    answers: 'WebhookDelivery',
    repeatable: false,
    body: z.strictObject({}),
    async handle({ service, by, param }) {
      const asked = { uuid: uuidOf(param('uuid'), 'webhook'), id: idOf(param('delivery'), 'delivery') }
      return deliveryAnswer(await replayDelivery(service.store, by, asked))
    },
  }),
  route({
    method: 'POST',
    path: '/webhooks/:uuid/test',
    permission: 'iam.webhooks.update',
    summary: 'Send a test to a webhook',
    description:
      'The audit record of this very request, of the kind `webhook_delivery.tested`, whatever kinds it wants; `deliveries` tells what came of it.',
    answers: 'WebhookDelivery',
    repeatable: false,
    refusals: ['conflict'],
    body: z.strictObject({}),
    async handle({ service, by, param }) {
      const asked = { uuid: uuidOf(param('uuid'), 'webhook') }
      return deliveryAnswer(await testWebhook(service.store, by, asked))
    },
  }),
]
