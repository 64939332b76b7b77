/** Clients that can't prove who they are, or could by more than they use. */
import type { Kysely } from 'kysely'
import type { Schema } from '../../database/schema.ts'
import { keyFields, keyMethod } from '../../protocol/client-type.ts'
import { type Federated, issuerProblem } from '../../protocol/federated.ts'
import { assertionIssuers } from '../../store/federated-subjects.ts'
import type { Authority } from '../authority.ts'
import { type Finder, mostFound } from './finder.ts'
import { ownedWithin } from './things.ts'

const activeClients = (db: Kysely<Schema>, authority: Authority) =>
  db
    .selectFrom('clients as owned')
    .select(['owned.client_id', 'owned.client_name'])
    .where('owned.active', '=', 1)
    .where(ownedWithin(authority))
    .orderBy('owned.client_id')

const targetOf = (row: { client_id: string; client_name: string }, why?: string) => ({
  kind: 'client' as const,
  id: row.client_id,
  name: why === undefined ? row.client_name : `${row.client_name}: ${why}`,
})

/** Clients whose issuer is not declared any more, or not for their organisation. */
export const missingIssuers: Finder = async ({ store }, { authority }) => {
  const declared = [...(await assertionIssuers(store)).values()]
  const rows = await activeClients(store.db, authority)
    .select(['federated', 'organisation_uuid'])
    .where('federated', 'is not', null)
    .execute()
  return rows
    .flatMap((row) => {
      const match = JSON.parse(row.federated ?? '{}') as Federated
      const problem = issuerProblem(declared, match, row.organisation_uuid)
      return problem === undefined
        ? []
        : [{ target: targetOf(row, `${match.issuer} ${problem}`), since: null }]
    })
    .slice(0, mostFound + 1)
}

/** Clients that prove themselves by keys, and have a secret from before that would count again by another method. */
export const dormantSecrets: Finder = async ({ store: { db } }, { authority, now }) => {
  const rows = await activeClients(db, authority)
    .where((of) =>
      of.or([
        of('owned.token_endpoint_auth_method', '=', keyMethod),
        of.and([
          of('owned.token_endpoint_auth_method', 'is', null),
          of.or(keyFields.map((field) => of(`owned.${field}`, 'is not', null))),
        ]),
      ]),
    )
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('client_secrets as s')
          .select('s.id')
          .whereRef('s.client_id', '=', 'owned.client_id')
          .where((of) => of.or([of('s.expires_at', 'is', null), of('s.expires_at', '>', now)])),
      ),
    )
    .limit(mostFound + 1)
    .execute()
  return rows.map((row) => ({ target: targetOf(row), since: null }))
}

/** Clients whose document is gone, or could not be read when it was last asked for. */
export const failingDocuments: Finder = async ({ store: { db } }, { authority }) => {
  const rows = await activeClients(db, authority)
    .innerJoin('client_documents as read', 'read.client_id', 'owned.client_id')
    .select(['read.failure', 'read.gone_at'])
    .where('owned.metadata', '=', 'document')
    .where('owned.document', 'is', null)
    .where('read.failure', 'is not', null)
    .limit(mostFound + 1)
    .execute()
  return rows.map((row) => ({ target: targetOf(row, `it ${row.failure}`), since: row.gone_at }))
}
