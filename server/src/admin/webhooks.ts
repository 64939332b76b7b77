import { randomUUID } from 'node:crypto'
import * as z from 'zod'
import { encryptedSecret, newWebhookSecret } from '../keys/webhook-secret.ts'
import { notFound } from '../protocol/problem.ts'
import {
  type AdministeredWebhook,
  createWebhook,
  deleteWebhook,
  listWebhooks,
  readWebhook,
  updateWebhook,
} from '../store/admin/webhooks.ts'
import { newId } from '../store/identifier.ts'
import { keyCursor, keyCursorText } from './cursor.ts'
import { columnFlag, pageOf, paging, uuid } from './fields.ts'
import { uuidOf } from './path.ts'
import { type Administered, type Answer, createdAnswer, route, type Route } from './route.ts'
import {
  checkUrl,
  createdWebhook,
  newWebhook,
  shownWebhook,
  webhook,
  webhookPatch,
} from './webhook-fields.ts'

export const webhookSchemas = {
  Webhook: webhook,
  WebhookPage: pageOf(webhook),
  CreatedWebhook: createdWebhook,
}

/** What a webhook sends is the audit, so whoever has one reads it. */
export const alsoNeeds = 'iam.audit.read'

/** A generated secret, as it is shown and as it is kept. */
export function generatedSecret(
  { settings }: Administered,
  now: number,
): {
  text: string
  kept: { id: string; secret: string }
} {
  const text = newWebhookSecret()
  const id = newId(now)
  return { text, kept: { id, secret: encryptedSecret(text, id, settings.secret) } }
}

const answerWith = (row: AdministeredWebhook): Answer => ({
  status: 200,
  body: shownWebhook(row),
  version: row.version,
})

const madeAnswer =
  (secret: string | undefined) =>
  (made: AdministeredWebhook): Answer => ({
    status: 201,
    body: { ...shownWebhook(made), ...(secret !== undefined && { secret }) },
    version: made.version,
    location: `/webhooks/${made.uuid}`,
  })

export const webhookRoutes: Route[] = [
  route({
    method: 'GET',
    path: '/webhooks',
    permission: 'iam.webhooks.read',
    summary: 'List webhooks',
    description: 'By uuid. Whoever administers an organisation sees those of it.',
    answers: 'WebhookPage',
    query: z.strictObject({ organisation_uuid: uuid.optional(), ...paging }),
    async handle({ service, actor, query: { organisation_uuid, cursor, limit } }) {
      const filter = { reach: actor.reach, organisationUuid: organisation_uuid }
      const { rows, next } = await listWebhooks(service.store, filter, keyCursor(cursor), limit)
      return { status: 200, body: { items: rows.map(shownWebhook), next_cursor: keyCursorText(next) } }
    },
  }),
  route({
    method: 'POST',
    path: '/webhooks',
    permission: 'iam.webhooks.create',
    summary: 'Add a webhook',
    description: `It is sent the audit records of these kinds that are made from now on. Its secret is in the answer and never shown again. Also needs \`${alsoNeeds}\`, for that is what it sends.`,
    answers: 'CreatedWebhook',
    refusals: ['forbidden'],
    body: newWebhook,
    async handle({ service, actor, by, body, repeatable }) {
      actor.requires(alsoNeeds)
      checkUrl(service, body.url)
      const columns = {
        url: body.url,
        description: body.description ?? '',
        kinds: JSON.stringify(body.kinds),
        organisation_uuid: body.organisation_uuid ?? null,
        active: columnFlag(body.active ?? true),
      }
      const secret = generatedSecret(service, by.now)
      // What is kept to be repeated does not hold the secret.
      const options = { show: shownWebhook, repeatable: repeatable(madeAnswer(undefined)) }
      const made = { uuid: randomUUID(), columns, secret: secret.kept }
      const created = await createWebhook(service.store, by, actor, made, options)
      return createdAnswer(created, madeAnswer(secret.text))
    },
  }),
  route({
    method: 'GET',
    path: '/webhooks/:uuid',
    permission: 'iam.webhooks.read',
    summary: 'Read a webhook',
    answers: 'Webhook',
    async handle({ service, actor, param }) {
      const row = await readWebhook(service.store, uuidOf(param('uuid'), 'webhook'), actor.reach)
      if (row === undefined) throw notFound('webhook')
      return answerWith(row)
    },
  }),
  route({
    method: 'PATCH',
    path: '/webhooks/:uuid',
    permission: 'iam.webhooks.update',
    summary: 'Change or disable a webhook',
    description: `Disabled, nothing more is sent to it at once. Enabled again, it is sent what waited and what is recorded from then on. Also needs \`${alsoNeeds}\`.`,
    answers: 'Webhook',
    refusals: ['forbidden'],
    body: webhookPatch,
    async handle({ service, actor, by, body: { kinds, active, url, description }, param, versions }) {
      actor.requires(alsoNeeds)
      checkUrl(service, url)
      const set = {
        ...(url !== undefined && { url }),
        ...(description !== undefined && { description }),
        ...(kinds !== undefined && { kinds: JSON.stringify(kinds) }),
        ...(active !== undefined && { active: columnFlag(active) }),
      }
      const asked = { uuid: uuidOf(param('uuid'), 'webhook'), versions, set }
      return answerWith(await updateWebhook(service.store, by, actor, asked, shownWebhook))
    },
  }),
  route({
    method: 'DELETE',
    path: '/webhooks/:uuid',
    permission: 'iam.webhooks.delete',
    summary: 'Remove a webhook',
    description: 'With its secrets and deliveries; nothing more is sent.',
    answers: undefined,
    async handle({ service, actor, by, param, versions }) {
      const asked = { uuid: uuidOf(param('uuid'), 'webhook'), versions }
      await deleteWebhook(service.store, by, actor, asked, shownWebhook)
      return { status: 204 }
    },
  }),
]
