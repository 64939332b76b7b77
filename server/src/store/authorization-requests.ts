import type { AuthorizeParameters } from '../protocol/authorize-parameters.ts'
import { hashSecret } from './identifier.ts'
import type { Store } from './open.ts'
import type { AuthorizationRequestRow } from './schema-tokens.ts'

/** An authorization request that waits for its person. */
export interface PendingRequest {
  id: string
  clientId: string
  redirectUri: string
  parameters: AuthorizeParameters
  /** The session that the sign-in of this very request made, if one did. */
  signedInSid: string | undefined
  profileUuid: string | undefined
  consented: boolean
  createdAt: number
}

/** Keeps a request, bound to the browser that holds the cookie. */
export async function keepRequest(
  store: Store,
  request: Pick<PendingRequest, 'id' | 'clientId' | 'redirectUri' | 'parameters'> & { browser: string },
  times: { now: number; lifetime: number },
): Promise<void> {
  await store.db
    .insertInto('authorization_requests')
    .values({
      id: request.id,
      browser_hash: hashSecret(request.browser),
      client_id: request.clientId,
      redirect_uri: request.redirectUri,
      parameters: JSON.stringify(request.parameters),
      signed_in_sid: null,
      profile_uuid: null,
      consented: 0,
      created_at: times.now,
      expires_at: times.now + times.lifetime,
    })
    .execute()
}

/** The live request with this id, for the browser that it belongs to and no other. */
export async function findRequest(
  store: Store,
  id: string,
  browser: string,
  now: number,
): Promise<PendingRequest | undefined> {
  const row = await store.db
    .selectFrom('authorization_requests')
    .selectAll()
    .where('id', '=', id)
    .where('browser_hash', '=', hashSecret(browser))
    .where('expires_at', '>', now)
    .executeTakeFirst()
  return row === undefined ? undefined : asRequest(row)
}

/** Notes what a step found out. */
export async function answerStep(
  store: Store,
  id: string,
  answer: {
    signedInSid?: string | null
    profileUuid?: string | null
    consented?: boolean
    parameters?: AuthorizeParameters
  },
): Promise<void> {
  await store.db
    .updateTable('authorization_requests')
    .set({
      ...(answer.signedInSid !== undefined && { signed_in_sid: answer.signedInSid }),
      ...(answer.profileUuid !== undefined && { profile_uuid: answer.profileUuid }),
      ...(answer.consented !== undefined && { consented: answer.consented ? 1 : 0 }),
      ...(answer.parameters !== undefined && { parameters: JSON.stringify(answer.parameters) }),
    })
    .where('id', '=', id)
    .execute()
}

/** Ends a request. Concurrency: of parallel calls one yields true, so a request gives one answer. */
export async function finishRequest(store: Store, id: string): Promise<boolean> {
  const row = await store.db
    .deleteFrom('authorization_requests')
    .where('id', '=', id)
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

function asRequest(row: AuthorizationRequestRow): PendingRequest {
  return {
    id: row.id,
    clientId: row.client_id,
    redirectUri: row.redirect_uri,
    parameters: JSON.parse(row.parameters) as AuthorizeParameters,
    signedInSid: row.signed_in_sid ?? undefined,
    profileUuid: row.profile_uuid ?? undefined,
    consented: row.consented === 1,
    createdAt: row.created_at,
  }
}
