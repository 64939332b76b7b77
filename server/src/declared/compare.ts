import type { DeclaredState } from './state.ts'
import { compareRoles, compareServices, takeFromOtherClients } from './compare-access.ts'
import { compareClients } from './compare-clients.ts'
import { compareOrganisations } from './compare-organisations.ts'
import { compareUsers } from './compare-users.ts'
import { compareInvitations } from './compare-invitations.ts'
import { compareSettled } from './compare-settled.ts'
import { Comparison, type Settings } from './comparison.ts'
import type { Declared } from './declared.ts'
import type { PasswordDecisions } from './passwords.ts'
import {
  pruneClients,
  pruneOrganisations,
  pruneRoles,
  pruneServices,
  pruneUsers,
  unnamedBy,
} from './prune.ts'

/**
 * What the file makes different. Pure: nothing is written. Throws `DeclaredFileError` when the file contradicts
 * what is stored, and `StateMoved` when the decisions about passwords are out of date.
 */
export function compare(
  declared: Declared,
  state: DeclaredState,
  passwords: PasswordDecisions,
  settings: Settings,
): Comparison {
  const comparison = new Comparison(declared, state, settings)
  compareSettled(comparison, declared)
  const unnamed = unnamedBy(comparison, declared)
  const pruned = new Set(unnamed.services.map((row) => row.code))
  const vanished = compareServices(comparison, declared.services, pruned)
  for (const permission of pruneServices(comparison, unnamed)) vanished.add(permission)
  compareRoles(comparison, declared.roles, vanished, pruneRoles(comparison, unnamed))
  compareOrganisations(comparison, declared.organisations)
  compareUsers(comparison, declared.users, passwords)
  compareClients(comparison, declared.clients)
  compareInvitations(comparison, declared)
  pruneOrganisations(comparison, unnamed)
  pruneUsers(comparison, unnamed)
  pruneClients(comparison, unnamed)
  const without = new Set([...declared.clients, ...unnamed.clients].map((one) => one.client_id))
  takeFromOtherClients(comparison, without, { permissions: vanished, services: pruned })
  comparison.problems.throwIfAny()
  return comparison
}
