import { client as catalogued } from '../../catalogue/client.ts'
import { newColumns } from '../../catalogue/columns.ts'
import { moveRevision } from '../../database/revision.ts'
import { rowOf } from '../../database/rows.ts'
import { builtInClients, type BuiltInClient } from '../../protocol/built-in-clients.ts'
import type { Service } from '../../service.ts'
import { end } from '../../store/ending.ts'
import { differs } from '../version.ts'

/**
 * Public, for code and PKCE alone: no refresh token outlives the page. Nobody is asked for consent, because the code
 * goes back to the service itself.
 */
const columnsOf = ({ clientId, name, redirectPath, path }: BuiltInClient, issuer: string) =>
  newColumns(catalogued, {
    client_id: clientId,
    type: 'public',
    client_name: name,
    first_party: true,
    redirect_uris: [`${issuer}${redirectPath}`],
    post_logout_redirect_uris: [`${issuer}${path}`],
    scope: 'openid email profile service.api',
    grant_types: ['authorization_code'],
    services: ['iam'],
    // What the page shows of who is signed in.
    claims: (['role_name', 'organisation_name'] as const).map((name) => ({
      name,
      source: name,
      in: ['id_token'],
    })),
  })

/**
 * Makes the clients of the service's own pages as the settings and the issuer say. One that a setting turns off goes
 * with all that it gave. Concurrency: of several processes that start at once each writes the same.
 */
export async function keepBuiltInClients({ store, issuer, settings, now }: Service): Promise<void> {
  for (const { setting, ...client } of builtInClients) {
    const { client_id, ...columns } = columnsOf(client, issuer)
    const row = await rowOf(store.db, 'clients', { client_id })
    const isOn = settings[setting]
    if (isOn ? row !== undefined && !differs(row, columns) : row === undefined) continue
    // A standby has them from its primary.
    if (!(await store.isWritable())) return
    const at = now()
    await store.db.transaction().execute(async (trx) => {
      if (isOn)
        await trx
          .insertInto('clients')
          .values({ client_id, ...columns, created_at: at, updated_at: at })
          .onConflict((conflict) => conflict.column('client_id').doUpdateSet({ ...columns, updated_at: at }))
          .execute()
      else {
        await trx.deleteFrom('clients').where('client_id', '=', client_id).execute()
        await end(trx, { clients: [client_id] }, { now: at, reason: 'client_removed' })
      }
      await moveRevision(trx)
    })
  }
}
