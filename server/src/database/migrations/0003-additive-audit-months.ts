import { type Kysely, sql } from 'kysely'
import type { DialectName } from '../dialect.ts'

/**
 * additive: the heads of months that are over, and which month is open. Records of an archived month may be removed; the
 * triggers go on refusing everything else.
 */
export async function up(db: Kysely<unknown>, dialect: DialectName): Promise<void> {
  await sql`create table audit_months (
    month text primary key not null, first bigint not null, last bigint not null, hash text not null, mac text not null,
    archived_at bigint, archive_mac text
  )`.execute(db)
  await sql`alter table audit_head add column month text`.execute(db)
  for (const statement of permitting[dialect]) await sql.raw(statement).execute(db)
}

const refusal = "'audit records are never changed or removed'"
const archived = 'from audit_months where archived_at is not null and last >= old.sequence'

const permitting: Record<DialectName, string[]> = {
  sqlite: [
    'drop trigger audit_records_no_delete',
    `create trigger audit_records_no_delete before delete on audit_records
     when not exists (select 1 ${archived}) begin select raise(abort, ${refusal}); end`,
  ],
  // The function is replaced, so that the table itself needs no lock.
  postgres: [
    `create or replace function audit_records_refuse() returns trigger language plpgsql as
     $$begin if tg_op = 'DELETE' then if exists (select ${archived}) then return old; end if; end if; raise exception ${refusal}; end$$`,
    // Else a temporary table of the same name would be asked in the place of theirs.
    `do $$begin
      execute format('alter function audit_records_refuse() set search_path = %I, pg_temp', current_schema());
      execute format('alter function audit_waiting_linked() set search_path = %I, pg_temp', current_schema());
    end$$`,
  ],
}
