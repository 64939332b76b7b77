import { client as clientThing } from '../catalogue/client.ts'
import { newColumns } from '../catalogue/columns.ts'
import { keptMethod } from '../protocol/client-type.ts'
import { byKey, groupBy } from '../access/by-key.ts'
import type { Comparison } from './comparison.ts'
import { compareSecrets } from './compare-secrets.ts'
import type { DeclaredClient } from './declared.ts'
import { shown } from './problems.ts'
import { documentColumns } from '../store/client-documents.ts'
import { textList } from '../store/clients.ts'
import { issuerProblem } from '../protocol/federated.ts'
import { issuersIn, subjectKeyOf } from '../store/federated-subjects.ts'
import type { DeclaredRow } from './state.ts'
import { entryLists, listsIn, stillRemoved } from '../store/entry.ts'

/** Clients and their secrets. What is pruned leaves its origins to others. */
export function compareClients(
  comparison: Comparison,
  clients: readonly DeclaredClient[],
  pruned: readonly string[],
): void {
  const { state, settings } = comparison
  const updated_at = settings.now
  const clientsById = byKey(state.clients, (row) => row.client_id)
  const secrets = groupBy(state.client_secrets, (row) => row.client_id)
  const leaving = new Set([...clients.map((one) => one.client_id), ...pruned])
  const holders = new Map(
    state.clients.flatMap((row) => textList(row.origins).map((origin) => [origin, row.client_id] as const)),
  )
  const subjects = new Map(
    state.clients.map((row) => [subjectKeyOf(row) ?? row.client_id, row.client_id] as const),
  )
  for (const client of clients) {
    const { client_id: id } = client
    for (const origin of client.origins ?? []) {
      const holder = holders.get(origin)
      if (holder === undefined || leaving.has(holder)) continue
      const reason = `the origin ${shown(origin)} is that of the client ${shown(holder)}, which is not in this file`
      comparison.problems.add(client.line, reason)
    }
    const before = clientsById.get(id)
    const stored = secrets.get(id) ?? []
    const { changed: secretsChanged, owning } = compareSecrets(comparison, client, { before, stored })
    comparison.manage('clients', before, { kind: 'client', id, key: id, ...owning })
    const organisation_uuid = comparison.uuidOf(client.organisation)
    const token_endpoint_auth_method = keptMethod(client, client.token_endpoint_auth_method)
    const declared = newColumns(clientThing, { ...client, organisation_uuid, token_endpoint_auth_method })
    const columns = { ...declared, ...documentColumns(declared, before) }
    checkFederated(comparison, client, before, { organisation_uuid, taken: subjects, leaving })
    const removed = listsIn(stillRemoved(columns.allowed, before?.allowed_removed))
    const entries = entryLists.flatMap((name) => (removed[name] ?? []).map((one) => `${name}: ${one}`))
    if (entries.length > 0) comparison.unmet.push({ client_id: id, entries })
    comparison.put('client', before, columns, {
      id,
      about: { organisation_uuid },
      created: { created_at: updated_at, updated_at },
      changed: { updated_at },
      hidden: secretsChanged ? ['client_secret'] : [],
    })
  }
}

/** A new match is of a declared issuer that is open to the client, and its subject no other client's. */
function checkFederated(
  { state, writes, problems }: Comparison,
  { federated, line }: DeclaredClient,
  before: DeclaredRow<'clients'> | undefined,
  among: {
    organisation_uuid: string | null
    taken: ReadonlyMap<string, string>
    leaving: ReadonlySet<string>
  },
): void {
  const { organisation_uuid } = among
  const text = JSON.stringify(federated ?? null)
  if (!federated || (text === before?.federated && organisation_uuid === before.organisation_uuid)) return
  const isList = ({ name }: { name: string }) => name === 'assertion_issuers'
  const kept = writes.installation.update.find((one) => isList(one.before))?.set.kept
  const problem = issuerProblem(
    issuersIn(kept ?? state.installation.find(isList)?.kept),
    federated,
    organisation_uuid,
  )
  if (problem !== undefined) problems.add(line, `the issuer ${shown(federated.issuer)} ${problem}`)
  const holder = among.taken.get(subjectKeyOf({ federated: text, organisation_uuid }) ?? '')
  if (holder === undefined || among.leaving.has(holder)) return
  problems.add(
    line,
    `the subject ${shown(federated.subject ?? '')} is that of the client ${shown(holder)}, which is not in this file`,
  )
}
