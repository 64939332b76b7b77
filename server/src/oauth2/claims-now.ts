import {
  type Audience,
  audienceOf,
  permissionsOfMachine,
  permissionsOfPerson,
  scopesNow,
} from '../identity/access.ts'
import type { LiveToken } from '../identity/live-token.ts'
import { audienceClaim } from '../identity/token-claims.ts'
import { type Claims, contextClaims } from '../protocol/claims.ts'
import type { Scope } from '../protocol/scope.ts'
import type { Service } from '../service.ts'
import type { Client } from '../store/clients.ts'
import type { AccessToken } from './access-token.ts'

/** What an access token would say if it were issued now. */
export interface ClaimsNow {
  claims: Record<string, unknown>
  /** The token's audiences that are left. */
  audiences: readonly string[]
}

/**
 * The claims of an access token, cut to what would be issued now: services, scopes and permissions that it has and
 * would get again; role, organisation and unit of today. Undefined: nothing is left.
 */
export async function claimsNow(
  service: Service,
  token: AccessToken,
  live: LiveToken,
): Promise<ClaimsNow | undefined> {
  const { client } = live
  const scopes = scopesNow(client, token.scopes)
  const left = textsOf(token.claims.aud).flatMap((one) => stillFor(service, client, scopes, one) ?? [])
  if (left.length === 0 || (scopes.length === 0 && token.scopes.length > 0)) return undefined
  const services = left.flatMap((one) => one.services)
  const audiences = left.flatMap((one) => one.audiences)
  const claims = {
    ...token.claims,
    ...subjectClaims(live, scopes),
    aud: audienceClaim(service.issuer, audiences),
    scope: scopes.join(' '),
    permissions: scopes.includes('service.api')
      ? await permissionsNow(service, token, live, services)
      : undefined,
  }
  return { claims, audiences }
}

function stillFor(
  { issuer }: Service,
  client: Client,
  scopes: readonly Scope[],
  audience: string,
): Pick<Audience, 'services' | 'audiences'> | undefined {
  if (audience === issuer) return { services: [], audiences: [issuer] }
  return scopes.includes('service.api') ? audienceOf(issuer, client, audience) : undefined
}

function subjectClaims(live: LiveToken, scopes: readonly Scope[]): Claims {
  if (live.kind === 'machine') return { organisation_uuid: live.client.organisation_uuid ?? undefined }
  const email = scopes.includes('email') ? live.user.email : undefined
  return { ...contextClaims(live.profile), email }
}

async function permissionsNow(
  service: Service,
  token: AccessToken,
  live: LiveToken,
  services: readonly string[],
): Promise<readonly string[]> {
  const { client } = live
  const today =
    live.kind === 'machine'
      ? permissionsOfMachine(client, services)
      : await permissionsOfPerson(service, live.profile.role_code, client, services)
  const held = new Set(permissionsIn(token.claims))
  return today.filter((one) => held.has(one))
}

export const audiencesIn = ({ aud }: ClaimsNow['claims']): string[] => textsOf(aud)
export const permissionsIn = ({ permissions }: ClaimsNow['claims']): string[] => textsOf(permissions)

/** A claim that is a string, a list of strings, or missing, as a list. */
function textsOf(claim: unknown): string[] {
  return [claim].flat().filter((one) => typeof one === 'string')
}
