import { clientAsAllowed } from '../identity/consent.ts'
import { type Audience, audienceOf, grantedPermissions, scopesNow } from '../identity/access.ts'
import { ownClaims, userinfoClaims } from '../identity/token-claims.ts'
import { iamService } from '../protocol/permission.ts'
import { type PersonHeader, personHeaders } from '../protocol/proxied.ts'
import type { Scope } from '../protocol/scope.ts'
import type { Service } from '../service.ts'
import type { Client } from '../store/clients.ts'
import { permissionsOfRole } from '../store/roles.ts'
import type { Profile, User } from '../store/users.ts'

/** What an application is told of who visits it, and what they may do there. */
export interface Visitor {
  client: Client
  user: User
  profile: Profile
  /** The permissions of the role. */
  permissions: ReadonlySet<string>
  headers: Readonly<Partial<Record<PersonHeader, string>>>
  /** What `X-Access-Token` is made of; undefined: it is not sent. */
  token:
    | { scopes: readonly Scope[]; audience: Audience; permissions: readonly string[] | undefined }
    | undefined
}

/** Somebody who acts under a profile at an application, as they allowed it. Undefined: they allowed it nothing. */
export async function visitorAs(
  service: Pick<Service, 'issuer' | 'store'>,
  registered: Client,
  { user, profile, granted }: { user: User; profile: Profile; granted: readonly Scope[] },
): Promise<Visitor | undefined> {
  const client = await clientAsAllowed(service, registered, user.uuid)
  return client && (await visitorOf(service, client, { user, profile, granted }))
}

export async function visitorOf(
  service: Pick<Service, 'issuer' | 'store'>,
  client: Client,
  { user, profile, granted }: { user: User; profile: Profile; granted: readonly Scope[] },
): Promise<Visitor> {
  const scopes = scopesNow(client, granted)
  const about = { scopes, person: user, context: profile }
  const claims = userinfoClaims({ ...about, own: await ownClaims(service, client, about) })
  // What nobody has proved is told to nobody, nor of whom nobody knows whose account it is.
  const email = user.email_verified === 1 && user.limited_reach === 0 ? claims['email'] : undefined
  const said: Record<PersonHeader, unknown> = {
    'Remote-User': client.proxied?.remoteUser === 'email' ? email : claims['sub'],
    'Remote-Email': email,
    'Remote-Name': claims['name'],
    'Remote-Groups': claims['groups'],
    'Remote-Organisation': profile.organisation_code ?? undefined,
    'X-Access-Token': undefined,
  }
  const sent = personHeaders.filter((name) => client.proxied?.headers.includes(name))
  return {
    client,
    user,
    profile,
    permissions: new Set(await permissionsOfRole(service.store, profile.role_code)),
    headers: Object.fromEntries(sent.map((name) => [name, headerValue(said[name])])),
    token: await tokenOf(service, client, profile, scopes),
  }
}

/** The token is for exactly one service, and never for the administration of this one. */
async function tokenOf(
  service: Pick<Service, 'issuer' | 'store'>,
  client: Client,
  { role_code }: Profile,
  scopes: readonly Scope[],
): Promise<Visitor['token']> {
  const isSent = client.proxied?.headers.includes('X-Access-Token') === true && scopes.includes('service.api')
  if (!isSent || client.services.length !== 1 || client.services.includes(iamService)) return undefined
  const audience = audienceOf(service.issuer, client, undefined)
  if (audience?.services.length !== 1) return undefined
  // An ID token is for an application that asks for tokens.
  const own = scopes.filter((one) => one !== 'openid')
  const permissions = await grantedPermissions(service, client, role_code, { scopes: own, audience })
  return { scopes: own, audience, permissions }
}

/** Visible ASCII as it is, and all else percent-encoded; a list with commas between. */
function headerValue(value: unknown): string {
  if (Array.isArray(value)) return value.map((one) => encoded(String(one), /[^\x21-\x7e]|[%,]/gu)).join(',')
  return typeof value === 'string' ? encoded(value, /[^\x20-\x7e]|%/gu).trim() : ''
}

const encoded = (text: string, unsafe: RegExp): string =>
  text.replaceAll(unsafe, (one) => encodeURIComponent(one))
