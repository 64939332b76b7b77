import { mergedPolicy, spelledOut } from '../protocol/policy.ts'
import { fieldsBetween } from './change.ts'
import type { Comparison } from './comparison.ts'
import type { Declared } from './declared.ts'

const what = { kind: 'policy', id: 'installation', key: 'policy' } as const
const unset = '{}'

/** The policy of the installation. Left out, it stays; where the file managed it, pruning takes it away. */
export function comparePolicy(comparison: Comparison, { policy }: Declared): void {
  const before = comparison.state.installation.find(({ name }) => name === 'policy')
  if (before === undefined) throw new Error('The table installation has lost its row: restore the database.')
  if (policy !== undefined) {
    put(comparison, before, mergedPolicy(null, JSON.stringify(policy)) ?? unset)
    // Where none was set nothing is adopted.
    const isUnset = before.kept === unset && before.managed_by === null
    return comparison.manage('installation', isUnset ? undefined : before, what)
  }
  if (before.managed_by !== comparison.manager) return
  if (comparison.settings.pruning === undefined) {
    comparison.unnamed.push({ kind: what.kind, id: what.id })
    return
  }
  put(comparison, before, unset, true)
  comparison.marks.push({ table: 'installation', key: what.key, managedBy: null })
}

type Stored = Comparison['state']['installation'][number]

function put(comparison: Comparison, before: Stored, kept: string, pruned = false): void {
  if (!comparison.update('installation', before, { kept })) return
  const fields = fieldsBetween(spelledOut(before.kept), spelledOut(kept))
  comparison.tell(what.kind, 'change', what.id, fields, {}, pruned)
}
