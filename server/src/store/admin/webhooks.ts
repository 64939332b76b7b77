import type { Kysely } from 'kysely'
import { notFound, Problem, wrongField } from '../../protocol/problem.ts'
import type { Store } from '../open.ts'
import type { Schema } from '../schema.ts'
import type { WebhookRow, WebhookSecretRow } from '../schema-webhooks.ts'
import {
  type By,
  change,
  changeOnce,
  type Created,
  type Repeatable,
  type Row,
  type Show,
  type Transacting,
} from './change.ts'
import type { Authority, Reach } from './reach.ts'
import { differs, staleVersion, type Versions } from './version.ts'

/** A webhook with its secrets, of which only ids and times are shown. */
export interface AdministeredWebhook extends Row<'webhooks'> {
  secrets: Omit<WebhookSecretRow, 'secret'>[]
}

/** What of a webhook is written; whom it belongs to never changes. */
export type WebhookColumns = Pick<
  WebhookRow,
  'url' | 'description' | 'kinds' | 'organisation_uuid' | 'active'
>

/** A secret as it is kept. */
export type NewWebhookSecret = Pick<WebhookSecretRow, 'id' | 'secret'>

/** The next webhooks by uuid, at most `limit`. */
export async function listWebhooks(
  { db }: Store,
  { reach, organisationUuid }: { reach: Reach; organisationUuid?: string | undefined },
  after: string | undefined,
  limit: number,
): Promise<{ rows: AdministeredWebhook[]; next: string | undefined }> {
  if (reach.unitUuid !== undefined) return { rows: [], next: undefined }
  let query = db.selectFrom('webhooks').selectAll()
  for (const place of [organisationUuid, reach.organisationUuid]) {
    if (place !== undefined) query = query.where('organisation_uuid', '=', place)
  }
  if (after !== undefined) query = query.where('uuid', '>', after)
  const rows = await query
    .orderBy('uuid')
    .limit(limit + 1)
    .execute()
  const page = rows.slice(0, limit)
  const next = rows.length > limit ? page.at(-1)?.uuid : undefined
  return { rows: await withSecrets(db, page), next }
}

