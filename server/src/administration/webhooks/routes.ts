import { randomUUID } from 'node:crypto'
import { changedColumns, newColumns } from '../../catalogue/columns.ts'
import { newBody, patchBody } from '../../catalogue/schemas.ts'
import { webhook as catalogued } from '../../catalogue/webhook.ts'
import { encryptedSecret, newWebhookSecret } from '../../webhooks/secret.ts'
import { newId } from '../../protocol/identifier.ts'
import { pageOf, uuid } from '../fields.ts'
import { idIn } from '../resource.ts'
import {
  changing,
  creation,
  listed,
  listRoute,
  madeAnswer,
  oneAnswer,
  readRoute,
  removeRoute,
} from '../resource-routes.ts'
import { type AdministrationService, createdAnswer, route, type Route } from '../route.ts'
import { type AdministeredWebhook, checkUrl, createdWebhook, webhook } from './fields.ts'
import { createWebhook, deleteWebhook, listWebhooks, updateWebhook, webhooks } from './verbs.ts'

export const webhookSchemas = {
  Webhook: webhook,
  WebhookPage: pageOf(webhook),
  CreatedWebhook: createdWebhook,
}

/** A webhook sends the audit, so having one is reading it. */
const alsoNeeds = 'iam.audit.read'

/** A generated secret, as it is shown and as it is kept. */
export function generatedSecret({ settings }: AdministrationService, now: number) {
  const text = newWebhookSecret()
  const id = newId(now)
  return { text, kept: { id, secret: encryptedSecret(text, id, settings.secret) } }
}

const newAnswer = (secret: string | undefined) => (made: AdministeredWebhook) =>
  madeAnswer(webhooks, made, secret === undefined ? {} : { secret })

export const webhookRoutes: Route[] = [
  listRoute({
    ...listed(webhooks),
    file: webhook,
    summary: 'List webhooks',
    example: '--organisation acme',
    columns: ['uuid', 'url', 'kinds', 'active', 'organisation_uuid'],
    description: 'By uuid. An administrator of an organisation sees those of it.',
    query: { organisation_uuid: uuid.optional() },
    rows: ({ service, by, query, after, limit }) =>
      listWebhooks(service.store, by.authority.reach, query.organisation_uuid, after(1), limit),
  }),
  route({
    ...creation(webhooks),
    summary: 'Add a webhook',
    example: "https://siem.acme.example/tessera --kind 'sign_in.*' --kind sign_out",
    named: 'url',
    description: `It is sent the audit records of these kinds that are made from now on. Its secret is in the answer and never shown again. Also needs \`${alsoNeeds}\`, for that is what it sends.`,
    answers: 'CreatedWebhook',
    refusals: ['forbidden'],
    body: newBody(catalogued),
    async handle({ service, by, body, repeatable }) {
      by.authority.requires(alsoNeeds)
      checkUrl(service, body.url)
      const columns = { uuid: randomUUID(), ...newColumns(catalogued, body) }
      const { text, kept } = generatedSecret(service, by.now)
      // What is kept to be repeated does not hold the secret.
      const created = await createWebhook(service.store, by, columns, kept, repeatable(newAnswer(undefined)))
      return createdAnswer(created, newAnswer(text))
    },
  }),
  readRoute(webhooks, { summary: 'Read a webhook', example: '9f3b1c5e-7a2d-4e8f-b6c4-1d0e2f3a4b5c' }),
  route({
    ...changing(webhooks),
    summary: 'Change or disable a webhook',
    example:
      "9f3b1c5e-7a2d-4e8f-b6c4-1d0e2f3a4b5c --add-kind 'user.*' --address https://siem.acme.example/events",
    description: `Disabled, nothing more is sent to it at once. Enabled again, it is sent what waited and what is recorded from then on. Also needs \`${alsoNeeds}\`.`,
    refusals: ['forbidden'],
    body: patchBody(catalogued),
    async handle({ service, by, body, param, versions }) {
      by.authority.requires(alsoNeeds)
      checkUrl(service, body.url)
      const one = { id: idIn(webhooks, param('uuid'), by.authority), versions }
      const changed = await updateWebhook(service.store, by, one, changedColumns(catalogued, body))
      return oneAnswer(webhooks, changed)
    },
  }),
  removeRoute(webhooks, {
    summary: 'Remove a webhook',
    description: 'With its secrets and deliveries; nothing more is sent.',
    remove: ({ service, by }, one) => deleteWebhook(service.store, by, one),
  }),
]
