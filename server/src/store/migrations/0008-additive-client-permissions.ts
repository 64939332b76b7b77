import { type Kysely, sql } from 'kysely'

type Dialect = 'sqlite' | 'postgres'

/**
 * additive: what each machine may do, for the question who holds a permission. Triggers keep it: processes of the
 * version before write clients as well, and know nothing of it.
 */
export async function up(db: Kysely<unknown>, dialect: Dialect): Promise<void> {
  // Compared by its bytes on both databases: pages of two permissions are put in one order outside of them.
  const clientId = dialect === 'postgres' ? sql`text collate "C"` : ('text' as const)
  await db.schema
    .createTable('client_permissions')
    .addColumn('client_id', clientId, (c) => c.notNull().references('clients.client_id').onDelete('cascade'))
    .addColumn('permission', 'text', (c) => c.notNull())
    .addColumn('client_name', 'text', (c) => c.notNull())
    .addColumn('organisation_uuid', 'text')
    .addPrimaryKeyConstraint('client_permissions_pk', ['client_id', 'permission'])
    .execute()
  const index = async (name: string, columns: string[]) =>
    await db.schema.createIndex(name).on('client_permissions').columns(columns).execute()
  await index('client_permissions_permission', ['permission', 'client_id'])
  await index('client_permissions_organisation', ['organisation_uuid', 'permission', 'client_id'])
  // The triggers first: whoever writes from here on waits for them, and what was written is filled in below.
  if (dialect === 'sqlite') await keepOnSqlite(db)
  else await keepOnPostgres(db)
  await sql`${filled[dialect]}`.execute(db)
}

/** Of machines that are active: what they list, as far as its service is assigned to them. */
const filled = {
  sqlite: sql`
    insert into client_permissions (client_id, permission, client_name, organisation_uuid)
    select distinct clients.client_id, listed.value, clients.client_name, clients.organisation_uuid
    from clients, json_each(clients.permissions) as listed
    where clients.type = 'machine' and clients.active = 1
    and substr(listed.value, 1, instr(listed.value, '.') - 1) in (select value from json_each(clients.services))`,
  postgres: sql`
    insert into client_permissions (client_id, permission, client_name, organisation_uuid)
    select distinct clients.client_id, listed.value, clients.client_name, clients.organisation_uuid
    from clients, json_array_elements_text(clients.permissions::json) as listed
    where clients.type = 'machine' and clients.active = 1
    and split_part(listed.value, '.', 1) in (select json_array_elements_text(clients.services::json))`,
}

const columns = 'type, client_name, active, services, permissions, organisation_uuid'

async function keepOnSqlite(db: Kysely<unknown>): Promise<void> {
  for (const [name, change] of [
    ['insert', 'insert'],
    ['update', `update of ${columns}`],
  ] as const) {
    await sql`
      create trigger ${sql.id(`clients_permissions_${name}`)} after ${sql.raw(change)} on clients
      begin
        delete from client_permissions where client_id = new.client_id;
        ${filled.sqlite} and clients.client_id = new.client_id;
      end`.execute(db)
  }
}

async function keepOnPostgres(db: Kysely<unknown>): Promise<void> {
  await sql`
    create function clients_permissions_keep() returns trigger language plpgsql as $$
    begin
      delete from client_permissions where client_id = new.client_id;
      ${filled.postgres} and clients.client_id = new.client_id;
      return null;
    end $$`.execute(db)
  await sql`
    create trigger clients_permissions_keep after insert or update of ${sql.raw(columns)} on clients
    for each row execute function clients_permissions_keep()`.execute(db)
}
