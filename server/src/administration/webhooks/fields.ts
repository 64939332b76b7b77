import * as z from 'zod'
import { shownOf } from '../../catalogue/columns.ts'
import { shownSchema } from '../../catalogue/schemas.ts'
import { secret as secretFields } from '../../catalogue/secret.ts'
import { webhook as catalogued } from '../../catalogue/webhook.ts'
import { wrongField } from '../../protocol/problem.ts'
import { webhookUrlProblem } from '../../protocol/webhook-url.ts'
import type { WebhookSecretRow } from '../../database/schema-webhooks.ts'
import type { Row } from '../by.ts'
import type { AdministrationService } from '../route.ts'

/** What of a webhook is not a field of its own: its secrets, and where it may lead. */

/** A webhook with its secrets, of which only ids and times are shown. */
export interface AdministeredWebhook extends Row<'webhooks'> {
  secrets: Omit<WebhookSecretRow, 'secret'>[]
}

const shownSecret = shownSchema(secretFields)

export const webhook = shownSchema(catalogued).extend({
  secrets: z.array(shownSecret).describe('Those that count. Never the secrets themselves.'),
})

const secret = z.string().describe('Begins with `whsec_`. Shown this once.')
export const createdWebhook = webhook.extend({ secret: secret.optional() })
export const createdSecret = shownSecret.extend({ secret: secret.optional() })

/** A webhook with its fields in the order of docs/webhooks.md. */
export function shownWebhook(row: AdministeredWebhook): z.output<typeof webhook> {
  const { created_at, updated_at, ...shown } = shownOf(catalogued, row)
  const secrets = row.secrets.map((one) => shownOf(secretFields, one))
  return { ...shown, secrets, created_at, updated_at }
}

/** Throws when nothing may be sent to this address; what its name stands for is looked up when something is sent. */
export function checkUrl({ settings }: AdministrationService, url: string | undefined): void {
  const problem = url === undefined ? undefined : webhookUrlProblem(url, settings.webhooksToPrivateAddresses)
  if (problem !== undefined) throw wrongField('url', `It ${problem}.`)
}
