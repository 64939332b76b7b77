import type { Allowance } from '../protocol/allowance.ts'
import { iamPermissions, iamService, serviceOf } from '../protocol/permission.ts'
import { redirectPlace } from '../protocol/redirect-uri.ts'
import { claimsAllowed, toldBeyond } from '../protocol/client-claims.ts'
import type { Scope } from '../protocol/scope.ts'
import type { Service } from '../service.ts'
import type { Client } from '../store/clients.ts'
import type { Reading } from '../store/in-transaction.ts'
import { findConsent } from '../store/consents.ts'
import { permissionsOfService } from '../store/permissions.ts'
import type { Profile } from '../store/users.ts'
import { audienceOf } from './access.ts'
import { onwardFrom } from './onward.ts'

/** What a client asks a person to allow: all that tokens of this request may carry, and where it may send them. */
export async function allowanceAsked(
  service: Service,
  client: Client,
  {
    scopes,
    resource,
    profiles,
  }: {
    scopes: readonly Scope[]
    resource?: string | undefined
    /** Profiles that the person may act under through the client. */
    profiles: readonly Pick<Profile, 'organisation_uuid'>[]
  },
): Promise<Allowance> {
  const audience = scopes.includes('service.api') ? audienceOf(service.issuer, client, resource) : undefined
  const services = audience?.services ?? []
  return {
    scopes,
    services,
    permissions: await mostOf(service, client, services),
    redirectHosts: [...new Set(client.redirect_uris.map(redirectPlace))].sort(),
    claims: toldBeyond(client, scopes),
    onward: await onwardFrom(service.store, services, profiles),
  }
}

/** The most that any person can do through a client at these services. */
async function mostOf(service: Service, client: Client, services: readonly string[]): Promise<string[]> {
  const { permissions } = client
  if (permissions !== null) return permissions.filter((one) => services.includes(serviceOf(one)))
  const all = await Promise.all(services.map((code) => permissionCodes(service, code)))
  return all.flat()
}

async function permissionCodes(service: Service, code: string): Promise<readonly string[]> {
  if (code === iamService) return iamPermissions
  return (await permissionsOfService(service.store, code)).map((one) => one.code)
}

/** A client, with what its person allowed the services that it calls. */
export interface AllowedClient extends Client {
  /** Codes of services and permissions; undefined: they are not asked. */
  onward?: readonly string[] | undefined
  /** The client whose token was exchanged, where one was. */
  caller?: AllowedClient
  /** The client as it is registered, where its person allowed less. */
  registered?: Client
}

/**
 * The client as this person allowed it: only with scopes, services and permissions that were shown to them. Undefined:
 * they allowed it nothing, and it is not first-party.
 */
export async function clientAsAllowed(
  service: { store: Reading },
  client: Client,
  user_uuid: string,
): Promise<AllowedClient | undefined> {
  if (client.first_party) return client
  const given = await findConsent(service.store, user_uuid, client.client_id)
  if (given === undefined) return undefined
  return {
    ...client,
    ...claimsAllowed(client, given),
    scopes: client.scopes.filter((one) => given.scopes.includes(one)),
    services: client.services.filter((one) => given.services.includes(one)),
    declaredServices: client.declaredServices.filter(({ code }) => given.services.includes(code)),
    permissions: (client.permissions ?? given.permissions).filter((one) => given.permissions.includes(one)),
    onward: given.onward,
    registered: client,
  }
}
