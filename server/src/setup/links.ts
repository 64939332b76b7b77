import { ProtocolError } from '../protocol/errors.ts'
import { hashSecret, newId, newSecret } from '../protocol/identifier.ts'
import type { Store } from '../database/store.ts'
import { administrators, refuseWhereAdministered } from '../store/administrators.ts'
import type { By, Transacting } from '../administration/by.ts'
import { change } from '../administration/change.ts'

/** Long enough to be passed on and opened. */
const lifetime = 3_600_000

/** A link that was made. Its text is `id.secret`, of which the hash of the secret alone is kept. */
export interface MadeSetupLink {
  text: string
  expiresAt: number
}

/**
 * Makes a link by which the first administrator names themself, once. Throws `conflict` when somebody administers the
 * whole installation. Concurrency: see `change`.
 */
export async function createSetupLink(store: Store, by: By): Promise<MadeSetupLink> {
  return await change(store, by, async (trx) => {
    await refuseWhereAdministered(trx, by.now)
    const [id, secret, expiresAt] = [newId(by.now), newSecret(), by.now + lifetime]
    await trx
      .insertInto('setup_links')
      .values({
        id,
        secret_hash: hashSecret(secret),
        created_at: by.now,
        expires_at: expiresAt,
        used_at: null,
      })
      .execute()
    const detail = { expires_at: new Date(expiresAt).toISOString() }
    return {
      result: { text: `${id}.${secret}`, expiresAt },
      told: undefined,
      events: [{ kind: 'setup_link.created', target: { kind: 'setup_link', id }, detail }],
    }
  })
}

/** Whether a link would be taken now: it never is where somebody administers, whichever way they were made. */
export async function isOpenSetupLink({ db }: Store, text: string, now: number): Promise<boolean> {
  const { id, hash } = partsOf(text)
  const row = await db
    .selectFrom('setup_links')
    .select('id')
    .where('id', '=', id)
    .where('secret_hash', '=', hash)
    .where('used_at', 'is', null)
    .where('expires_at', '>', now)
    .executeTakeFirst()
  return row !== undefined && !(await administrators(db, now)).any
}

/**
 * Uses a link, and yields its id. Throws `setup_link_ended` when it is none, was used or has expired.
 * Concurrency: one statement looks and takes, so of any number that come with one link one goes on.
 */
export async function takeSetupLink(trx: Transacting, text: string, now: number): Promise<string> {
  const { id, hash } = partsOf(text)
  const row = await trx
    .updateTable('setup_links')
    .set({ used_at: now })
    .where('id', '=', id)
    .where('secret_hash', '=', hash)
    .where('used_at', 'is', null)
    .where('expires_at', '>', now)
    .returning('id')
    .executeTakeFirst()
  if (row === undefined) throw setupLinkEnded()
  return row.id
}

/** One answer to all: without a good link nobody learns anything of the installation. */
export const setupLinkEnded = (): ProtocolError =>
  new ProtocolError(
    'setup_link_ended',
    'This link can not be used, or not any more. As long as nobody administers the service, its operator makes another with tessera setup --link.',
  )

function partsOf(text: string): { id: string; hash: string } {
  const [, id = '', secret = ''] = /^([0-9a-f]{32})\.([\w-]{43})$/.exec(text) ?? []
  return { id, hash: hashSecret(secret) }
}
