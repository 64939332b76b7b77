import { sql } from 'kysely'
import { notFound, Problem } from '../../protocol/problem.ts'
import type { Store } from '../../database/store.ts'
import { moveRevision } from '../../database/revision.ts'
import type { By, Transacting } from '../by.ts'
import { change, changeOnce, type Created, type Repeatable } from '../change.ts'
import { type AdministeredClient, shownClient } from './fields.ts'
import { about, clientToChange, insertSecret, selectClient } from './verbs.ts'
import type { Versions } from '../version.ts'

export interface NewSecret {
  clientId: string
  secret: string
  expiresAt: number | null
}

export type MadeSecret = AdministeredClient['secrets'][number]

const most = 2

/**
 * Gives a machine another secret. Throws when it has two that count: the old and the new of a rotation. Those that
 * have run out make room. Concurrency: see `change`; of parallel calls none adds a third.
 */
export async function addClientSecret(
  store: Store,
  by: By,
  { clientId, secret, expiresAt }: NewSecret,
  repeatable: Repeatable<MadeSecret> | undefined,
): Promise<Created<MadeSecret>> {
  return await changeOnce(store, by, repeatable, async (trx) => {
    const before = await clientToChange(trx, clientId, by.authority, undefined)
    if (before.type === 'public') {
      throw new Problem('conflict', 'A public client has no secret; it proves itself by PKCE.')
    }
    const over = before.secrets.filter((one) => one.expires_at !== null && one.expires_at <= by.now)
    for (const { id } of over) await trx.deleteFrom('client_secrets').where('id', '=', id).execute()
    if (before.secrets.length - over.length >= most) {
      throw new Problem(
        'conflict',
        'The client has two secrets. Remove the one that is not used any more first.',
      )
    }
    const id = await insertSecret(trx, by, { clientId, secret, expiresAt })
    const after = await changed(trx, before, by)
    const told = toldOf(before, after)
    return { result: { id, client_id: clientId, created_at: by.now, expires_at: expiresAt }, told }
  })
}

/** Takes a secret away at once. */
export async function removeClientSecret(
  store: Store,
  by: By,
  { clientId, id, versions }: { clientId: string; id: string; versions: Versions },
): Promise<void> {
  await change(store, by, async (trx) => {
    const before = await clientToChange(trx, clientId, by.authority, versions)
    if (!before.secrets.some((one) => one.id === id)) throw notFound('secret')
    await trx.deleteFrom('client_secrets').where('id', '=', id).execute()
    const after = await changed(trx, before, by)
    const told = toldOf(before, after)
    return { result: undefined, told }
  })
}

/** No file manages the secrets: they are rotated at once, everywhere. */
const toldOf = (before: AdministeredClient, after: AdministeredClient) => ({
  ...about(after),
  before: shownClient(before),
  after: shownClient(after),
  secrets: ['client_secret'],
  managedBy: null,
})

async function changed(
  trx: Transacting,
  { client_id: clientId, organisation_uuid }: AdministeredClient,
  by: By,
): Promise<AdministeredClient> {
  await trx
    .updateTable('clients')
    .set({
      updated_at: by.now,
      version: sql<number>`version + 1`,
      ...(by.authority.limitedReach === 1 && { limited_reach: 1 as const }),
    })
    .where('client_id', '=', clientId)
    .execute()
  await moveRevision(trx)
  const reach = { organisationUuid: organisation_uuid ?? undefined, unitUuid: undefined }
  const after = await selectClient(trx, clientId, reach)
  if (after === undefined) throw notFound('client')
  return after
}
