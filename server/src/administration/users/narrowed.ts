import { type Kysely, type RawBuilder, sql } from 'kysely'
import { type At, isProfileAt } from '../../access/reach.ts'
import type { Schema } from '../../database/schema.ts'

/** Looking up so many takes less time than reading a page out of all people when more of them fit. */
const fewAtMost = 10_000

/** People by something that an index finds. */
interface Set {
  /** `select … as user_uuid` of all of them. */
  all: RawBuilder<unknown>
  /** Whether the one of this id is among them. As a value, which PostgreSQL makes no join of. */
  has(id: RawBuilder<unknown>): RawBuilder<unknown>
}

function ofRole(role: string, at: At | undefined): Set {
  const held = sql`role_code = ${role} and ${at === undefined ? sql`true` : isProfileAt(at)}`
  return {
    all: sql`select user_uuid from profiles where ${held}`,
    // In a case, which no index is for: SQLite would go through all of the role or the place for each person.
    has: (id) =>
      sql`(select max(case when ${held} then 1 else 0 end) from profiles where user_uuid = ${id}) = 1`,
  }
}

const managedBy = (file: string): Set => ({
  all: sql`select uuid as user_uuid from users where managed_by = ${file}`,
  has: (id) => sql`(select managed_by from users as own where own.uuid = ${id}) = ${file}`,
})

/** The condition of who has the role at the place and is managed by the file; `few`: it names few to look up. */
export async function narrowed(
  db: Kysely<Schema>,
  at: At | undefined,
  { role_code: role, managed_by: file }: { role_code: string | undefined; managed_by: string | undefined },
): Promise<{ few: boolean; isOne(id: string): RawBuilder<unknown> }> {
  const sets = [
    ...(role === undefined ? [] : [ofRole(role, at)]),
    ...(file === undefined ? [] : [managedBy(file)]),
  ]
  let found: Set | undefined
  for (const set of sets) if (found === undefined && (await isFew(db, set))) found = set
  const isOne = (id: string) =>
    sql`${sql.join(
      [
        sql`true`,
        ...sets.map((set) => (set === found ? sql`${sql.ref(id)} in (${set.all})` : set.has(sql.ref(id)))),
      ],
      sql` and `,
    )}`
  return { few: found !== undefined, isOne }
}

async function isFew(db: Kysely<Schema>, { all }: Set): Promise<boolean> {
  const { rows } = await sql`${all} limit 1 offset ${fewAtMost}`.execute(db)
  return rows.length === 0
}
