import { type Kysely, sql } from 'kysely'
import { contentColumns } from '../database/schema-audit.ts'
import type { Schema } from '../database/schema.ts'
import type { Store } from '../database/store.ts'

/**
 * What was recorded, whether it is linked to the chain yet or waits: for those who ask what happened, and not where it
 * stands. In the order of `linked` and then `waited` the latest comes last.
 */
export function recorded(db: Kysely<Schema>) {
  const none = sql<number | null>`cast(null as bigint)`
  const linked = db
    .selectFrom('audit_records')
    .select(contentColumns)
    .select((row) => [row.ref('sequence').$castTo<number | null>().as('linked'), none.as('waited')])
  const waiting = db
    .selectFrom('audit_waiting')
    .select(contentColumns)
    .select((row) => [none.as('linked'), row.ref('number').$castTo<number | null>().as('waited')])
  return db.selectFrom(linked.unionAll(waiting).as('recorded'))
}

/** More are not counted. */
const most = 10_000

/** How many records wait to be linked. */
export async function waitingRecords({ db }: Pick<Store, 'db'>): Promise<number> {
  const waiting = db.selectFrom('audit_waiting').select('number').limit(most).as('waiting')
  const { count } = await db
    .selectFrom(waiting)
    .select((select) => select.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return Number(count)
}
