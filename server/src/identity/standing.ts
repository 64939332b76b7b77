import type { Service } from '../service.ts'
import { type Client, findClient } from '../store/clients.ts'
import { isTokenRevoked } from '../store/revoked-tokens.ts'
import { isSessionActive } from '../store/sessions.ts'
import { findFamily } from '../store/token-families.ts'
import type { Profile, User } from '../store/users.ts'
import { personAs } from './access.ts'

/** What an access token says of itself, when its signature, type and expiry were checked. */
export interface TokenSubject {
  jti: string
  /** Seconds. */
  iat: number
  sub: string
  clientId: string
  /** Of a person's token; a machine's has neither. */
  sid: string | undefined
  profileUuid: string | undefined
}

export type Standing =
  | { kind: 'machine'; client: Client }
  | { kind: 'person'; client: Client; user: User; profile: Profile }
  /** Revoked, or somebody or something that it speaks of was disabled. */
  | { kind: 'ended' }

/** Seconds that the clocks of several processes may differ, as the guard has it. */
const clockSkew = 5

/**
 * Whether the client took its client_id from one that is gone, whose token this was. One that was made in the future,
 * by a clock that was set back since, can't tell.
 */
function isOfFormerClient({ iat }: TokenSubject, { createdAt }: Client, now: number): boolean {
  return createdAt <= now && iat + clockSkew < Math.floor(createdAt / 1000)
}

/** Whether an access token still counts: neither it, its family, session, user, profile nor client has ended. */
export async function standingOf(service: Service, token: TokenSubject): Promise<Standing> {
  const { store } = service
  if (await isTokenRevoked(store, token.jti)) return { kind: 'ended' }
  const client = await findClient(store, token.clientId)
  if (client === undefined || !client.active) return { kind: 'ended' }
  if (isOfFormerClient(token, client, service.now())) return { kind: 'ended' }
  if (token.sid === undefined || token.profileUuid === undefined) {
    // A declared file may have made it one that acts for people, which may do nothing by itself.
    const counts = client.type === 'machine' && generationOf(token.jti) === client.tokenGeneration
    return counts ? { kind: 'machine', client } : { kind: 'ended' }
  }

  const family = await findFamily(store, familyOf(token.jti))
  if (family === undefined || family.revoked || !(await isSessionActive(store, token.sid)))
    return { kind: 'ended' }
  const { user, profile } = await personAs(service, token.sub, token.profileUuid)
  if (user === undefined || !user.active || profile === undefined) return { kind: 'ended' }
  return { kind: 'person', client, user, profile }
}

/** A machine's `jti` is `<generation>.<random>`, without the first generation, which is 0. */
export const machineTokenId = (generation: number, random: string): string =>
  generation === 0 ? random : `${generation}.${random}`

function generationOf(jti: string): number {
  const [generation = '', random] = jti.split('.')
  return random === undefined ? 0 : Number(generation)
}

/** A person's `jti` is `<family id>.<random>`, so that a token can be traced to its family. */
function familyOf(jti: string): string {
  return jti.split('.')[0] ?? ''
}