async function withSecrets(
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

/** A webhook within the reach. */
export async function readWebhook(
  store: Store,
  uuid: string,
  reach: Reach,
): Promise<AdministeredWebhook | undefined> {
  return await selectWebhook(store.db, uuid, reach)
}

async function selectWebhook(
  db: Kysely<Schema>,
  uuid: string,
  reach: Reach,
): Promise<AdministeredWebhook | undefined> {
  const row = await db.selectFrom('webhooks').selectAll().where('uuid', '=', uuid).executeTakeFirst()
  const within = reach.organisationUuid === undefined || row?.organisation_uuid === reach.organisationUuid
  if (row === undefined || !within || reach.unitUuid !== undefined) return undefined
  return (await withSecrets(db, [row]))[0]
}

/** Adds a webhook with its first secret. What was recorded before is not sent to it. */
export async function createWebhook(
  store: Store,
  by: By,
  authority: Authority,
  { uuid, columns, secret }: { uuid: string; columns: WebhookColumns; secret: NewWebhookSecret },
  options: { show: Show<AdministeredWebhook>; repeatable: Repeatable<AdministeredWebhook> | undefined },
): Promise<Created<AdministeredWebhook>> {
  return await changeOnce(store, by, options.repeatable, async (trx) => {
    await checkOrganisation(trx, columns.organisation_uuid, authority)
    const times = { created_at: by.now, updated_at: by.now }
    const row = await trx
      .insertInto('webhooks')
      .values({ uuid, ...columns, since: await endOfAudit(trx), ...times })
      .returningAll()
      .executeTakeFirstOrThrow()
    await insertWebhookSecret(trx, { ...secret, webhookUuid: uuid, now: by.now })
    const made = {
      ...row,
      secrets: [{ id: secret.id, webhook_uuid: uuid, created_at: by.now, expires_at: null }],
    }
    return { result: made, told: { ...about(made), after: options.show(made), secrets: ['secret'] } }
  })
}

async function endOfAudit(trx: Transacting): Promise<number> {
  const { sequence } = await trx
    .selectFrom('audit_head')
    .select('sequence')
    .where('name', '=', 'chain')
    .executeTakeFirstOrThrow()
  return sequence
}

/** Those of organisations that are enabled again are sent what is recorded from now on, as one that is so itself. */
export async function resumeWebhooksOf(
  trx: Transacting,
  organisationUuids: readonly string[],
): Promise<void> {
  if (organisationUuids.length === 0) return
  const since = await endOfAudit(trx)
  for (const uuid of organisationUuids) {
    await trx.updateTable('webhooks').set({ since }).where('organisation_uuid', '=', uuid).execute()
  }
}

export async function insertWebhookSecret(
  trx: Transacting,
  { id, secret, webhookUuid, now }: NewWebhookSecret & { webhookUuid: string; now: number },
): Promise<void> {
  await trx
    .insertInto('webhook_secrets')
    .values({ id, webhook_uuid: webhookUuid, secret, created_at: now, expires_at: null })
    .execute()
}

/**
 * Changes a webhook. Enabled again, it is sent what is recorded from then on, and what waited. Concurrency: see
 * `change`; the version is compared in the statement that writes.
 */
export async function updateWebhook(
  store: Store,
  by: By,
  authority: Authority,
  {
    uuid,
    versions,
    set,
  }: { uuid: string; versions: Versions; set: Partial<Omit<WebhookColumns, 'organisation_uuid'>> },
  show: Show<AdministeredWebhook>,
): Promise<AdministeredWebhook> {
  return await change(store, by, async (trx) => {
    const before = await webhookToChange(trx, uuid, authority, versions)
    const { secrets, ...row } = before
    if (!differs(row, set)) return { result: before, told: undefined }
    const enabled = set.active === 1 && row.active === 0
    const written = await trx
      .updateTable('webhooks')
      .set({
        ...set,
        ...(enabled && { since: await endOfAudit(trx) }),
        updated_at: by.now,
        version: row.version + 1,
      })
      .where('uuid', '=', uuid)
      .where('version', '=', row.version)
      .returningAll()
      .executeTakeFirst()
    if (written === undefined) throw staleVersion()
    const after = { ...written, secrets }
    return { result: after, told: { ...about(after), before: show(before), after: show(after) } }
  })
}

/** Removes a webhook with its secrets and deliveries: nothing more is sent. */
export async function deleteWebhook(
  store: Store,
  by: By,
  authority: Authority,
  { uuid, versions }: { uuid: string; versions: Versions },
  show: Show<AdministeredWebhook>,
): Promise<void> {
  await change(store, by, async (trx) => {
    const before = await webhookToChange(trx, uuid, authority, versions)
    await trx.deleteFrom('webhooks').where('uuid', '=', uuid).execute()
    return { result: undefined, told: { ...about(before), before: show(before) } }
  })
}

/** A webhook within the reach, in the version that was read. */
export async function webhookToChange(
  trx: Transacting,
  uuid: string,
  { reach }: Authority,
  versions: Versions,
): Promise<AdministeredWebhook> {
  const webhook = await selectWebhook(trx, uuid, reach)
  if (webhook === undefined) throw notFound('webhook')
  if (versions !== undefined && !versions.includes(webhook.version)) throw staleVersion()
  return webhook
}

async function checkOrganisation(trx: Transacting, uuid: string | null, { reach }: Authority): Promise<void> {
  if (reach.unitUuid !== undefined) {
    throw new Problem('forbidden', 'A webhook belongs to an organisation, and you administer a unit of one.')
  }
  if (uuid === null) {
    if (reach.organisationUuid === undefined) return
    throw wrongField('organisation_uuid', 'It is needed: you administer one organisation.', 'forbidden')
  }
  const row = await trx.selectFrom('organisations').select('uuid').where('uuid', '=', uuid).executeTakeFirst()
  if (row === undefined || uuid !== (reach.organisationUuid ?? uuid)) {
    throw wrongField('organisation_uuid', 'There is no such organisation.')
  }
}

export const about = ({ uuid: id, organisation_uuid: organisationUuid }: Row<'webhooks'>) => ({
  thing: 'webhook' as const,
  id,
  organisationUuid,
  // The file knows of none.
  managedBy: null,
})
