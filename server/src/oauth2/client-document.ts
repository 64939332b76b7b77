/**
 * Clients that are documents, where an authorization request is made or pushed: nowhere else is a document fetched because
 * of a request.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { copyEnds, documentCooldown, documentHost, goneServes } from '../protocol/client-document.ts'
import { ProtocolError } from '../protocol/errors.ts'
import { shellWord } from '../protocol/shell-word.ts'
import { clientIdProblem } from '../protocol/values.ts'
import type { Service } from '../service.ts'
import {
  claimDocument,
  type DocumentState,
  documentState,
  endGoneDocuments,
  failDocument,
  keepDocument,
} from '../store/client-documents.ts'
import { type Client, findClientNow } from '../store/clients.ts'
import { fetchDocument } from '../webhooks/client-document.ts'

/**
 * The client by a document that counts: fetched again where the copy is no longer fresh. Where that fails the last good
 * copy serves, up to its end. Throws `invalid_client` where there is none.
 */
export async function withDocument(service: Service, client: Client): Promise<Client> {
  if (client.document === undefined || client.document.isInline) return client
  const { store, now } = service
  const { client_id } = client
  const before = await documentState(store, client_id)
  if (!isDue(before, client, now())) return counting(client, before, now())
  if (await claimDocument(store, client_id, now())) await fetchAgain(service, client)
  else if (!hasCopy(client)) await untilRead(service, client_id)
  const state = await documentState(store, client_id)
  if (state !== undefined && isGone(state, now())) await endGoneDocuments(store, now())
  return counting((await findClientNow(store, client_id)) ?? client, state, now())
}

const isGone = ({ gone_at }: DocumentState, now: number): boolean =>
  gone_at !== null && gone_at + goneServes <= now

const hasCopy = ({ redirect_uris }: Client): boolean => redirect_uris.length > 0

/** Whether it is to be fetched: the copy is not fresh, and the last attempt is long enough ago. */
function isDue(state: DocumentState | undefined, client: Client, now: number): boolean {
  if (state === undefined) return true
  const rests = Math.abs(now - state.tried_at) < documentCooldown
  // A clock that was set back makes nothing fresh.
  const isFresh = (state.fetched_at ?? 0) <= now && now < state.fresh_until
  return state.busy === 1 || (!rests && !(isFresh && hasCopy(client)))
}

function counting(client: Client, state: DocumentState | undefined, now: number): Client {
  const ends = state === undefined ? null : copyEnds(state)
  if (hasCopy(client) && ends !== null && now < ends && client.usable) return client
  const reason = state?.failure ?? 'was not read yet'
  throw new ProtocolError(
    'invalid_client',
    `The document of the client at ${documentHost(client.client_id) ?? ''} can not be used: it ${reason}.`,
    { status: 400 },
  )
}

async function fetchAgain({ store, settings, now }: Service, { client_id, document }: Client): Promise<void> {
  const answer = await fetchDocument({ settings }, { client_id, redirect_hosts: document?.redirectHosts })
  if (answer.kind === 'read') await keepDocument(store, { client_id, now: now() }, answer)
  else await failDocument(store, { client_id, now: now() }, answer)
}

/** Waits for whoever fetches the first copy, for as long as that may take. */
async function untilRead({ store }: Service, client_id: string): Promise<void> {
  for (let tries = 0; tries < 40; tries += 1) {
    const state = await documentState(store, client_id)
    if (state?.busy !== 1) return
    await pause(100)
  }
}

/** The refusal for an address that nobody registered, and that is not fetched. Undefined: it can be no document. */
export function unknownDocument(client_id: string | undefined): ProtocolError | undefined {
  const host = client_id === undefined ? undefined : documentHost(client_id)
  if (client_id === undefined || host === undefined || clientIdProblem(client_id) !== undefined)
    return undefined
  const command = `tessera client create ${shellWord(client_id)} --type public --metadata document --scope 'openid service.api' --service SERVICE --permission PERMISSION`
  return new ProtocolError(
    'invalid_client',
    `No client is registered for the document at ${host}. An administrator registers it: ${command}`,
    { status: 400 },
  )
}
