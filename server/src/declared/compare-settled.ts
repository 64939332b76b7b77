import { keptOf, type Settled, settledOf, unset } from '../catalogue/settled.ts'
import { fieldsBetween } from './change.ts'
import type { Comparison } from './comparison.ts'
import type { Declared } from './declared.ts'
import type { Codes } from './codes.ts'
import type { FileValues, Json } from './kinds.ts'
import type { AssertionIssuer } from '../protocol/federated.ts'
import { uuidsOfPeople } from './people.ts'

/** What the installation has one of. Left out, it stays; where the file managed it, pruning takes it away. */
export function compareSettled(comparison: Comparison, declared: Declared): void {
  const { policy, branding, break_glass: emails } = declared
  const people = emails && { people: uuidsOfPeople(comparison, emails, 0) }
  const said = { policy, branding, break_glass: people }
  for (const kind of ['policy', 'branding', 'break_glass'] as const) compareOne(comparison, kind, said[kind])
}

/** The issuers whose tokens prove clients. They name organisations, which may be new. */
export function compareIssuers(comparison: Comparison, { assertion_issuers: listed }: Declared): void {
  const issuers = listed?.map(({ organisations: codes, ...one }) => {
    const organisations = codes?.flatMap((code) => comparison.uuidOf(code) ?? []).sort()
    return { ...one, ...(organisations !== undefined && { organisations }) }
  })
  compareOne(comparison, 'assertion_issuers', issuers && { issuers })
}

function compareOne(comparison: Comparison, kind: Settled, said: object | undefined): void {
  const before = comparison.state.installation.find(({ name }) => name === kind)
  if (before === undefined) throw new Error('The table installation has lost its row: restore the database.')
  const what = { kind, id: 'installation', key: kind }
  if (said !== undefined) {
    put(comparison, kind, before, keptOf(kind, said))
    // Nothing is adopted where none was set.
    const isUnset = before.kept === unset && before.managed_by === null
    return comparison.manage('installation', isUnset ? undefined : before, what)
  }
  if (before.managed_by !== comparison.manager) return
  if (comparison.settings.pruning === undefined) {
    comparison.unnamed.push({ kind, id: what.id })
    return
  }
  put(comparison, kind, before, unset, true)
  comparison.marks.push({ table: 'installation', key: what.key, managedBy: null })
}

/** Issuers with the codes of organisations, as the file has them. */
export const asInFile = (issuers: readonly unknown[], codes: Codes) =>
  (issuers as readonly AssertionIssuer[]).map(({ organisations: uuids, ...one }) => ({
    ...one,
    ...(uuids !== undefined && { organisations: codes.all(uuids) }),
  })) as unknown as Json[]

type Stored = Comparison['state']['installation'][number]

function put(comparison: Comparison, kind: Settled, before: Stored, kept: string, pruned = false): void {
  if (!comparison.update('installation', before, { kept })) return
  const shown = (text: string): FileValues => {
    const values = settledOf(kind, text) as FileValues
    if (Array.isArray(values.people)) return { people: comparison.codes.all(values.people as string[]) }
    return Array.isArray(values.issuers) ? { issuers: asInFile(values.issuers, comparison.codes) } : values
  }
  comparison.tell(kind, 'change', 'installation', fieldsBetween(shown(before.kept), shown(kept)), {}, pruned)
}
