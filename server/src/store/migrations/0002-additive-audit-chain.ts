import { type Kysely, sql } from 'kysely'

/**
 * additive: audit records that are chained by hash, in a table of their own. Processes of the version before write
 * into `audit` as they did; `chainEarlier` moves what is there, now and then, into the chain.
 */
export async function up(db: Kysely<unknown>, dialect: 'sqlite' | 'postgres'): Promise<void> {
  await db.schema
    .createTable('audit_records')
    // In SQLite only `integer` is the row's own number.
    .addColumn('sequence', dialect === 'sqlite' ? 'integer' : 'bigint', (c) => c.primaryKey().notNull())
    .addColumn('previous', 'text', (c) => c.notNull())
    .addColumn('hash', 'text', (c) => c.notNull())
    .addColumn('at', 'bigint', (c) => c.notNull())
    .addColumn('kind', 'text', (c) => c.notNull())
    .addColumn('actor_kind', 'text', (c) => c.notNull())
    .addColumn('actor_id', 'text')
    .addColumn('actor_profile_uuid', 'text')
    .addColumn('actor_role_code', 'text')
    .addColumn('actor_organisation_uuid', 'text')
    .addColumn('address', 'text')
    .addColumn('request_id', 'text')
    .addColumn('target_kind', 'text')
    .addColumn('target_id', 'text')
    .addColumn('user_uuid', 'text')
    .addColumn('client_id', 'text')
    .addColumn('sid', 'text')
    .addColumn('organisation_uuid', 'text')
    .addColumn('before', 'text')
    .addColumn('after', 'text')
    .addColumn('detail', 'text')
    .execute()
  await indexes(db)
  await db.schema
    .createTable('audit_head')
    .addColumn('name', 'text', (c) => c.primaryKey().notNull())
    .addColumn('sequence', 'bigint', (c) => c.notNull())
    .addColumn('hash', 'text', (c) => c.notNull())
    .execute()
  await sql`insert into audit_head (name, sequence, hash) values ('chain', 0, ${'0'.repeat(64)})`.execute(db)
  if (dialect === 'sqlite') await refuseOnSqlite(db)
  else await refuseOnPostgres(db)
}

/** What lists are filtered by, each in the order of time. */
async function indexes(db: Kysely<unknown>): Promise<void> {
  for (const column of ['at', 'kind', 'actor_id', 'target_id', 'user_uuid', 'organisation_uuid']) {
    const index = db.schema.createIndex(`audit_records_${column}`).on('audit_records')
    const ordered = column === 'at' ? ['at', 'sequence'] : [column, 'at', 'sequence']
    const optional = !['at', 'kind'].includes(column)
    await index
      .columns(ordered)
      .$call((one) => (optional ? one.where(sql.ref(column), 'is not', null) : one))
      .execute()
  }
}

const refusal = 'audit records are never changed or removed'

async function refuseOnSqlite(db: Kysely<unknown>): Promise<void> {
  for (const change of ['update', 'delete']) {
    await sql`
      create trigger ${sql.id(`audit_records_no_${change}`)} before ${sql.raw(change)} on audit_records
      begin select raise(abort, ${sql.lit(refusal)}); end
    `.execute(db)
  }
}

async function refuseOnPostgres(db: Kysely<unknown>): Promise<void> {
  await sql`
    create function audit_records_refuse() returns trigger language plpgsql as
    ${sql.lit(`begin raise exception '${refusal}'; end`)}
  `.execute(db)
  await sql`
    create trigger audit_records_no_change before update or delete on audit_records
    for each row execute function audit_records_refuse()
  `.execute(db)
}
