import { byKey } from '../access/by-key.ts'
import { entryLists, listsIn, names } from '../store/entry.ts'
import { goneBy, removedAfter } from '../store/write/gone.ts'
import type { DeclaredState } from './state.ts'
import { compareRoles, compareServices, takeFromOtherClients } from './compare-access.ts'
import { compareClients } from './compare-clients.ts'
import { compareOrganisations } from './compare-organisations.ts'
import { compareUsers } from './compare-users.ts'
import { compareInvitations } from './compare-invitations.ts'
import { compareUpstreams } from './compare-upstreams.ts'
import { compareIssuers, compareSettled } from './compare-settled.ts'
import { Comparison, type Settings } from './comparison.ts'
import type { Declared } from './declared.ts'
import type { PasswordDecisions } from './passwords.ts'
import { refuseSent } from './refuse-sent.ts'
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
  compareIssuers(comparison, declared)
  const upstreams = declared.upstreams ?? (settings.pruning && [])
  if (upstreams !== undefined) compareUpstreams(comparison, upstreams, undefined)
  compareUsers(comparison, declared.users, passwords)
  compareClients(
    comparison,
    declared.clients,
    unnamed.clients.map((one) => one.client_id),
  )
  compareInvitations(comparison, declared)
  pruneOrganisations(comparison, unnamed)
  pruneUsers(comparison, unnamed)
  pruneClients(comparison, unnamed)
  const without = new Set([...declared.clients, ...unnamed.clients].map((one) => one.client_id))
  takeFromOtherClients(comparison, without, { permissions: vanished, services: pruned })
  noteUnmet(comparison, without)
  if (settings.sender !== undefined) refuseSent(comparison, declared)
  comparison.problems.throwIfAny()
  return comparison
}

/** Other clients may name in `allowed` what the file removes. */
function noteUnmet({ state, writes, unmet }: Comparison, without: ReadonlySet<string>): void {
  const codes = byKey(state.organisations, (row) => row.uuid)
  const units = writes.units.remove.map(
    ({ organisation_uuid: at, code }) => `${codes.get(at)?.code ?? ''}/${code}`,
  )
  const gone = goneBy(writes, units)
  for (const client of state.clients) {
    if (client.allowed === null || without.has(client.client_id)) continue
    const [had, has] = [listsIn(client.allowed_removed), listsIn(removedAfter(client, gone))]
    const entries = entryLists.flatMap((name) =>
      (has[name] ?? []).filter((one) => !names(had, name, one)).map((one) => `${name}: ${one}`),
    )
    if (entries.length > 0) unmet.push({ client_id: client.client_id, entries })
  }
}
