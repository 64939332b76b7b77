import { type Kysely, sql } from 'kysely'

/** additive: webhooks, with their secrets and deliveries, and how far the audit was looked through for them. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('webhooks')
    .addColumn('uuid', 'text', (c) => c.primaryKey().notNull())
    .addColumn('url', 'text', (c) => c.notNull())
    .addColumn('description', 'text', (c) => c.notNull())
    .addColumn('kinds', 'text', (c) => c.notNull())
    .addColumn('organisation_uuid', 'text', (c) => c.references('organisations.uuid').onDelete('cascade'))
    .addColumn('active', 'bigint', (c) => c.notNull())
    .addColumn('since', 'bigint', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('updated_at', 'bigint', (c) => c.notNull())
    .addColumn('version', 'bigint', (c) => c.notNull().defaultTo(1))
    .execute()
  await db.schema
    .createIndex('webhooks_organisation')
    .on('webhooks')
    .columns(['organisation_uuid', 'uuid'])
    .execute()
  await db.schema
    .createTable('webhook_secrets')
    .addColumn('id', 'text', (c) => c.primaryKey().notNull())
    .addColumn('webhook_uuid', 'text', (c) => c.notNull().references('webhooks.uuid').onDelete('cascade'))
    .addColumn('secret', 'text', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('expires_at', 'bigint')
    .execute()
  await db.schema
    .createIndex('webhook_secrets_webhook')
    .on('webhook_secrets')
    .column('webhook_uuid')
    .execute()
  await deliveries(db)
  await db.schema
    .createTable('webhook_outbox')
    .addColumn('name', 'text', (c) => c.primaryKey().notNull())
    .addColumn('position', 'bigint', (c) => c.notNull())
    .execute()
  await sql`insert into webhook_outbox (name, position) values ('audit', 0)`.execute(db)
}

async function deliveries(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('webhook_deliveries')
    .addColumn('id', 'text', (c) => c.primaryKey().notNull())
    .addColumn('webhook_uuid', 'text', (c) => c.notNull().references('webhooks.uuid').onDelete('cascade'))
    .addColumn('sequence', 'bigint', (c) => c.notNull())
    .addColumn('kind', 'text', (c) => c.notNull())
    .addColumn('state', 'text', (c) => c.notNull())
    .addColumn('attempts', 'bigint', (c) => c.notNull())
    .addColumn('next_at', 'bigint', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('ended_at', 'bigint')
    .addColumn('expires_at', 'bigint')
    .addColumn('last_status', 'bigint')
    .addColumn('last_error', 'text')
    .addUniqueConstraint('webhook_deliveries_record', ['webhook_uuid', 'sequence'])
    .execute()
  await db.schema
    .createIndex('webhook_deliveries_state')
    .on('webhook_deliveries')
    .columns(['webhook_uuid', 'state', 'sequence'])
    .execute()
  // What waits is little of what there is.
  await sql`create index webhook_deliveries_due on webhook_deliveries (webhook_uuid, next_at) where state = 'pending'`.execute(
    db,
  )
}
