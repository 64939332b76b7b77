import * as z from 'zod'
import { kindPatternProblem } from '../protocol/event-kinds.ts'
import { wrongField } from '../protocol/problem.ts'
import { webhookUrlProblem } from '../protocol/webhook-url.ts'
import type { Delivery } from '../store/admin/webhook-deliveries.ts'
import type { ShownWebhookSecret } from '../store/admin/webhook-secrets.ts'
import type { AdministeredWebhook } from '../store/admin/webhooks.ts'
import { textList } from '../store/clients.ts'
import { deliveryStates } from '../store/schema-webhooks.ts'
import { distinct, isoTime, text, uuid } from './fields.ts'
import type { Administered } from './route.ts'

/** How webhooks travel. */

const kind = z
  .string()
  .max(100)
  .check((context) => {
    const problem = kindPatternProblem(context.value)
    if (problem === undefined) return
    context.issues.push({ code: 'custom', input: context.value, message: `It ${problem}.` })
  })

const settable = {
  url: z.string().max(2000).describe('https, and no private address.').meta({ format: 'uri' }),
  description: text(200),
  kinds: distinct(kind, 100)
    .min(1, { error: 'It names one kind at least.' })
    .describe('Kinds of docs/audit.md; `user.*` is all of users, `*` everything.'),
  active: z.boolean().describe('Nothing is sent to a disabled one.'),
}

const organisation = uuid
  .nullable()
  .describe(
    'It is sent records of this organisation alone; without it, of the whole installation. Never changes.',
  )

export const shownSecret = z.object({
  id: z.string(),
  created_at: z.iso.datetime(),
  expires_at: z.iso.datetime().nullable(),
})

export const webhook = z.object({
  uuid,
  ...settable,
  description: z.string(),
  organisation_uuid: organisation,
  secrets: z.array(shownSecret).describe('Those that count. Never the secrets themselves.'),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
})

const secret = z.string().describe('Begins with `whsec_`. Shown this once.')
export const createdWebhook = webhook.extend({ secret: secret.optional() })
export const createdSecret = shownSecret.extend({ secret: secret.optional() })

export const webhookPatch = z.strictObject(settable).partial()
export const newWebhook = webhookPatch.extend({
  url: settable.url,
  kinds: settable.kinds,
  organisation_uuid: organisation.optional(),
})

export const deliveryState = z.enum(deliveryStates)

export const delivery = z.object({
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

export const shownSecretOf = (one: ShownWebhookSecret): z.output<typeof shownSecret> => ({
  id: one.id,
  created_at: isoTime(one.created_at),
  expires_at: one.expires_at === null ? null : isoTime(one.expires_at),
})

export const shownWebhook = (row: AdministeredWebhook): z.output<typeof webhook> => ({
  uuid: row.uuid,
  url: row.url,
  description: row.description,
  kinds: textList(row.kinds),
  active: row.active === 1,
  organisation_uuid: row.organisation_uuid,
  secrets: row.secrets.map(shownSecretOf),
  created_at: isoTime(row.created_at),
  updated_at: isoTime(row.updated_at),
})

export const shownDelivery = (row: Delivery): z.output<typeof delivery> => ({
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

/** Throws when nothing may be sent to this address; what its name stands for is looked up when something is sent. */
export function checkUrl({ settings }: Administered, url: string | undefined): void {
  const problem = url === undefined ? undefined : webhookUrlProblem(url, settings.webhooksToPrivateAddresses)
  if (problem !== undefined) throw wrongField('url', `It ${problem}.`)
}
