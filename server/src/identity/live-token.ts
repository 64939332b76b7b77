import { familyOf, generationOf } from '../protocol/token-id.ts'
import { type Client, findClient } from '../store/clients.ts'
import { isTokenRevoked } from '../store/revoked-tokens.ts'
import { isSessionActive } from '../store/sessions.ts'
import { findFamily } from '../store/token-families.ts'
import type { Profile, User } from '../store/users.ts'
import { personAs, type ReadingNow } from './access.ts'
import { reachOf } from './reach.ts'
import { clientAsAllowed } from './consent.ts'

/** What an access token says of itself, when its signature, type and expiry were checked. */
export interface TokenSubject {
  jti: string
  /** Seconds. */
  iat: number
  sub: string
  client_id: string
  /** The session and profile of a person's token; a machine's has neither. */
  sid: string | undefined
  profile_uuid: string | undefined
}

/** The holder of a token that still counts. */
export type LiveToken =
  | { kind: 'machine'; client: Client }
  /** The client as this person allowed it. */
  | { kind: 'person'; client: Client; user: User; profile: Profile }

/** Seconds that the clocks of several processes may differ, as in the guard. */
const clockSkew = 5

/**
 * Whether the token is of an earlier client with the same client_id. A token from the future tells nothing: the clock
 * was set back since.
 */
function isOfFormerClient({ iat }: TokenSubject, { created_at }: Client, now: number): boolean {
  return created_at <= now && iat + clockSkew < Math.floor(created_at / 1000)
}

/**
 * Whether an access token still counts. Undefined: it was revoked, or its family, session, user, profile or client has
 * ended.
 */
export async function liveToken(service: ReadingNow, token: TokenSubject): Promise<LiveToken | undefined> {
  const { store } = service
  if (await isTokenRevoked(store, token.jti)) return undefined
  const client = await findClient(store, token.client_id)
  if (client === undefined || !client.usable) return undefined
  if (isOfFormerClient(token, client, service.now())) return undefined
  if (token.sid === undefined || token.profile_uuid === undefined) {
    // A declared file may have turned the client into one that acts for people.
    const counts = client.type === 'machine' && generationOf(token.jti) === client.token_generation
    return counts ? { kind: 'machine', client } : undefined
  }

  const family = await findFamily(store, familyOf(token.jti))
  if (family === undefined || family.revoked_at !== null || !(await isSessionActive(store, token.sid)))
    return undefined
  const allowed = await clientAsAllowed(service, client, token.sub)
  if (allowed === undefined) return undefined
  const acting = { user_uuid: token.sub, profile_uuid: token.profile_uuid }
  const { user, profile } = await personAs(service, client, acting)
  if (user === undefined || !user.active || profile === undefined) return undefined
  if (!(await reachOf(store, family)).opens(profile)) return undefined
  return { kind: 'person', client: allowed, user, profile }
}
