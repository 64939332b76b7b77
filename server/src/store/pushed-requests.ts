import { preparedRow, prepared } from '../database/prepared.ts'
import type { PushedRequestRow } from '../database/schema-tokens.ts'
import type { Store } from '../database/store.ts'
import type { AuthorizeParameters } from '../protocol/authorize-parameters.ts'
import { hashSecret, newSecret } from '../protocol/identifier.ts'

/** How long a pushed request waits until a browser opens it, ms (RFC 9126 §2.2). */
export const pushedLifetime = 60_000

/** RFC 9126 §2.2 */
const prefix = 'urn:ietf:params:oauth:request_uri:'

/** Whether it names a pushed request, and no request object that would have to be fetched. */
export const isPushed = (requestUri: string | undefined): requestUri is string =>
  requestUri?.startsWith(prefix) === true

/** What a client pushed, by the hash of its name. */
export interface PushedRequest {
  hash: string
  redirect_uri: string
  parameters: AuthorizeParameters
}

/** Keeps a request, and yields its request_uri: 256 random bits, of which the table holds the hash. */
export async function keepPushed(
  store: Store,
  request: Omit<PushedRequest, 'hash'> & { client_id: string },
  now: number,
): Promise<string> {
  const secret = newSecret()
  const row = {
    hash: hashSecret(secret),
    client_id: request.client_id,
    redirect_uri: request.redirect_uri,
    parameters: JSON.stringify(request.parameters),
    created_at: now,
    expires_at: now + pushedLifetime,
  }
  await store.writeOne(() => insertPushed(row), 'losable')
  return prefix + secret
}

const insertPushed = prepared<PushedRequestRow, never>((db, slot) =>
  db.insertInto('pushed_requests').values({
    hash: slot('hash'),
    client_id: slot('client_id'),
    redirect_uri: slot('redirect_uri'),
    parameters: slot('parameters'),
    created_at: slot('created_at'),
    expires_at: slot('expires_at'),
  }),
)

/**
 * Opens a request of this client that has not run out. Who opens it in time has as long as any sign-in lasts, and may
 * load it again, in any browser: the first code uses it up, see `issueCode`. Its end is the same at each opening.
 */
export async function openPushed(
  store: Store,
  { requestUri, client_id }: { requestUri: string; client_id: string },
  { now, lifetime }: { now: number; lifetime: number },
): Promise<PushedRequest | undefined> {
  const hash = hashSecret(requestUri.slice(prefix.length))
  const opening = { hash, client_id, now, longer: pushedLifetime + lifetime }
  const row = await store.writeOne(() => openRow(opening), 'losable')
  if (row === undefined) return undefined
  const parameters = JSON.parse(row.parameters) as AuthorizeParameters
  return { hash, redirect_uri: row.redirect_uri, parameters }
}

interface Opening {
  hash: string
  client_id: string
  now: number
  longer: number
}

const openRow = preparedRow<Opening, Pick<PushedRequestRow, 'redirect_uri' | 'parameters'>>((db, slot) =>
  db
    .updateTable('pushed_requests')
    .set((at) => ({ expires_at: at('created_at', '+', slot('longer')) }))
    .where('hash', '=', slot('hash'))
    .where('client_id', '=', slot('client_id'))
    .where('expires_at', '>', slot('now'))
    .returning(['redirect_uri', 'parameters']),
)

/** Uses a request up; part of the verb that answers it. */
export const finishPushed = prepared<{ pushed: string }, never>((db, slot) =>
  db.deleteFrom('pushed_requests').where('hash', '=', slot('pushed')),
)
