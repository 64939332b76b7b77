import { generationOf } from '../protocol/token-id.ts'
import { type Client, findClient } from '../store/clients.ts'
import { findHolding, type Holding } from '../store/holding.ts'
import { isTokenRevoked } from '../store/revoked-tokens.ts'
import type { Reading } from '../store/in-transaction.ts'
import type { TokenFamily } from '../store/token-families.ts'
import type { Profile, User } from '../store/users.ts'
import { profilesThrough, type ReadingNow } from './access.ts'
import { reachOf } from './reach.ts'
import { type AllowedClient, clientAsAllowed } from './consent.ts'
import { exchangersOf, throughExchangers } from './exchanged.ts'

/** What an access token says of itself, when its signature, type and expiry were checked. */
export interface TokenSubject {
  jti: string
  sub: string
  client_id: string
  /** The session and profile of a person's token; a machine's has neither. */
  sid: string | undefined
  profile_uuid: string | undefined
  /** The client_ids that `act` names, the last one first; undefined: nobody exchanged it. */
  actors: readonly string[] | undefined
}

/** The holder of a token that still counts. */
export type LiveToken = { kind: 'machine'; client: Client } | LivePerson

export interface LivePerson {
  kind: 'person'
  /** The client as this person allowed it; of an exchanged token, as the chain lets it act for them. */
  client: AllowedClient
  user: User
  profile: Profile
  family: TokenFamily
}

/**
 * Whether an access token still counts. Undefined: it was revoked, or its family, session, user, profile or client has
 * ended.
 */
export async function liveToken(service: ReadingNow, token: TokenSubject): Promise<LiveToken | undefined> {
  if (isOfPerson(token)) {
    const holding = await findHolding(service.store, token.jti, service.now())
    return holding && (await livePerson(service, token, holding))
  }
  if (await isTokenRevoked(service.store, token.jti)) return undefined
  const client = await usableClient(service.store, token.client_id)
  // A declared file may have turned the client into one that acts for people.
  if (client?.type !== 'machine' || generationOf(token.jti) !== client.token_generation) return undefined
  return { kind: 'machine', client }
}

/** What says of itself that it is a person's. */
export interface PersonSubject extends TokenSubject {
  sid: string
  profile_uuid: string
}

export const isOfPerson = (token: TokenSubject): token is PersonSubject =>
  token.sid !== undefined && token.profile_uuid !== undefined

/** Whether a person's token still counts, when it is known what it rests on. */
export async function livePerson(
  service: ReadingNow,
  token: PersonSubject,
  { family, person: { user, profiles } }: Holding,
): Promise<LivePerson | undefined> {
  const { store } = service
  const { actors } = token
  if (family.sid !== token.sid || user.uuid !== token.sub) return undefined
  const holder = await usableClient(store, token.client_id)
  const client = holder && actors ? await usableClient(store, family.client_id) : holder
  const allowed = client && (await clientAsAllowed(service, client, token.sub))
  if (allowed === undefined || !user.active) return undefined
  const profile = profilesThrough(allowed, profiles).find((one) => one.held_uuid === token.profile_uuid)
  if (profile === undefined || !(await reachOf(store, family)).opens(profile)) return undefined
  if (actors === undefined) return { kind: 'person', client: allowed, user, profile, family }
  const usable = async (id: string) => await usableClient(store, id)
  const exchangers = await exchangersOf({ jti: token.jti, actors }, usable)
  const through = exchangers && throughExchangers(allowed, exchangers, profile)
  return through && { kind: 'person', client: through, user, profile, family }
}

/** The client, if it counts now. A former one of the same id left no family, and its generation was another. */
async function usableClient(store: Reading, client_id: string): Promise<Client | undefined> {
  const client = await findClient(store, client_id)
  return client?.usable === true ? client : undefined
}
