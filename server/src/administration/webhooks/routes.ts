import { randomUUID } from 'node:crypto'
import * as z from 'zod'
import { changedColumns, newColumns } from '../../catalogue/columns.ts'
import { newBody, patchBody } from '../../catalogue/schemas.ts'
import { webhook as catalogued } from '../../catalogue/webhook.ts'
import { encryptedSecret, newWebhookSecret } from '../../webhooks/secret.ts'
import { notFound } from '../../protocol/problem.ts'
import { createWebhook, deleteWebhook, listWebhooks, readWebhook, updateWebhook } from './verbs.ts'
import { newId } from '../../protocol/identifier.ts'
import { keyCursor, keyCursorText } from '../cursor.ts'
import { pageOf, paging, uuid } from '../fields.ts'
import { uuidOf } from '../path.ts'
import { type Administered, answerWith, createdAnswer, madeAnswer, route, type Route } from '../route.ts'
import { type AdministeredWebhook, checkUrl, createdWebhook, shownWebhook, webhook } from './fields.ts'

export const webhookSchemas = {
  Webhook: webhook,
  WebhookPage: pageOf(webhook),
  CreatedWebhook: createdWebhook,
}

/** A webhook sends the audit, so having one is reading it. */
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

const oneAnswer = (row: AdministeredWebhook) => answerWith(shownWebhook(row), row)

const newAnswer = (secret: string | undefined) => (made: AdministeredWebhook) => {
  const shown = { ...shownWebhook(made), ...(secret !== undefined && { secret }) }
  return madeAnswer(answerWith(shown, made), `/webhooks/${made.uuid}`)
}

export const webhookRoutes: Route[] = [
  route({
    method: 'GET',
    path: '/webhooks',
    permission: 'iam.webhooks.read',
    summary: 'List webhooks',
    description: 'By uuid. An administrator of an organisation sees those of it.',
    answers: 'WebhookPage',
    query: z.strictObject({ organisation_uuid: uuid.optional(), ...paging }),
    async handle({ service, by, query: { organisation_uuid, cursor, limit } }) {
      const filter = { reach: by.authority.reach, organisationUuid: organisation_uuid }
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
    body: newBody(catalogued),
    async handle({ service, by, body, repeatable }) {
      by.authority.requires(alsoNeeds)
      checkUrl(service, body.url)
      const columns = newColumns(catalogued, body)
      const secret = generatedSecret(service, by.now)
      // What is kept to be repeated does not hold the secret.
      const made = { uuid: randomUUID(), columns, secret: secret.kept }
      const created = await createWebhook(service.store, by, made, repeatable(newAnswer(undefined)))
      return createdAnswer(created, newAnswer(secret.text))
    },
  }),
  route({
    method: 'GET',
    path: '/webhooks/:uuid',
    permission: 'iam.webhooks.read',
    summary: 'Read a webhook',
    answers: 'Webhook',
    async handle({ service, by, param }) {
      const row = await readWebhook(service.store, uuidOf(param('uuid'), 'webhook'), by.authority.reach)
      if (row === undefined) throw notFound('webhook')
      return oneAnswer(row)
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
    body: patchBody(catalogued),
    async handle({ service, by, body, param, versions }) {
      by.authority.requires(alsoNeeds)
      checkUrl(service, body.url)
      const set = changedColumns(catalogued, body)
      const asked = { uuid: uuidOf(param('uuid'), 'webhook'), versions, set }
      return oneAnswer(await updateWebhook(service.store, by, asked))
    },
  }),
  route({
    method: 'DELETE',
    path: '/webhooks/:uuid',
    permission: 'iam.webhooks.delete',
    summary: 'Remove a webhook',
    description: 'With its secrets and deliveries; nothing more is sent.',
    answers: undefined,
    async handle({ service, by, param, versions }) {
      const asked = { uuid: uuidOf(param('uuid'), 'webhook'), versions }
      await deleteWebhook(service.store, by, asked)
      return { status: 204 }
    },
  }),
]
