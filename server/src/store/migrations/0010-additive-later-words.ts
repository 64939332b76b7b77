import { type Kysely, type RawBuilder, sql } from 'kysely'

type Dialect = 'sqlite' | 'postgres'

/** What is searched by name, and the table of the later words of its names. */
interface Named {
  table: 'users' | 'members' | 'organisations'
  later: string
  /** What a row is known by there, and here. */
  keys: readonly [there: string, here: string][]
  /** What orders it within a word. */
  first: 'email_key' | 'code'
}

const all: readonly Named[] = [
  { table: 'users', later: 'user_words', keys: [['uuid', 'user_uuid']], first: 'email_key' },
  {
    table: 'members',
    later: 'member_words',
    keys: [
      ['place_uuid', 'place_uuid'],
      ['user_uuid', 'user_uuid'],
    ],
    first: 'email_key',
  },
  {
    table: 'organisations',
    later: 'organisation_words',
    keys: [['uuid', 'organisation_uuid']],
    first: 'code',
  },
]

/**
 * additive: names from each of their later words on, so that a search for the beginning of any word is a range of an
 * index. Triggers keep them: processes of the version before write names as well, and know nothing of them.
 */
export async function up(db: Kysely<unknown>, dialect: Dialect): Promise<void> {
  for (const named of all) {
    await create(db, dialect, named)
    // The triggers first: whoever writes from here on waits for them, and what was written is filled in below.
    if (dialect === 'sqlite') await keepOnSqlite(db, named)
    else await keepOnPostgres(db, named)
    await fillAll(db, dialect, named)
  }
}

async function create(
  db: Kysely<unknown>,
  dialect: Dialect,
  { table, later, keys, first }: Named,
): Promise<void> {
  const byBytes = dialect === 'postgres' ? sql`text collate "C"` : ('text' as const)
  const here = keys.map(([, one]) => one)
  let made = db.schema.createTable(later)
  for (const one of here) made = made.addColumn(one, 'text', (c) => c.notNull())
  await made
    .addColumn('words', byBytes, (c) => c.notNull())
    .addColumn(first, byBytes, (c) => c.notNull())
    .addPrimaryKeyConstraint(`${later}_pk`, [...here, 'words'] as never[])
    .execute()
  const place = table === 'members' ? ['place_uuid'] : []
  const columns = [...place, 'words', first]
  await db.schema.createIndex(`${later}_words`).on(later).columns(columns).execute()
}

const pageSize = 2000

/** Page by page: of a million names one statement would take longer than any may. */
async function fillAll(db: Kysely<unknown>, dialect: Dialect, named: Named): Promise<void> {
  const key = named.keys.at(-1)?.[0] ?? 'uuid'
  for (let last = ''; ; ) {
    const page = await sql<{ last: string | null }>`select max(${sql.ref(key)}) as last from (
      select ${sql.ref(key)} from ${sql.table(named.table)} where ${sql.ref(key)} > ${last}
      order by ${sql.ref(key)} limit ${pageSize}
    ) as page`.execute(db)
    const next = page.rows[0]?.last ?? undefined
    if (next === undefined) return
    const column = sql.ref(`named.${key}`)
    await sql`${fill(dialect, named)} and ${column} > ${last} and ${column} <= ${next}`.execute(db)
    last = next
  }
}

/** The name from each word on but the first, which the name itself begins with. Words end at a space or a hyphen. */
function fill(
  dialect: Dialect,
  { table, later, keys, first }: Named,
  rows: string = table,
): RawBuilder<unknown> {
  const here = keys.map(([, one]) => sql.ref(one))
  const there = keys.map(([one]) => sql.ref(`named.${one}`))
  const columns = sql.join([...here, sql.ref('words'), sql.ref(first)])
  const into = sql`insert into ${sql.table(later)} (${columns}) select ${sql.join(there)},`
  const from = sql`${sql.ref(`named.${first}`)} from ${sql.table(rows)} as named`
  if (dialect === 'postgres') {
    return sql`${into} substr(named.name_key, 1 + word.before), ${from} cross join lateral (
      select listed.number, listed.text,
      (sum(length(listed.text) + 1) over (order by listed.number))::int - length(listed.text) - 1 as before
      from unnest(string_to_array(translate(named.name_key, '-', ' '), ' ')) with ordinality as listed (text, number)
    ) as word where word.number > 1 and word.text <> ''`
  }
  const list = sql`'[' || replace(json_quote(replace(named.name_key, '-', ' ')), ' ', '","') || ']'`
  return sql`${into} substr(named.name_key, 1 + (
      select sum(length(earlier.value) + 1) from json_each(${list}) as earlier where earlier.key < word.key
    )), ${from}, json_each(${list}) as word where word.key > 0 and word.value <> ''`
}

async function keepOnSqlite(db: Kysely<unknown>, named: Named): Promise<void> {
  const [gone, added] = [forget(named), sql`${fill('sqlite', named)} and ${isRow(named)};`]
  for (const [change, work] of [
    ['insert', added],
    [`update of name_key, ${named.first}`, sql`${gone} ${added}`],
    ['delete', gone],
  ] as const) {
    const name = `${named.table}_words_${change.split(' ')[0]}`
    await sql`create trigger ${sql.id(name)} after ${sql.raw(change)} on ${sql.table(named.table)}
      begin ${work} end`.execute(db)
  }
}

async function keepOnPostgres(db: Kysely<unknown>, named: Named): Promise<void> {
  const [add, keep] = [sql.id(`${named.table}_words_add`), sql.id(`${named.table}_words_keep`)]
  // All rows of a statement at once: an import writes hundreds.
  await sql`create function ${add}() returns trigger language plpgsql as $$ begin
    ${fill('postgres', named, 'added')}; return null; end $$`.execute(db)
  await sql`create trigger ${add} after insert on ${sql.table(named.table)}
    referencing new table as added for each statement execute function ${add}()`.execute(db)
  await sql`create function ${keep}() returns trigger language plpgsql as $$ begin
    ${forget(named)}
    if tg_op = 'UPDATE' then ${fill('postgres', named)} and ${isRow(named)}; end if;
    return null; end $$`.execute(db)
  await sql`create trigger ${keep} after delete or update of name_key, ${sql.ref(named.first)}
    on ${sql.table(named.table)} for each row execute function ${keep}()`.execute(db)
}

function forget({ later, keys }: Named): RawBuilder<unknown> {
  const conditions = keys.map(([there, here]) => sql`${sql.ref(here)} = ${sql.ref(`old.${there}`)}`)
  return sql`delete from ${sql.table(later)} where ${sql.join(conditions, sql` and `)};`
}

const isRow = ({ keys }: Named) =>
  sql.join(
    keys.map(([there]) => sql`${sql.ref(`named.${there}`)} = ${sql.ref(`new.${there}`)}`),
    sql` and `,
  )
