import { rowsOf } from '../../database/rows.ts'
import type { Kysely } from 'kysely'
import type { ChangesOf, ColumnsOf } from '../../catalogue/thing.ts'
import type { webhook as catalogued } from '../../catalogue/webhook.ts'
import { linkWithin } from '../../audit/link.ts'
import type { Store } from '../../database/store.ts'
import { writeChange, writeNew, writeRemoval } from '../../store/write/write.ts'
import type { Schema } from '../../database/schema.ts'
import type { WebhookSecretRow } from '../../database/schema-webhooks.ts'
import { isUuid } from '../../protocol/values.ts'
import type { Reach } from '../../access/reach.ts'
import { checkOwner } from '../placement.ts'
import type { By, Row, Transacting } from '../by.ts'
import type { Created, Repeatable } from '../change.ts'
import type { After, Page } from '../../database/page.ts'
import { findOwned, listOwned } from '../owned.ts'
import { changeOne, createOne, type One, removeOne, type Resource } from '../resource.ts'
import { compared, differs } from '../version.ts'
import { type AdministeredWebhook, shownWebhook } from './fields.ts'

export const webhooks: Resource<AdministeredWebhook> = {
  thing: 'webhook',
  path: '/webhooks',
  key: 'uuid',
  isId: isUuid,
  async find(db, uuid, { reach }) {
    const row = await findOwned(db, 'webhooks', uuid, reach)
    return row && (await withSecrets(db, [row]))[0]
  },
  shown: shownWebhook,
  // A declared file knows of none.
  about: (_trx, { uuid: id, organisation_uuid }) => ({
    id,
    organisation_uuid,
    managedBy: null,
  }),
}

/** A secret as it is kept. */
export type NewWebhookSecret = Pick<WebhookSecretRow, 'id' | 'secret'>

/** The next webhooks within the reach by uuid, at most `limit`. */
export async function listWebhooks(
  { db }: Store,
  reach: Reach,
  asked: string | undefined,
  after: After,
  limit: number,
): Promise<Page<AdministeredWebhook>> {
  const { rows, next } = await listOwned(
    db,
    'webhooks',
    reach,
    { organisation_uuid: asked },
    { after, limit },
  )
  return { rows: await withSecrets(db, rows), next }
}

/** Each with what is known of its secrets. */
export async function withSecrets(
  db: Kysely<Schema>,
  rows: readonly Row<'webhooks'>[],
): Promise<AdministeredWebhook[]> {
  if (rows.length === 0) return []
  const secrets = await db
    .selectFrom('webhook_secrets')
    .select(['id', 'webhook_uuid', 'created_at', 'expires_at'])
    .where(
      'webhook_uuid',
      'in',
      rows.map((row) => row.uuid),
    )
    .orderBy('id')
    .execute()
  return rows.map((row) => ({ ...row, secrets: secrets.filter((one) => one.webhook_uuid === row.uuid) }))
}

/** Adds a webhook with its first secret. What was recorded before is not sent to it. */
export async function createWebhook(
  store: Store,
  by: By,
  columns: ColumnsOf<typeof catalogued> & { uuid: string },
  secret: NewWebhookSecret,
  repeatable: Repeatable<AdministeredWebhook> | undefined,
): Promise<Created<AdministeredWebhook>> {
  const create = async (trx: Transacting) => {
    await checkOwner(trx, 'webhook', columns.organisation_uuid, by.authority)
    const { now } = by
    const whole = { ...columns, since: await endOfAudit(store, trx), created_at: now, updated_at: now }
    const row = await writeNew(trx, 'webhooks', whole, compared(by))
    return { ...row, secrets: [await insertWebhookSecret(trx, { ...secret, webhookUuid: row.uuid, now })] }
  }
  return await createOne(store, by, webhooks, repeatable, create, ['secret'])
}

/** What was recorded before is linked first: a subscription begins after it. */
const endOfAudit = async (store: Store, trx: Transacting): Promise<number> =>
  (await linkWithin(trx, store.auditKey())).sequence

/** Resumes webhooks of organisations that are enabled again: they are sent what is recorded from now on. */
export async function resumeWebhooksOf(
  store: Store,
  trx: Transacting,
  organisationUuids: readonly string[],
): Promise<void> {
  if (organisationUuids.length === 0) return
  const since = await endOfAudit(store, trx)
  for (const uuid of organisationUuids) {
    await trx.updateTable('webhooks').set({ since }).where('organisation_uuid', '=', uuid).execute()
  }
}

export async function insertWebhookSecret(
  trx: Transacting,
  { id, secret, webhookUuid, now }: NewWebhookSecret & { webhookUuid: string; now: number },
): Promise<AdministeredWebhook['secrets'][number]> {
  const shown = { id, webhook_uuid: webhookUuid, created_at: now, expires_at: null }
  await trx
    .insertInto('webhook_secrets')
    .values({ ...shown, secret })
    .execute()
  return shown
}

/** Changes a webhook. Enabled again, it is sent what is recorded from then on, and what waited. */
export async function updateWebhook(
  store: Store,
  by: By,
  one: One,
  set: ChangesOf<typeof catalogued>,
): Promise<AdministeredWebhook> {
  return await changeOne(store, by, webhooks, one, async (trx, before) => {
    const { secrets, ...row } = before
    if (!differs(row, set)) return before
    const enabled = set.active === 1 && row.active === 0
    const since = enabled ? { since: await endOfAudit(store, trx) } : {}
    const whole = { ...set, ...since, updated_at: by.now }
    const after = await writeChange(trx, 'webhooks', row, whole, compared(by))
    return { ...after, secrets }
  })
}

/** Removes a webhook with its secrets and deliveries: nothing more is sent. */
export async function deleteWebhook(store: Store, by: By, one: One): Promise<void> {
  await removeOne(store, by, webhooks, one, async (trx, before) => {
    await writeRemoval(trx, 'webhooks', before, compared(by))
  })
}

export async function webhooksOf(
  trx: Transacting,
  organisation_uuid: string,
): Promise<AdministeredWebhook[]> {
  return await withSecrets(trx, await rowsOf(trx, 'webhooks', { organisation_uuid }).execute())
}
