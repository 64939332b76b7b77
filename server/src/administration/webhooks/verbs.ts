import type { Kysely } from 'kysely'
import type { ChangesOf, ColumnsOf } from '../../catalogue/thing.ts'
import type { webhook as catalogued } from '../../catalogue/webhook.ts'
import { Problem, wrongField } from '../../protocol/problem.ts'
import type { Store } from '../../database/store.ts'
import type { Schema } from '../../database/schema.ts'
import type { WebhookSecretRow } from '../../database/schema-webhooks.ts'
import type { By, Row, Told, Transacting } from '../by.ts'
import { change, changeOnce, type Created, type Repeatable } from '../change.ts'
import type { Authority, Reach } from '../authority.ts'
import { type AdministeredWebhook, shownWebhook } from './fields.ts'
import { differs, inVersion, type Versions, writeVersion } from '../version.ts'

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
  {
    uuid,
    columns,
    secret,
  }: { uuid: string; columns: ColumnsOf<typeof catalogued>; secret: NewWebhookSecret },
  repeatable: Repeatable<AdministeredWebhook> | undefined,
): Promise<Created<AdministeredWebhook>> {
  return await changeOnce(store, by, repeatable, async (trx) => {
    await checkOrganisation(trx, columns.organisation_uuid, by.authority)
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
    return { result: made, told: { ...about(made), after: shownWebhook(made), secrets: ['secret'] } }
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
  { uuid, versions, set }: { uuid: string; versions: Versions; set: ChangesOf<typeof catalogued> },
): Promise<AdministeredWebhook> {
  return await change(store, by, async (trx) => {
    const before = await webhookToChange(trx, uuid, by.authority, versions)
    const { secrets, ...row } = before
    if (!differs(row, set)) return { result: before, told: undefined }
    const enabled = set.active === 1 && row.active === 0
    const written = await writeVersion(trx, 'webhooks', row, {
      ...set,
      ...(enabled && { since: await endOfAudit(trx) }),
      updated_at: by.now,
    })
    const after = { ...written, secrets }
    return {
      result: after,
      told: { ...about(after), before: shownWebhook(before), after: shownWebhook(after) },
    }
  })
}

/** Removes a webhook with its secrets and deliveries: nothing more is sent. */
export async function deleteWebhook(
  store: Store,
  by: By,
  { uuid, versions }: { uuid: string; versions: Versions },
): Promise<void> {
  await change(store, by, async (trx) => {
    const before = await webhookToChange(trx, uuid, by.authority, versions)
    await trx.deleteFrom('webhooks').where('uuid', '=', uuid).execute()
    return { result: undefined, told: { ...about(before), before: shownWebhook(before) } }
  })
}

/** A webhook within the reach, in the version that was read. */
export async function webhookToChange(
  trx: Transacting,
  uuid: string,
  { reach }: Authority,
  versions: Versions,
): Promise<AdministeredWebhook> {
  return inVersion(await selectWebhook(trx, uuid, reach), 'webhook', versions)
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

/** Removes the webhooks of an organisation. */
export async function removeWebhooks(trx: Transacting, organisationUuid: string): Promise<Told[]> {
  const rows = await trx
    .selectFrom('webhooks')
    .selectAll()
    .where('organisation_uuid', '=', organisationUuid)
    .execute()
  const webhooks = await withSecrets(trx, rows)
  await trx.deleteFrom('webhooks').where('organisation_uuid', '=', organisationUuid).execute()
  return webhooks.map((one) => ({ ...about(one), before: shownWebhook(one) }))
}
