import { notFound, Problem } from '../../protocol/problem.ts'
import type { Store } from '../../database/store.ts'
import { moveRevision } from '../../database/revision.ts'
import type { By, Transacting } from '../by.ts'
import { changeOnce, type Created, type Repeatable } from '../change.ts'
import { changeOne, type One, toChange, toldOf } from '../resource.ts'
import { makeRoom } from '../secrets.ts'
import { writeVersion } from '../version.ts'
import type { AdministeredClient } from './fields.ts'
import { clients, insertSecret, withOwnSecrets } from './verbs.ts'

export interface NewSecret {
  clientId: string
  secret: string
  expiresAt: number | null
}

export type MadeSecret = AdministeredClient['secrets'][number]

/** No file manages the secrets: they are rotated at once, everywhere. */
const besides = { secrets: ['client_secret'], managedBy: null }

/**
 * Gives a client that proves who it is another secret. Throws when it has two that count. Concurrency: see `change`; of parallel calls none
 * adds a third.
 */
export async function addClientSecret(
  store: Store,
  by: By,
  { clientId, secret, expiresAt }: NewSecret,
  repeatable: Repeatable<MadeSecret> | undefined,
): Promise<Created<MadeSecret>> {
  return await changeOnce(store, by, repeatable, async (trx) => {
    const before = await toChange(trx, clients, { id: clientId, versions: undefined }, by)
    if (before.type === 'public')
      throw new Problem('conflict', 'A public client has no secret; it proves itself by PKCE.')
    await makeRoom(trx, 'client', before.secrets, by.now)
    const id = await insertSecret(trx, by, { clientId, secret, expiresAt })
    const after = await changed(trx, before, by)
    const told = { ...(await toldOf(trx, clients, by, { before, after })), ...besides }
    return { result: { id, client_id: clientId, created_at: by.now, expires_at: expiresAt }, told }
  })
}

/** Takes a secret away at once. */
export async function removeClientSecret(store: Store, by: By, one: One, id: string): Promise<void> {
  const remove = async (trx: Transacting, before: AdministeredClient) => {
    if (!before.secrets.some((secret) => secret.id === id)) throw notFound('secret')
    await trx.deleteFrom('client_secrets').where('id', '=', id).execute()
    return await changed(trx, before, by)
  }
  await changeOne(store, by, clients, one, remove, besides)
}

async function changed(trx: Transacting, before: AdministeredClient, by: By): Promise<AdministeredClient> {
  const { secrets: _, ...row } = before
  const limited_reach = by.authority.limitedReach === 1 ? 1 : row.limited_reach
  const after = await writeVersion(trx, 'clients', row, { updated_at: by.now, limited_reach })
  await moveRevision(trx)
  return await withOwnSecrets(trx, after)
}
