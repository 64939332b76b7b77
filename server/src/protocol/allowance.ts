import type { Scope } from './scope.ts'

/** What a person allows a client, as the consent page showed it (decisions 10). */
export interface Allowance {
  scopes: readonly Scope[]
  /** Codes of the services that its tokens are for. */
  services: readonly string[]
  /** The most that tokens may permit there. */
  permissions: readonly string[]
  /** The hosts, or private-use schemes, of its redirect URIs. */
  redirectHosts: readonly string[]
  /** What its own claims tell beyond the scopes: see `toldBeyond`. */
  claims: readonly string[]
  /** What services that it calls may do elsewhere: codes of services and permissions (decisions 31). */
  onward: readonly string[]
}

const without = <T>(all: readonly T[], others: readonly T[]) => all.filter((one) => !others.includes(one))
const union = <T>(all: readonly T[], others: readonly T[]) => [...all, ...without(others, all)]

/** The part of `asked` that was not given. */
export function beyond(asked: Allowance, given: Allowance | undefined): Allowance {
  if (given === undefined) return asked
  return {
    scopes: without(asked.scopes, given.scopes),
    services: without(asked.services, given.services),
    permissions: without(asked.permissions, given.permissions),
    redirectHosts: without(asked.redirectHosts, given.redirectHosts),
    claims: without(asked.claims, given.claims),
    onward: without(asked.onward, given.onward),
  }
}

/** The union of two allowances. */
export function together(before: Allowance, now: Allowance): Allowance {
  return {
    scopes: union(before.scopes, now.scopes),
    services: union(before.services, now.services).sort(),
    permissions: union(before.permissions, now.permissions).sort(),
    redirectHosts: union(before.redirectHosts, now.redirectHosts).sort(),
    claims: union(before.claims, now.claims).sort(),
    onward: union(before.onward, now.onward).sort(),
  }
}

export const isNothing = (allowance: Allowance): boolean =>
  Object.values<readonly string[]>({ ...allowance }).every((list) => list.length === 0)
