import { type Kysely, sql } from 'kysely'
import { emailKey } from '../../protocol/values.ts'

type Dialect = 'sqlite' | 'postgres'

/** additive: versions for conditional changes, keys and indexes for lists and searches, and answers to be repeated. */
export async function up(db: Kysely<unknown>, dialect: Dialect): Promise<void> {
  for (const table of versioned) {
    await db.schema
      .alterTable(table)
      .addColumn('version', 'bigint', (c) => c.notNull().defaultTo(1))
      .execute()
  }
  await searchKeys(db, dialect)
  await members(db, dialect)
  await profileIndexes(db)
  await db.schema.createIndex('units_parent').on('units').column('parent_uuid').execute()
  await db.schema.createIndex('clients_organisation').on('clients').column('organisation_uuid').execute()
  await db.schema.createIndex('devices_user').on('devices').column('user_uuid').execute()
  await db.schema
    .createTable('repeatable_answers')
    .addColumn('key_hash', 'text', (c) => c.primaryKey().notNull())
    .addColumn('request_hash', 'text', (c) => c.notNull())
    .addColumn('answer', 'text', (c) => c.notNull())
    .addColumn('expires_at', 'bigint', (c) => c.notNull())
    .execute()
}

const versioned = [
  'services',
  'permissions',
  'roles',
  'organisations',
  'units',
  'users',
  'profiles',
  'clients',
] as const

/** Compared by their bytes on both databases, so that a prefix is a range of an index. */
const byBytes = (dialect: Dialect) => (dialect === 'postgres' ? sql`text collate "C"` : ('text' as const))

async function searchKeys(db: Kysely<unknown>, dialect: Dialect): Promise<void> {
  if (dialect === 'postgres') {
    await sql`alter table users alter column email_key type text collate "C"`.execute(db)
    await sql`alter table organisations alter column code type text collate "C"`.execute(db)
  }
  for (const table of ['users', 'organisations']) {
    await db.schema
      .alterTable(table)
      .addColumn('name_key', byBytes(dialect), (c) => c.notNull().defaultTo(''))
      .execute()
    await fillNameKeys(db, table)
  }
  await db.schema.createIndex('users_name').on('users').columns(['name_key', 'email_key']).execute()
  await db.schema.createIndex('users_active').on('users').columns(['active', 'email_key']).execute()
  await db.schema
    .createIndex('organisations_name')
    .on('organisations')
    .columns(['name_key', 'code'])
    .execute()
}

/** Here and not in SQL, whose `lower` knows ASCII alone on one of the databases. */
async function fillNameKeys(db: Kysely<unknown>, table: string): Promise<void> {
  const rows = sql.table(table)
  for (let last = ''; ; ) {
    const page = await sql<{ uuid: string; name: string }>`
      select uuid, name from ${rows} where uuid > ${last} order by uuid limit 1000`.execute(db)
    for (const { uuid, name } of page.rows) {
      await sql`update ${rows} set name_key = ${emailKey(name)} where uuid = ${uuid}`.execute(db)
      last = uuid
    }
    if (page.rows.length < 1000) return
  }
}

/** Who has a profile where: a row for the organisation, the unit and each unit above it. */
async function members(db: Kysely<unknown>, dialect: Dialect): Promise<void> {
  await db.schema
    .createTable('members')
    .addColumn('place_uuid', 'text', (c) => c.notNull())
    .addColumn('user_uuid', 'text', (c) => c.notNull())
    .addColumn('email_key', byBytes(dialect), (c) => c.notNull())
    .addColumn('name_key', byBytes(dialect), (c) => c.notNull())
    .addColumn('active', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('members_pk', ['place_uuid', 'user_uuid'])
    .execute()
  await sql`
    insert into members (place_uuid, user_uuid, email_key, name_key, active)
    with recursive places (user_uuid, place_uuid) as (
      select user_uuid, unit_uuid from profiles where unit_uuid is not null
      union
      select places.user_uuid, units.parent_uuid from places
      join units on units.uuid = places.place_uuid where units.parent_uuid is not null
    )
    select held.place_uuid, users.uuid, users.email_key, users.name_key, users.active from (
      select user_uuid, place_uuid from places
      union select user_uuid, organisation_uuid from profiles where organisation_uuid is not null
    ) as held join users on users.uuid = held.user_uuid`.execute(db)
  const index = async (name: string, columns: string[]) =>
    await db.schema.createIndex(name).on('members').columns(columns).execute()
  await index('members_user', ['user_uuid'])
  await index('members_email', ['place_uuid', 'email_key'])
  await index('members_name', ['place_uuid', 'name_key', 'email_key'])
  await index('members_active', ['place_uuid', 'active', 'email_key'])
}

async function profileIndexes(db: Kysely<unknown>): Promise<void> {
  await db.schema.dropIndex('profiles_role').execute()
  await db.schema.dropIndex('profiles_organisation').execute()
  const index = async (name: string, columns: string[]) =>
    await db.schema.createIndex(name).on('profiles').columns(columns).execute()
  await index('profiles_role', ['role_code', 'uuid'])
  await index('profiles_organisation', ['organisation_uuid', 'uuid'])
  await index('profiles_organisation_role', ['organisation_uuid', 'role_code', 'uuid'])
  await index('profiles_unit', ['unit_uuid', 'uuid'])
}
