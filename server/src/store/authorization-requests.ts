import type { AuthorizeParameters } from '../protocol/authorize-parameters.ts'
import { hashSecret } from '../protocol/identifier.ts'
import type { Store } from '../database/store.ts'
import { prepared, preparedRow } from '../database/prepared.ts'
import { revisionThen } from '../database/revision.ts'
import type { AuthorizationRequestRow } from '../database/schema-tokens.ts'
import { lastly, together } from '../database/steps.ts'
import { type LiveSession, sessionOf } from './sessions.ts'
import { rememberProfile } from './users.ts'

/** An authorization request that waits for its person. */
export interface PendingRequest
  extends Omit<AuthorizationRequestRow, 'browser_hash' | 'parameters' | 'created_at' | 'expires_at'> {
  parameters: AuthorizeParameters
}

/** A request as it is now. */
export interface LiveRequest extends PendingRequest {
  /** The revision of what is kept in memory, at the same moment. */
  revision: number
}

/**
 * Keeps a request, bound to the browser that holds the cookie. Whose is lost begins again at the application. Yields the
 * revision of that moment.
 */
export async function keepRequest(
  store: Store,
  request: Pick<PendingRequest, 'id' | 'client_id' | 'redirect_uri' | 'parameters'> & { browser: string },
  times: { now: number; lifetime: number },
): Promise<number | undefined> {
  const row = {
    id: request.id,
    browser_hash: hashSecret(request.browser),
    client_id: request.client_id,
    redirect_uri: request.redirect_uri,
    parameters: JSON.stringify(request.parameters),
    created_at: times.now,
    expires_at: times.now + times.lifetime,
  }
  return (await store.writeOne(() => insertRequest(row), 'losable'))?.revision
}

type NewRow = Omit<AuthorizationRequestRow, 'signed_in_sid' | 'profile_uuid' | 'consented'>

const insertRequest = preparedRow<NewRow, { revision: number }>((db, slot) =>
  db
    .insertInto('authorization_requests')
    .values({
      id: slot('id'),
      browser_hash: slot('browser_hash'),
      client_id: slot('client_id'),
      redirect_uri: slot('redirect_uri'),
      parameters: slot('parameters'),
      signed_in_sid: null,
      profile_uuid: null,
      consented: 0,
      created_at: slot('created_at'),
      expires_at: slot('expires_at'),
    })
    .returning(revisionThen),
)

interface StoredRequest extends AuthorizationRequestRow {
  revision: number
}

const selectRequest = preparedRow<{ id: string; hash: string; now: number }, StoredRequest>((db, slot) =>
  db
    .selectFrom('authorization_requests')
    .selectAll()
    .select(revisionThen)
    .where('id', '=', slot('id'))
    .where('browser_hash', '=', slot('hash'))
    .where('expires_at', '>', slot('now')),
)

/**
 * The live request with this id, for the browser that it belongs to and no other, and the live session of that browser.
 */
export async function findRequest(
  store: Store,
  { id, browser, cookie }: { id: string; browser: string; cookie: string | undefined },
  times: { now: number; idle: number },
): Promise<{ pending: LiveRequest | undefined; session: LiveSession | undefined }> {
  const asked = selectRequest({ id, hash: hashSecret(browser), now: times.now })
  const sessions = cookie === undefined ? [] : [sessionOf(cookie, times)]
  const [row, session] = await store.read(together(asked, ...sessions))
  return { pending: row && withParameters(row), session }
}

/** The client of a request of this browser that may have run out by now, or was answered in this session. */
export async function clientOfRequest(
  { db }: Store,
  { id, browser, sid }: { id: string; browser: string; sid: string | undefined },
): Promise<{ client_id: string; answered: boolean } | undefined> {
  const kept = await db
    .selectFrom('authorization_requests')
    .select('client_id')
    .where('id', '=', id)
    .where('browser_hash', '=', hashSecret(browser))
    .executeTakeFirst()
  if (kept !== undefined) return { client_id: kept.client_id, answered: false }
  if (sid === undefined) return undefined
  // The code has the id of the request that it answers: see `issueCode`.
  const code = await db
    .selectFrom('authorization_codes')
    .select('client_id')
    .where('id', '=', id)
    .where('sid', '=', sid)
    .executeTakeFirst()
  return code && { client_id: code.client_id, answered: true }
}

/** Notes under which profile a person goes on, also for the next time. Lost, they are asked once more. */
export async function noteProfile(
  store: Store,
  { id, user_uuid, profile_uuid }: { id: string; user_uuid: string; profile_uuid: string },
): Promise<void> {
  const noting = () => lastly(rememberProfile({ user_uuid, profile_uuid }), setProfile({ id, profile_uuid }))
  await store.write(noting, 'losable')
}

const setProfile = prepared<{ id: string; profile_uuid: string }, never>((db, slot) =>
  db
    .updateTable('authorization_requests')
    .set({ profile_uuid: slot('profile_uuid') })
    .where('id', '=', slot('id')),
)

/** Notes what a step found out. */
export async function answerStep(
  store: Store,
  id: string,
  {
    parameters,
    ...answer
  }: Partial<Pick<PendingRequest, 'signed_in_sid' | 'profile_uuid' | 'consented' | 'parameters'>>,
): Promise<void> {
  await store.db
    .updateTable('authorization_requests')
    .set({ ...answer, ...(parameters !== undefined && { parameters: JSON.stringify(parameters) }) })
    .where('id', '=', id)
    .execute()
}

/** Notes who signed in; part of the verb that does so. What another person chose here is not this person's choice. */
export const noteSignIn = (id: string, sid: string, samePerson: boolean) =>
  samePerson ? noteSession({ id, sid }) : noteAnotherSession({ id, sid })

const noteSession = prepared<{ id: string; sid: string }, never>((db, slot) =>
  db
    .updateTable('authorization_requests')
    .set({ signed_in_sid: slot('sid') })
    .where('id', '=', slot('id')),
)

const noteAnotherSession = prepared<{ id: string; sid: string }, never>((db, slot) =>
  db
    .updateTable('authorization_requests')
    .set({ signed_in_sid: slot('sid'), profile_uuid: null, consented: 0 })
    .where('id', '=', slot('id')),
)

/** Ends a request, which yields its id to one of any number that try; part of the verb that answers it. */
export const finishRequest = preparedRow<{ id: string }, { id: string }>((db, slot) =>
  db.deleteFrom('authorization_requests').where('id', '=', slot('id')).returning('id'),
)

/** Ends a request that is answered with nothing that it gives. */
export async function endRequest(store: Store, id: string): Promise<void> {
  await store.writeOne(() => finishRequest({ id }), 'losable')
}

function withParameters(row: StoredRequest): LiveRequest {
  const { id, client_id, redirect_uri, signed_in_sid, profile_uuid, consented, revision } = row
  const parameters = JSON.parse(row.parameters) as AuthorizeParameters
  return { id, client_id, redirect_uri, parameters, signed_in_sid, profile_uuid, consented, revision }
}
