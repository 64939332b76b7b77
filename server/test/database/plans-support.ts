import { CompiledQuery, createQueryId, type RootOperationNode, sql } from 'kysely'
import { dialectOf } from '../../dist/database/dialect.js'
import type { Store } from '../../dist/database/store.js'

/** The plans of the queries that a verb makes, one text each. */
export async function plansOf(store: Store, verb: (store: Store) => Promise<unknown>): Promise<string[]> {
  const nodes: RootOperationNode[] = []
  const db = store.db.withPlugin({
    transformQuery: ({ node }) => {
      nodes.push(node)
      return node
    },
    transformResult: async ({ result }) => result,
  })
  await verb({ ...store, db })
  const queries = nodes.map((node) => store.db.getExecutor().compileQuery(node, createQueryId()))
  return await store.db.transaction().execute(async (trx) => {
    // A small table is scanned rather than not: that it need not be is the question.
    if (dialectOf(store.db) === 'postgres')
      for (const way of ['seqscan', 'sort', 'bitmapscan'])
        await sql.raw(`set local enable_${way} = off`).execute(trx)
    const plans: string[] = []
    for (const query of queries) {
      const explain = dialectOf(store.db) === 'sqlite' ? 'explain query plan' : 'explain'
      const { rows } = await trx.executeQuery<Record<string, unknown>>(
        CompiledQuery.raw(`${explain} ${query.sql}`, [...query.parameters]),
      )
      plans.push(rows.map((row) => String(row.detail ?? row['QUERY PLAN'])).join('\n'))
    }
    return plans
  })
}
