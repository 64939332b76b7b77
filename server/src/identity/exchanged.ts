/**
 * What is left of a token that services exchanged for one another (RFC 8693, decisions 31): each link of the chain lets
 * through what it may do now, and no more.
 */
import { serviceOf } from '../protocol/permission.ts'
import { generationsOf } from '../protocol/token-id.ts'
import type { Client } from '../store/clients.ts'
import { isWithinClient } from '../store/usable.ts'
import type { Profile } from '../store/users.ts'
import type { AllowedClient } from './consent.ts'

/** A token that a client got for a person who called it. */
export interface Exchanged {
  jti: string
  /** The client_ids that `act` names: the last one first. */
  actors: readonly string[]
}

/** The clients that exchanged it, the first one first. Undefined: one of them does not count any more. */
export async function exchangersOf(
  { jti, actors }: Exchanged,
  usable: (client_id: string) => Promise<Client | undefined>,
): Promise<Client[] | undefined> {
  const generations = generationsOf(jti)
  const found: Client[] = []
  for (const [index, id] of actors.toReversed().entries()) {
    const client = await usable(id)
    if (client === undefined || client.token_generation !== generations[index]) return undefined
    found.push(client)
  }
  return found
}

/** What tokens of the last of these clients carry for this profile. Undefined: a link of the chain does not hold now. */
export function throughExchangers(
  first: AllowedClient,
  exchangers: readonly Client[],
  profile: Profile,
): AllowedClient | undefined {
  return exchangers.reduce<AllowedClient | undefined>(
    (called, one) => (called && isWithinClient(profile, one) ? exchangedBy(called, one) : undefined),
    first,
  )
}

/**
 * The exchanging client as its tokens for people carry it: with the services and permissions of its exchange, as far as
 * the person allowed them. Undefined: tokens of the client that calls it are not for the service that it is.
 */
export function exchangedBy(
  called: AllowedClient,
  { exchanging, ...client }: Client,
): AllowedClient | undefined {
  if (exchanging === undefined || !called.scopes.includes('service.api')) return undefined
  if (!called.services.includes(exchanging.as.code)) return undefined
  const { onward } = called
  const isAllowed = (one: string) => onward?.includes(one) !== false
  return {
    ...client,
    exchanging,
    scopes: ['service.api'],
    services: exchanging.services.filter(isAllowed),
    declaredServices: exchanging.declaredServices.filter(({ code }) => isAllowed(code)),
    permissions: exchanging.permissions.filter((one) => isAllowed(one) && isWithin(called, one)),
    onward,
    caller: called,
  }
}

/**
 * No way around gives more: what each client that calls may do at a service itself bounds what is done there for it, also
 * where the person allowed it nothing at that service.
 */
const isWithin = ({ services, permissions, caller, registered }: AllowedClient, one: string): boolean =>
  (!services.includes(serviceOf(one)) || permissions?.includes(one) !== false) &&
  [caller, registered].every((other) => other === undefined || isWithin(other, one))
