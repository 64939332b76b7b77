import type { Store } from '../database/store.ts'
import { decrypt, encrypt } from '../keys/encryption.ts'

const purpose = 'tessera mails'

/** What a mail says, as it waits: bound to its id. */
export const encryptedBody = (text: string, id: string, secret: string): string =>
  encrypt(text, id, { purpose, secret })

/** The reverse; undefined when it was erased, or none of the secrets opens it. */
export const openedBody = (
  { id, body }: { id: string; body: string | null },
  secrets: readonly (string | undefined)[],
): string | undefined => (body === null ? undefined : decrypt(body, id, { purpose, secrets }))

/** None of the secrets opens a mail. */
export const lockedMail = (id: string): Error =>
  new Error(
    `The mail ${id} was encrypted with another secret than TESSERA_SECRET. Set TESSERA_SECRET_PREVIOUS to the one that was before, and run tessera keys reencrypt. When that one is lost, the mail is erased when it expires, within seven days.`,
  )

interface KeptBody {
  id: string
  body: string
}

/** The bodies of mails that wait, and of dead ones that may still be sent again. */
export async function allBodies(store: Store): Promise<KeptBody[]> {
  const rows = await store.db
    .selectFrom('mails')
    .select(['id', 'body'])
    .where('body', 'is not', null)
    .orderBy('id')
    .execute()
  return rows.map(({ id, body }) => ({ id, body: body ?? '' }))
}

/** Replaces how a mail is encrypted. Concurrency: nothing happens when it was sent or written anew meanwhile. */
export async function reencryptBody(
  store: Store,
  id: string,
  { from, to }: { from: string; to: string },
): Promise<void> {
  await store.db
    .updateTable('mails')
    .set({ body: to })
    .where('id', '=', id)
    .where('body', '=', from)
    .execute()
}
