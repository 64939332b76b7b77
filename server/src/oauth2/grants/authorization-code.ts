import { grantedPermissions, profilesThrough, scopesNow } from '../../identity/access.ts'
import { ProtocolError } from '../../protocol/errors.ts'
import { invalidGrant } from '../../protocol/refusals.ts'
import type { Parameters } from '../../protocol/parameters.ts'
import { verifierMatches } from '../../protocol/pkce.ts'
import { isRegisteredRedirectUri } from '../../protocol/redirect-uri.ts'
import type { Service } from '../../service.ts'
import { type AuthorizationCode, findCode, redeem } from '../../store/authorization-codes.ts'
import type { Source } from '../../audit/record.ts'
import type { Client } from '../../store/clients.ts'
import type { PersonNow } from '../../store/person.ts'
import { newFamily } from '../../store/token-families.ts'
import { allowedClient, tokenAudience } from '../audience.ts'
import type { Asking, PersonGrant, Presented } from '../issue.ts'
import { mayRefresh, refreshLifetimes } from './refresh-lifetimes.ts'

/**
 * The authorization_code grant (RFC 6749 §4.1.3, RFC 7636 §4.6, interface §4.3). A wrong client, redirect_uri or
 * verifier does not use up the code; a second, otherwise valid exchange revokes what the first gave.
 */
export async function authorizationCode(service: Service, parameters: Parameters): Promise<Presented> {
  const found = await findCode(service.store, parameters.optional('code') ?? '', service.now())
  return { revision: found?.person.revision, grant: (asking) => personGrant(asking, parameters, found) }
}

async function personGrant(
  { service, client, from }: Asking,
  parameters: Parameters,
  found: Awaited<ReturnType<typeof findCode>>,
): Promise<PersonGrant> {
  parameters.required('code')
  const redirectUri = parameters.required('redirect_uri')
  const verifier = parameters.required('code_verifier')
  const resource = parameters.optional('resource')
  if (found === undefined || found.code.clientId !== client.clientId) {
    throw invalidGrant('The code is not one that was issued to this client.')
  }
  const { code, person } = found
  if (code.redirectUri !== redirectUri) {
    throw invalidGrant('The redirect_uri differs from that of the authorization request.')
  }
  if (!verifierMatches(verifier, code.codeChallenge)) {
    throw invalidGrant('The code_verifier does not match the code_challenge.')
  }
  const narrowed = narrowedResource(code, resource)
  const allowed = await allowedClient(service, client, code.userUuid)
  return await exchange(service, allowed, code, { person, resource: narrowed, from })
}

/** The exchange may narrow the resource of the authorization request, never change it (RFC 8707 §2.2). */
function narrowedResource(code: AuthorizationCode, resource: string | undefined): string | undefined {
  if (code.resource !== undefined && resource !== undefined && resource !== code.resource) {
    throw new ProtocolError('invalid_target', 'The resource differs from that of the authorization request.')
  }
  return resource ?? code.resource
}

async function exchange(
  service: Service,
  client: Client,
  code: AuthorizationCode,
  {
    person: { user, profiles },
    resource,
    from,
  }: { person: PersonNow; resource: string | undefined; from: Source },
): Promise<PersonGrant> {
  const { store } = service
  const now = service.now()
  const scopes = scopesNow(client, code.scopes)
  const audience = tokenAudience(service.issuer, client, scopes, resource)
  const profile = profilesThrough(client, profiles).find((one) => one.profileUuid === code.profileUuid)
  if (!isRegisteredRedirectUri(code.redirectUri, client.redirectUris, client.applicationType)) {
    throw invalidGrant(
      'The redirect_uri is no longer registered for this client. Start a new authorization request with one that is.',
    )
  }
  const { row, token } = newFamily(code, code.resource, { now, ...refreshLifetimes(service, client) })
  if (!user.active || profile === undefined) {
    throw invalidGrant('The user, or the profile that was chosen, can no longer be used. Sign in again.')
  }
  const permissions = await grantedPermissions(service, client, profile.roleCode, { scopes, audience })
  const redemption = await redeem(store, code.id, row, { now, from })
  if (redemption !== 'redeemed') throw invalidGrant(refusals[redemption])
  return {
    kind: 'person',
    client,
    person: user,
    context: profile,
    sid: code.sid,
    familyId: row.id,
    scopes,
    audience,
    permissions,
    authTime: code.authTime,
    acr: code.acr,
    amr: code.amr,
    nonce: code.nonce,
    refreshToken: mayRefresh(client) ? token : undefined,
  }
}

const refusals = {
  expired: 'The code has expired. Start a new authorization request.',
  already_used: 'The code was already used. Its tokens are revoked; start a new authorization request.',
  over: 'The user signed out, or what the tokens are for was disabled, meanwhile. Start a new authorization request.',
} as const
