import type { Kysely } from 'kysely'
import { client as catalogued } from '../../catalogue/client.ts'
import { newColumns } from '../../catalogue/columns.ts'
import { moveRevision } from '../../database/revision.ts'
import { rowOf } from '../../database/rows.ts'
import type { Schema } from '../../database/schema.ts'
import {
  apiDocClient,
  commandClient,
  consoleClient,
  type PageClient,
} from '../../protocol/built-in-clients.ts'
import { deviceCodeGrant } from '../../protocol/grant-types.ts'
import type { Service } from '../../service.ts'
import { textList } from '../../store/clients.ts'
import { end } from '../../store/ending.ts'
import { differs } from '../version.ts'

/** Each is public, with the setting that says whether it is there. */
const clientsOf = ({ issuer, settings }: Service) => [
  { isOn: settings.apiDocSignIn, columns: ofPage(apiDocClient, issuer) },
  { isOn: settings.console, columns: ofPage(consoleClient, issuer) },
  { isOn: settings.commandSignIn, columns: ofCommand(settings.mode) },
]

/**
 * The client of a page, for code and PKCE alone: no refresh token outlives the page. Nobody is asked for consent,
 * because the code goes back to the service itself.
 */
const ofPage = ({ clientId, name, redirectPath, path }: PageClient, issuer: string) =>
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
 * People are asked for consent, because another program of their machine could pose as the command (RFC 8252 §8.6).
 * Codes of devices are for development: who is sent one could let a stranger administer (RFC 8628 §5.4).
 */
const ofCommand = (mode: Service['settings']['mode']) =>
  newColumns(catalogued, {
    client_id: commandClient.clientId,
    type: 'public',
    application_type: 'native',
    client_name: commandClient.name,
    redirect_uris: [commandClient.redirectUri],
    scope: 'openid email profile service.api',
    grant_types: [
      'authorization_code',
      'refresh_token',
      ...(mode === 'development' ? ([deviceCodeGrant] as const) : []),
    ],
    services: ['iam'],
  })

/**
 * Makes the clients that come along as the settings and the issuer say. One that a setting turns off goes with all that
 * it gave. Concurrency: of several processes that start at once each writes the same.
 */
export async function keepBuiltInClients(service: Service): Promise<void> {
  const { store, now } = service
  for (const { isOn, columns: all } of clientsOf(service)) {
    const { client_id, ...columns } = all
    const row = await rowOf(store.db, 'clients', { client_id })
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

/** The address of the console, as last told by the service on this database; undefined: it has none, or never ran. */
export async function consoleAddress(db: Kysely<Schema>): Promise<string | undefined> {
  const row = await rowOf(db, 'clients', { client_id: consoleClient.clientId })
  return row === undefined ? undefined : textList(row.post_logout_redirect_uris)[0]
}
