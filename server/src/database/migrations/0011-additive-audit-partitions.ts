import { type Kysely, sql } from 'kysely'
import type { DialectName } from '../dialect.ts'

/**
 * additive: the records of PostgreSQL in partitions, one for each month in which they were linked. The table that there
 * is becomes the first of them, unread.
 */
export async function up(db: Kysely<unknown>, dialect: DialectName): Promise<void> {
  if (dialect === 'sqlite') return
  const { rows } = await sql<{ schema: string }>`select quote_ident(current_schema()) as schema`.execute(db)
  const path = `set search_path = ${rows[0]?.schema ?? 'public'}, pg_temp`
  for (const statement of [...moved, ...parent, rights, ...opening(path)])
    await sql.raw(statement).execute(db)
}

const indexes: Readonly<Record<string, string>> = {
  at: '(at, sequence)',
  kind: '(kind, at, sequence)',
  actor_id: '(actor_id, at, sequence) where actor_id is not null',
  target_id: '(target_id, at, sequence) where target_id is not null',
  user_uuid: '(user_uuid, at, sequence) where user_uuid is not null',
  organisation_uuid: '(organisation_uuid, at, sequence) where organisation_uuid is not null',
}

const moved = [
  'lock table audit_records in access exclusive mode',
  'alter table audit_records rename to audit_records_first',
  ...[...Object.keys(indexes), 'pkey'].map(
    (name) => `alter index audit_records_${name} rename to audit_records_first_${name}`,
  ),
]

const parent = [
  `create function audit_month() returns text language plpgsql stable as
   $$begin return (select coalesce(month, '') from audit_head where name = 'chain'); end$$`,
  'create table audit_records (like audit_records_first including defaults) partition by list (month)',
  'alter table audit_records alter column month set default audit_month()',
  // The indexes of the first partition are taken over, and none is made.
  ...Object.entries(indexes).map(([name, on]) => `create index audit_records_${name} on audit_records ${on}`),
  // The partition gets the trigger of the parent.
  'drop trigger audit_records_no_change on audit_records_first',
  "alter table audit_records attach partition audit_records_first for values in ('')",
  'alter table audit_records_first drop constraint audit_records_first',
  `create trigger audit_records_no_change before delete or update on audit_records
   for each row execute function audit_records_refuse()`,
  `create trigger audit_records_no_truncate before truncate on audit_records
   for each statement execute function audit_records_refuse()`,
]

/** The rights on the table before, and no others. */
const rights = `do $$
declare one record;
begin
  for one in select distinct grantee from pg_class, aclexplode(relacl)
    where oid = 'audit_records'::regclass and grantee <> relowner loop
    execute format('revoke all on audit_records from %s',
      case one.grantee when 0 then 'public' else one.grantee::regrole::text end);
  end loop;
  for one in select grantee, privilege_type from pg_class, aclexplode(relacl)
    where oid = 'audit_records_first'::regclass and grantee <> relowner loop
    execute format('grant %s on audit_records to %s', one.privilege_type,
      case one.grantee when 0 then 'public' else one.grantee::regrole::text end);
  end loop;
end$$`

/**
 * The partition of a month is made in the transaction that opens the month, so that none is ever missing; with the
 * rights of the owner, whom the service need not be. Nothing is linked while that waits for a lock, so it does for a moment.
 */
const opening = (path: string) => [
  `create function audit_partition() returns trigger language plpgsql security definer ${path} set lock_timeout = '500ms' as $$
   declare name text := 'audit_records_' || replace(new.month, '-', '_');
   begin
     if new.month is null or to_regclass(quote_ident(name)) is not null then return new; end if;
     if new.month !~ '^[0-9]{4}-[0-9]{2}$' then raise exception 'audit_head.month is no month'; end if;
     execute format('create table %I (like audit_records including defaults, primary key (sequence))', name);
     execute format('create trigger audit_records_no_truncate before truncate on %I for each statement execute function audit_records_refuse()', name);
     execute format('alter table audit_records attach partition %I for values in (%L)', name, new.month);
     return new;
   end$$`,
  `create trigger audit_head_month before update of month on audit_head
   for each row execute function audit_partition()`,
  'update audit_head set month = month',
  // A fixed path: who may remove records may not say by a table of their own which of them are archived.
  `alter function audit_records_refuse() ${path}`,
  `alter function audit_waiting_linked() ${path}`,
]
