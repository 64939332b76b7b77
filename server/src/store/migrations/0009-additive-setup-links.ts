import { type Kysely, sql } from 'kysely'

/**
 * additive: one-time links of `tessera setup`; and triggers for what passed those that refuse to remove audit records:
 * a REPLACE on SQLite, a TRUNCATE on PostgreSQL.
 */
export async function up(db: Kysely<unknown>, dialect: 'sqlite' | 'postgres'): Promise<void> {
  await db.schema
    .createTable('setup_links')
    .addColumn('id', 'text', (c) => c.primaryKey().notNull())
    .addColumn('secret_hash', 'text', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('expires_at', 'bigint', (c) => c.notNull())
    .addColumn('used_at', 'bigint')
    .execute()
  const refusal =
    dialect === 'sqlite'
      ? sql`
          create trigger audit_records_no_replace before insert on audit_records
          when exists (select 1 from audit_records where sequence = new.sequence)
          begin select raise(abort, 'audit records are never changed or removed'); end`
      : sql`
          create trigger audit_records_no_truncate before truncate on audit_records
          for each statement execute function audit_records_refuse()`
  await refusal.execute(db)
}
