import { sql } from 'kysely'
import { beforeAll, expect, it } from 'vitest'
import { emailsOf } from '../../dist/store/users.js'
import { Administrator, users, administeredOn } from '../administration/support.ts'
import { onEachDatabase } from '../harness/databases.ts'
import { withStore } from '../harness/program.ts'

/** More than one statement takes: SQLite 32,766 values, PostgreSQL 65,535. */

onEachDatabase('more than a statement takes', (dialect) => {
  const many = dialect === 'sqlite' ? 33_000 : 66_000
  const tessera = administeredOn(dialect)
  let admin: Administrator
  beforeAll(async () => {
    admin = await Administrator.machine(tessera.url)
  })

  it('clients: their organisation can be disabled', async () => {
    const { json, etag } = await admin.post('/organisations', { code: 'many', name: 'Many' })
    const uuid = String(json.uuid)
    await withStore(tessera, async ({ db }) => {
      const columns = [
        'type',
        'application_type',
        'active',
        'first_party',
        'scope',
        'redirect_uris',
        'contacts',
      ]
      const others = ['post_logout_redirect_uris', 'grant_types', 'services', 'allowed_origins']
      const all = sql.join([...columns, ...others, 'created_at', 'updated_at'].map((one) => sql.ref(one)))
      // A statement that commits by itself is given up after four seconds.
      await db.transaction().execute((trx) =>
        sql`
        insert into clients (client_id, client_name, organisation_uuid, ${all})
        with recursive numbers (number) as (
          select 1 union all select number + 1 from numbers where number < ${sql.lit(many)}
        )
        select 'many-' || number, 'Many', ${sql.lit(uuid)}, ${all} from numbers
        join clients on clients.client_id = 'submissions-web'`.execute(trx),
      )
    })
    const disabled = await admin.ask('PATCH', `/organisations/${uuid}`, {
      body: { active: false },
      match: etag,
    })
    expect(disabled.status).toBe(200)
  })

  it('people: their addresses are found', async () => {
    const uuids = [...Array.from({ length: many }, (_, index) => `nobody-${index}`), users.importer]
    const emails = await withStore(tessera, async (store) => await emailsOf(store, uuids))
    expect([...emails]).toEqual([[users.importer, 'importer@acme.example']])
  })
})
