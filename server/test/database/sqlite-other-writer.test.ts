import { createRequire } from 'node:module'
import type { DatabaseSyncInstance } from '@photostructure/sqlite'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { isStorageFailure } from '../../dist/database/failure.js'
import type { Store } from '../../dist/database/store.js'
import { openStore } from '../harness/stores.ts'
import { createDatabase, type TestDatabase } from '../harness/databases.ts'

/** What a process reads from the embedded database while, and after, another process held its write lock. */

const { DatabaseSync } = createRequire(new URL('../../dist/database/open.js', import.meta.url))(
  '@photostructure/sqlite',
) as typeof import('@photostructure/sqlite')

let database: TestDatabase
let store: Store
let other: DatabaseSyncInstance
beforeEach(async () => {
  database = await createDatabase('sqlite')
  await open(60_000)
  other = new DatabaseSync(database.url.slice('sqlite:'.length))
})
/** With the longest that is waited for the other, ms: longer than a slow machine needs, unless that is the matter. */
const open = async (connectTimeout: number) => {
  store = await openStore(database.url, { pool: 1, connectTimeout, statementTimeout: 1000 })
}
const givingUpSoon = async () => {
  await store.close()
  await open(300)
}
afterEach(async () => {
  other.close()
  await store.close()
  await database.remove()
})

const hold = (jti: string) => {
  other.exec('begin immediate')
  other.prepare('insert into revoked_tokens values (?, 1)').run(jti)
}
const read = async () => {
  const rows = await store.db.selectFrom('revoked_tokens').select('jti').orderBy('jti').execute()
  return rows.map(({ jti }) => jti)
}
const write = (jti: string) => store.db.insertInto('revoked_tokens').values({ jti, expires_at: 1 }).execute()
const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))

it('is what the other committed, even while a write of its own still waits', async () => {
  hold('theirs')
  const waiting = write('ours')
  await pause(40)
  expect(await read()).toEqual([])
  other.exec('commit')
  // At once, whether or not the write has been tried again yet.
  expect(await read()).toContain('theirs')
  await waiting
  expect(await read()).toEqual(['ours', 'theirs'])
})

it.each(['all rows', 'one row'])('waits for the other and then writes, where it yields %s', async (kind) => {
  other.prepare("insert into revoked_tokens values ('taken', 1)").run()
  hold('theirs')
  const taking = store.db.deleteFrom('revoked_tokens').where('jti', '=', 'taken').returning('jti')
  const taken = kind === 'all rows' ? taking.execute() : taking.executeTakeFirst()
  await pause(40)
  other.exec('commit')
  expect(await taken).toEqual(kind === 'all rows' ? [{ jti: 'taken' }] : { jti: 'taken' })
})

it('says that the database can not answer now when it was given up, also where it would have yielded rows', async () => {
  await givingUpSoon()
  hold('theirs')
  const failures: unknown[] = []
  const remove = () => store.db.deleteFrom('revoked_tokens')
  for (const given of [() => remove().execute(), () => remove().returning('jti').execute()])
    await given().catch((error: unknown) => failures.push(error))
  other.exec('commit')
  expect(failures.map(isStorageFailure)).toEqual([true, true])
})

it.each(['one statement', 'a transaction', 'an upsert that yields its row'])(
  'is what the other committed after %s of its own was given up',
  async (kind) => {
    await givingUpSoon()
    hold('theirs')
    const given =
      kind === 'one statement'
        ? write('ours')
        : kind === 'a transaction'
          ? store.db.transaction().execute(async () => undefined)
          : store.db
              .insertInto('revoked_tokens')
              .values({ jti: 'ours', expires_at: 1 })
              .onConflict((conflict) => conflict.column('jti').doNothing())
              .returning('jti')
              .execute()
    await expect(given).rejects.toThrow(/locked/)
    expect(await read()).toEqual([])
    other.exec('commit')
    expect(await read()).toEqual(['theirs'])
    hold('theirs too')
    other.exec('commit')
    expect(await read()).toEqual(['theirs', 'theirs too'])
    await write('ours later')
    expect(await read()).toHaveLength(3)
  },
)
