import { type Kysely, type RawBuilder, sql } from 'kysely'
import { emailKey } from '../../protocol/values.ts'

type Dialect = 'sqlite' | 'postgres'

/**
 * additive: clients by the beginning of their client_id or of any word of their name, so that a search is a range of
 * an index. Triggers keep it: processes of the version before write clients as well, and know nothing of it.
 */
export async function up(db: Kysely<unknown>, dialect: Dialect): Promise<void> {
  // What they write has no key of its own: `keyed_name` is the name that the key is of, and tells when it is not.
  await db.schema.alterTable('clients').addColumn('name_key', 'text').execute()
  await db.schema.alterTable('clients').addColumn('keyed_name', 'text').execute()
  // Before there are triggers, which would write the words of each twice.
  await keyAll(db)
  const byBytes = dialect === 'postgres' ? sql`text collate "C"` : ('text' as const)
  await db.schema
    .createTable('client_words')
    .addColumn('client_id', byBytes, (c) => c.notNull().references('clients.client_id').onDelete('cascade'))
    .addColumn('words', byBytes, (c) => c.notNull())
    .addColumn('organisation_uuid', 'text')
    .addPrimaryKeyConstraint('client_words_pk', ['client_id', 'words'])
    .execute()
  const index = async (table: string, name: string, columns: string[]) =>
    await db.schema.createIndex(`${table}_${name}`).on(table).columns(columns).execute()
  await index('client_words', 'words', ['words', 'client_id'])
  await index('client_words', 'organisation', ['organisation_uuid', 'words', 'client_id'])
  // What clients are listed by, in the order of the list.
  await index('clients', 'of_organisation', ['organisation_uuid', 'client_id'])
  await index('clients', 'of_type', ['type', 'client_id'])
  await index('clients', 'active', ['active', 'client_id'])
  // The triggers first: whoever writes from here on waits for them, and what was written is filled in below.
  if (dialect === 'sqlite') await keepOnSqlite(db)
  else await keepOnPostgres(db)
  await fillAll(db, dialect)
}

/** Without a key of its own, the database's lower case does: on SQLite that of A to Z. */
const key = sql`case when named.keyed_name = named.client_name then named.name_key else lower(named.client_name) end`

/** The client_id, and the name from each of its words on. Words end at a space or a hyphen. */
const texts: Record<Dialect, RawBuilder<unknown>> = {
  sqlite: sql`
    select keyed.client_id, substr(keyed.name, 1 + coalesce((
      select sum(length(earlier.value) + 1) from json_each(keyed.list) as earlier where earlier.key < word.key
    ), 0)) as words, keyed.organisation_uuid
    from (
      select named.client_id, named.organisation_uuid, ${key} as name,
      '[' || replace(json_quote(replace(${key}, '-', ' ')), ' ', '","') || ']' as list
      from clients as named
    ) as keyed, json_each(keyed.list) as word where word.key = 0 or word.value <> ''
    union select client_id, lower(client_id), organisation_uuid from clients`,
  postgres: sql`
    select keyed.client_id, substr(keyed.name, 1 + word.before) as words, keyed.organisation_uuid
    from (
      select named.client_id, named.organisation_uuid, ${key} as name from clients as named
    ) as keyed cross join lateral (
      select listed.number, listed.text,
      (sum(length(listed.text) + 1) over (order by listed.number))::int - length(listed.text) - 1 as before
      from unnest(string_to_array(translate(keyed.name, '-', ' '), ' ')) with ordinality as listed (text, number)
    ) as word where word.number = 1 or word.text <> ''
    union select client_id, lower(client_id), organisation_uuid from clients`,
}

/** Of one client, or of a range of them: the condition reaches into both halves. */
const fill = (dialect: Dialect, condition: RawBuilder<unknown>): RawBuilder<unknown> => sql`
  insert into client_words (client_id, words, organisation_uuid)
  select client_id, words, organisation_uuid from (${texts[dialect]}) as beginnings where ${condition}`

const columns = 'client_name, name_key, keyed_name, organisation_uuid'

async function keepOnSqlite(db: Kysely<unknown>): Promise<void> {
  for (const [name, change] of [
    ['insert', 'insert'],
    ['update', `update of ${columns}`],
  ] as const) {
    await sql`create trigger ${sql.id(`clients_words_${name}`)} after ${sql.raw(change)} on clients begin
      delete from client_words where client_id = new.client_id;
      ${fill('sqlite', sql`client_id = new.client_id`)};
    end`.execute(db)
  }
}

async function keepOnPostgres(db: Kysely<unknown>): Promise<void> {
  await sql`create function clients_words_keep() returns trigger language plpgsql as $$ begin
    delete from client_words where client_id = new.client_id;
    ${fill('postgres', sql`client_id = new.client_id`)};
    return null;
  end $$`.execute(db)
  await sql`create trigger clients_words_keep after insert or update of ${sql.raw(columns)} on clients
    for each row execute function clients_words_keep()`.execute(db)
}

const pageSize = 1000

/** A page of clients by client_id, after the last one of the page before. */
async function pageAfter(db: Kysely<unknown>, last: string): Promise<{ id: string; name: string }[]> {
  const { rows } = await sql<{ id: string; name: string }>`
    select client_id as id, client_name as name from clients where client_id > ${last}
    order by client_id limit ${pageSize}`.execute(db)
  return rows
}

/** For most the lower case of A to Z is all that there is to do; the others get a key. */
async function keyAll(db: Kysely<unknown>): Promise<void> {
  for (let page = await pageAfter(db, ''); page.length > 0; page = await pageAfter(db, lastOf(page))) {
    for (const { id, name } of page) {
      if (/^[ -~]+$/.test(name) && name.trim() === name) continue
      await sql`update clients set name_key = ${emailKey(name)}, keyed_name = ${name}
        where client_id = ${id}`.execute(db)
    }
  }
}

/** Page by page: of a hundred thousand clients one statement might take longer than any may. */
async function fillAll(db: Kysely<unknown>, dialect: Dialect): Promise<void> {
  for (let last = '', page = await pageAfter(db, last); page.length > 0; page = await pageAfter(db, last)) {
    const before = last
    last = lastOf(page)
    await fill(dialect, sql`client_id > ${before} and client_id <= ${last}`).execute(db)
  }
}

const lastOf = (page: readonly { id: string }[]): string => page.at(-1)?.id ?? ''
