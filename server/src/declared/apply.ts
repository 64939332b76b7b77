import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { changeDeclaredState } from '../store/declared-write.ts'
import type { Origin } from '../store/audit.ts'
import type { Store } from '../store/open.ts'
import { renewStatistics } from '../store/statistics.ts'
import { changesAnything, compare } from './compare.ts'
import type { Declared } from './declared.ts'
import { pruningOf } from './prune.ts'
import { withPasswords } from './passwords.ts'
import { namedBy } from './people.ts'
import { recordsOf } from './records.ts'
import { type Plan, type PlanSettings, planOf, silentPlan } from './plan.ts'

export interface ApplySettings extends PlanSettings {
  /** What somebody agreed to: when it would be something else, nothing is done. */
  expected?: Plan
  /** For the audit; left out: the service itself. */
  by?: Origin
  hashPassword: (password: string) => Promise<string>
}

/**
 * Makes the stored state what the file says, all or nothing, and yields what was done. Throws
 * `DeclaredFileError` when the file contradicts what is stored; then nothing changed.
 *
 * Concurrency: any number of processes may apply files at the same time; one goes after the other, and each
 * compares with what the one before it left. Of equal files the first changes, the others find nothing to do.
 */
export async function applyDeclared(
  store: Store,
  declared: Declared,
  settings: ApplySettings,
): Promise<Plan> {
  const { now, by = {}, prune = false } = settings
  const named = namedBy(declared)
  return await withPasswords(store, declared, settings, async ({ decisions, state }) => {
    const comparing = { now, newUuid: () => randomUUID() }
    // The usual start: nothing changed since the last one, so nothing need be locked. What is pruned is known later.
    const first = prune ? undefined : compare(declared, state, decisions, comparing)
    const silent = first?.marks.length === 0 ? silentPlan(first) : undefined
    if (silent !== undefined) return silent
    const decision = await changeDeclaredState(store, named, { now, by }, async (view) => {
      const pruning = prune ? { pruning: await pruningOf(declared, view) } : {}
      const comparison = compare(declared, view.state, decisions, { ...comparing, ...pruning })
      const plan = await planOf(comparison, view)
      refuseOther(plan, settings.expected)
      const { marks } = comparison
      return {
        plan,
        writes: changesAnything(comparison.writes) || marks.length > 0 ? comparison.writes : undefined,
        marks,
        passwordsChanged: comparison.passwordsChanged,
        file: declared.file,
        detail: { ...countsOf(plan), ...(plan.changes.length === 0 && { marked: marks.length }) },
        records: recordsOf(comparison),
      }
    })
    await renewStatistics(store, decision.plan.changes.length)
    return decision.plan
  })
}

function refuseOther(plan: Plan, expected: Plan | undefined): void {
  if (expected === undefined || isDeepStrictEqual(plan, expected)) return
  throw new Error(
    'What is stored changed since the plan was shown, and nothing was applied; look at it again.',
  )
}

/** Such as `{"user_create": 2, "role_change": 1}`, and how many people's and clients' access differs. */
function countsOf(plan: Plan): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { kind, action } of plan.changes) {
    counts[`${kind}_${action}`] = (counts[`${kind}_${action}`] ?? 0) + 1
  }
  const users = new Set(plan.access.users.map((one) => one.email)).size
  return { ...counts, users_affected: users, clients_affected: plan.access.clients.length }
}
