import { keyMethod, methodOf, provesNothing } from '../../protocol/client-type.ts'
import { notFound, Problem } from '../../protocol/problem.ts'
import type { Store } from '../../database/store.ts'
import { rowsOf } from '../../database/rows.ts'
import type { Changes } from '../../store/write/rows.ts'
import { write } from '../../store/write/write.ts'
import type { By, Transacting } from '../by.ts'
import { changeOnce, type Created, type Repeatable } from '../change.ts'
import { changeOne, type One, toChange, toldOf } from '../resource.ts'
import { makeRoom } from '../secrets.ts'
import { compared } from '../version.ts'
import type { AdministeredClient } from './fields.ts'
import { clients, secretRow, writtenClient } from './verbs.ts'

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
    if (provesNothing(before.type))
      throw new Problem('conflict', `A ${before.type} client has no secret; nobody asks it for proof.`)
    if (methodOf(before) === keyMethod)
      throw new Problem(
        'conflict',
        'It proves itself by private_key_jwt, and no secret of it would count: set token_endpoint_auth_method to client_secret_basic first.',
      )
    await makeRoom(trx, 'client', before.secrets, by.now)
    const kept = secretRow(by, { clientId, secret, expiresAt })
    const after = await writeSecrets(trx, by, before, { insert: [kept] })
    const told = { ...(await toldOf(trx, clients, by, { before, after })), ...besides }
    const { id, created_at, expires_at } = kept
    return { result: { id, client_id: clientId, created_at, expires_at }, told }
  })
}

/** Takes a secret away at once. */
export async function removeClientSecret(store: Store, by: By, one: One, id: string): Promise<void> {
  const remove = async (trx: Transacting, before: AdministeredClient) => {
    if (!before.secrets.some((secret) => secret.id === id)) throw notFound('secret')
    return await writeSecrets(trx, by, before, {
      remove: await rowsOf(trx, 'client_secrets', { id }).execute(),
    })
  }
  await changeOne(store, by, clients, one, remove, besides)
}

async function writeSecrets(
  trx: Transacting,
  by: By,
  before: AdministeredClient,
  client_secrets: NonNullable<Changes['client_secrets']>,
): Promise<AdministeredClient> {
  const limited_reach = by.authority.limitedReach === 1 ? 1 : before.limited_reach
  const update = [{ before, set: { updated_at: by.now, limited_reach } as const }]
  await write(trx, { clients: { update }, client_secrets }, compared(by))
  return await writtenClient(trx, before.client_id)
}
