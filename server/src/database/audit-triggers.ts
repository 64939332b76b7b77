import { sql } from 'kysely'
import { dialectOf } from './dialect.ts'
import type { Store } from './store.ts'

/** The triggers that refuse to change, replace or remove audit records; docs/audit.md has the statements. */
const refusal = "'audit records are never changed or removed'"
const waiting = "'audit records that wait are never changed, and removed by being linked alone'"
const archived = 'from audit_months where archived_at is not null and last >= old.sequence'
const unlessArchived = `begin if tg_op = 'delete' then if exists (select ${archived}) then return old; end if; end if; raise exception ${refusal}; end`
const onSqlite: Readonly<Record<string, string>> = {
  audit_records_no_update: `before update on audit_records begin select raise(abort, ${refusal}); end`,
  audit_records_no_delete: `before delete on audit_records when not exists (select 1 ${archived}) begin select raise(abort, ${refusal}); end`,
  audit_records_no_replace: `before insert on audit_records when exists (select 1 from audit_records where sequence = new.sequence) begin select raise(abort, ${refusal}); end`,
}
const onPostgres: Readonly<Record<string, string>> = {
  audit_records_no_change: `before delete or update on audit_records for each row ${unlessArchived}`,
  audit_records_no_truncate: `before truncate on audit_records for each statement ${unlessArchived}`,
  audit_waiting_no_change: `before update or truncate on audit_waiting for each statement begin raise exception ${waiting}; end`,
  audit_waiting_no_loss: `after delete on audit_waiting referencing old table as gone for each statement declare start bigint := (select sequence from audit_head where name = 'chain') - (select count(*) from gone); begin if exists (select from gone where not exists (select from audit_records where sequence > start and waited = gone.number)) then raise exception ${waiting}; end if; return null; end`,
}

/** The triggers that are gone, disabled or changed: records could be altered without them. */
export async function missingTriggers(store: Pick<Store, 'db'>): Promise<string[]> {
  if (dialectOf(store.db) === 'sqlite') return lacking(onSqlite, await sqliteTriggers(store))
  const tables = await postgresTriggers(store)
  const missing = [...tables].flatMap(([table, there]) => {
    const own = Object.entries(onPostgres).filter(([name]) => name.startsWith(tableOf(table)))
    return lacking(Object.fromEntries(own), there).map((name) => ({ table, name }))
  })
  const names = missing.flatMap(({ table, name }) => (table === tableOf(table) ? [name] : []))
  // What the table lacks its partitions lack too.
  const more = missing.filter(({ table, name }) => table !== tableOf(table) && !names.includes(name))
  return [...names, ...more.map(({ table, name }) => `${name} of ${table}`)]
}

/** The table that a partition belongs to, or the table itself. */
const tableOf = (table: string): string => /^audit_(records|waiting)/.exec(table)?.[0] ?? table

const lacking = (expected: Readonly<Record<string, string>>, there: ReadonlyMap<string, string>): string[] =>
  Object.entries(expected).flatMap(([name, does]) => (there.get(name) === does ? [] : [name]))

/** What each trigger does, in normalised spelling. */
async function sqliteTriggers({ db }: Pick<Store, 'db'>): Promise<ReadonlyMap<string, string>> {
  const { rows } = await sql<{ name: string; text: string }>`
    select name, sql as text from sqlite_master where type = 'trigger' and tbl_name = 'audit_records'
  `.execute(db)
  return new Map(rows.map(({ name, text }) => [name, plain(text).replace(/^create trigger \S+ /, '')]))
}

/** What each trigger does, for each table and partition. */
async function postgresTriggers({
  db,
}: Pick<Store, 'db'>): Promise<ReadonlyMap<string, ReadonlyMap<string, string>>> {
  const { rows } = await sql<{ table: string; name: string | null; definition: string; body: string }>`
    select relname as table, tgname as name, pg_get_triggerdef(pg_trigger.oid) as definition, prosrc as body
    from (select relid from pg_partition_tree('audit_records') union all select 'audit_waiting'::regclass) as guarded
    join pg_class on pg_class.oid = relid
    left join (pg_trigger join pg_proc on pg_proc.oid = tgfoid) on tgrelid = relid
      and (tgenabled = 'A' or tgenabled = 'O' and current_setting('session_replication_role') <> 'replica')
    order by relname
  `.execute(db)
  const does = ({ definition, body }: { definition: string; body: string }) =>
    plain(definition)
      .replace(/^create trigger \S+ /, '')
      .replace(/ on (\w+\.)?(audit_records|audit_waiting)\w* /, ' on $2 ')
      .replace(/execute function \S+\(\)$/, plain(body))
  const tables = new Map<string, Map<string, string>>()
  for (const { table, name, ...row } of rows) {
    const there = tables.get(table) ?? new Map<string, string>()
    tables.set(table, name === null ? there : there.set(name, does(row)))
  }
  return tables
}

const plain = (text: string) =>
  text
    .toLowerCase()
    .replaceAll(/["\s]+/g, ' ')
    .trim()
