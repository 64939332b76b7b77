import { administratorRolesIn, administratorsIn, refuseLast } from '../store/admin/administrators.ts'
import {
  type DeclaredState,
  type DeclaredView,
  type People,
  viewDeclaredState,
} from '../store/declared-state.ts'
import type { Store } from '../store/open.ts'
import { afterWrites, changedParts, changesAnything, compare } from './compare.ts'
import { byKey, type Change, type ChangeKind, type Comparison } from './comparison.ts'
import type { Declared } from './declared.ts'
import { type AccessChanges, accessChanges } from './effects.ts'
import { pruningOf } from './prune.ts'
import { withPasswords } from './passwords.ts'
import { namedBy } from './people.ts'

export type { Change, ChangeKind, FieldChange } from './comparison.ts'
export type { ClientAccessChange, UserAccessChange } from './effects.ts'

/** What applying a file changes, and whose access. Plain JSON; holds no secret. Empty: nothing changes. */
export interface Plan {
  changes: Change[]
  access: AccessChanges
  /** What the file managed and names no more, and stays because it was not asked to go. */
  unnamed?: { kind: ChangeKind; id: string }[]
}

export interface PlanSettings {
  /** Epoch milliseconds. */
  now: number
  /** What the file managed and names no more goes. */
  prune?: boolean
  verifyPassword: (password: string, hash: string) => Promise<boolean>
}

/**
 * What applying the file would change now; nothing is written. Throws what applying it would: `DeclaredFileError`, and
 * `last_administrator`.
 */
export async function planDeclared(
  store: Store,
  declared: Declared,
  { now, prune = false, verifyPassword }: PlanSettings,
): Promise<Plan> {
  // Never written, so neither a real hash nor a real uuid is needed.
  const work = { verifyPassword, hashPassword: async () => 'new' }
  return await withPasswords(store, declared, work, async ({ decisions, state }) => {
    let created = 0
    const settings = { now, newUuid: () => `new ${++created}` }
    // What is pruned is known later.
    const silent = prune ? undefined : silentPlan(compare(declared, state, decisions, settings))
    if (silent !== undefined) return silent
    return await viewDeclaredState(store, namedBy(declared), async (view) => {
      created = 0
      const pruning = prune ? { pruning: await pruningOf(declared, view) } : {}
      const comparison = compare(declared, view.state, decisions, { ...settings, ...pruning })
      await refuseWithoutAdministrators(comparison, view)
      return await planOf(comparison, view)
    })
  })
}

export const emptyPlan = (): Plan => ({ changes: [], access: { users: [], clients: [] } })

/** The plan where nothing changes; undefined: something does. */
export function silentPlan({ writes, unnamed }: Comparison): Plan | undefined {
  if (changesAnything(writes)) return undefined
  return unnamed.length === 0 ? emptyPlan() : { ...emptyPlan(), unnamed }
}

/** The plan of a comparison: its changes, and what they mean for everybody's access. */
export async function planOf(comparison: Comparison, view: DeclaredView): Promise<Plan> {
  const silent = silentPlan(comparison)
  if (silent !== undefined) return silent
  const { changes, writes, settings, unnamed } = comparison
  const left = unnamed.length === 0 ? {} : { unnamed }
  const before = withPeople(view.state, await view.touchedBy(changedParts(writes)))
  return { changes, access: accessChanges(before, afterWrites(before, writes), settings.now), ...left }
}

/** Applying asks the database the same, once it has written: see `keepingAdministrators`. */
async function refuseWithoutAdministrators(
  { writes, settings }: Comparison,
  view: DeclaredView,
): Promise<void> {
  if (!changesAnything(writes)) return
  const roles = [view.state, afterWrites(view.state, writes)].flatMap((one) => [...administratorRolesIn(one)])
  const before = withPeople(view.state, await view.everywhereAs([...new Set(roles)]))
  const after = afterWrites(before, writes)
  refuseLast(administratorsIn(before, settings.now), administratorsIn(after, settings.now))
}

/** The state with more people in it. */
function withPeople(state: DeclaredState, { users, profiles }: People): DeclaredState {
  const merged = <Row extends { uuid: string }>(rows: Row[], others: Row[]) => [
    ...byKey([...others, ...rows], (row) => row.uuid).values(),
  ]
  return { ...state, users: merged(state.users, users), profiles: merged(state.profiles, profiles) }
}
