import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { Flag } from '../../database/flag.ts'
import { type After, firstOf, type Page } from '../../database/page.ts'
import type { Schema } from '../../database/schema.ts'
import { type Narrowing, readNarrowed } from '../narrowing.ts'
import { isAmong } from '../search.ts'

/** People in the order of the day of their last sign-in, and by e-mail address where it is the same. */
export interface BySignIn {
  /** The organisation or unit whose members are listed; undefined: everywhere. */
  place: string | undefined
  active: Flag | undefined
  uuid: readonly string[] | undefined
  /** The last sign-in is before this day. */
  before: string | undefined
  /** The latest sign-in comes first. */
  backwards: boolean
  narrowing: Narrowing | undefined
}

interface Found {
  id: string
  day: string
  key: string
}

/**
 * People who never signed in have the empty day, before all others. Each page joins two ranges of an index: one of
 * active people and one of the others.
 */
export async function idsBySignIn(
  db: Kysely<Schema>,
  listing: BySignIn,
  after: After,
  limit: number,
): Promise<Page<string>> {
  const { backwards, active } = listing
  const way = backwards ? sql`desc` : sql`asc`
  const columns = columnsOf(listing.place)
  const earlier = (a: Found, b: Found) =>
    (compareBytes(a.day, b.day) || compareBytes(a.key, b.key)) * (backwards ? -1 : 1)
  const each = async (statement: (active: Flag) => RawBuilder<unknown>, most: RawBuilder<unknown>) => {
    const all: Found[] = []
    for (const flag of active === undefined ? ([1, 0] as const) : [active]) {
      const part = sql<Found>`${statement(flag)} order by "day" ${way}, "key" ${way} limit ${most}`
      all.push(...(await part.execute(db)).rows)
    }
    return all.toSorted(earlier)
  }
  const rows = await readNarrowed<Found, Found>(listing.narrowing, limit + 1, {
    keyAfter: async (count) =>
      (await each((flag) => found(listing, columns, flag, after), sql`1 offset ${count}`))[0],
    async read({ isOne, until, few = false }) {
      const read = few ? unindexed(columns) : columns
      const upTo = until === undefined ? sql`true` : isUpTo(listing, read, until)
      const statement = (flag: Flag) =>
        sql`${found(listing, read, flag, after)} and ${isOne(columns.id)} and ${upTo}`
      return (await each(statement, sql`${limit + 1}`)).slice(0, limit + 1)
    },
  })
  const page = firstOf(rows, limit, ({ day, key }) => [day, key])
  return { ...page, rows: page.rows.map(({ id }) => id) }
}

/** The order of the indexes, on both databases. */
const compareBytes = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b))

interface PeopleColumns {
  from: RawBuilder<unknown>
  id: RawBuilder<unknown>
  day: RawBuilder<unknown>
  key: RawBuilder<unknown>
  active: RawBuilder<unknown>
}

/** Columns that an index has. */
const columnsOf = (place: string | undefined): PeopleColumns =>
  place === undefined
    ? {
        from: sql`users where true`,
        id: sql.ref('users.uuid'),
        day: sql.ref('users.last_sign_in_on'),
        key: sql.ref('users.email_key'),
        active: sql.ref('users.active'),
      }
    : {
        from: sql`members where members.place_uuid = ${place}`,
        id: sql.ref('members.user_uuid'),
        day: sql.ref('members.last_sign_in_on'),
        key: sql.ref('members.email_key'),
        active: sql.ref('members.active'),
      }

/** Columns that no index has: the few are looked up by their ids. */
const unindexed = ({ day, key, active, ...columns }: PeopleColumns): PeopleColumns => ({
  ...columns,
  day: sql`(${day} || '')`,
  key: sql`(${key} || '')`,
  active: sql`${active} + 0`,
})

function found(
  { place, uuid, before, backwards }: BySignIn,
  { from, id, day, key, active: isActive }: PeopleColumns,
  active: Flag,
  after: After,
): RawBuilder<unknown> {
  const [lastDay = '', lastKey = ''] = after ?? (backwards ? afterAll : beforeAll)
  // One bound at each end, which SQLite takes for its range. Where none is said, it sorts another index.
  const fromDay = backwards && before !== undefined && lastDay >= before ? [before, ''] : [lastDay, lastKey]
  const conditions = [
    sql`${isActive} = ${active}`,
    backwards
      ? sql`(${day}, ${key}) < (${sql.join(fromDay)})`
      : sql`(${day}, ${key}) > (${sql.join(fromDay)})`,
    ...(before === undefined || backwards ? [] : [sql`${day} < ${before}`]),
    // A place may not know yet what the person's own row has.
    ...(before === undefined || place === undefined ? [] : [notSince(id, before)]),
    isAmong(place === undefined ? 'users.uuid' : 'members.user_uuid', uuid),
  ]
  return sql`select ${id} as id, ${day} as "day", ${key} as "key" from ${from} and ${sql.join(conditions, sql` and `)}`
}

/** Ends of the order: a colon follows the digits, and no address is empty. */
const beforeAll = ['', '']
const afterAll = [':', '']

const notSince = (id: RawBuilder<unknown>, before: string) =>
  sql`(select own.last_sign_in_on from users as own where own.uuid = ${id}) < ${before}`

const isUpTo = ({ backwards }: BySignIn, { day, key }: PeopleColumns, until: Found) =>
  backwards
    ? sql`(${day}, ${key}) >= (${until.day}, ${until.key})`
    : sql`(${day}, ${key}) <= (${until.day}, ${until.key})`
