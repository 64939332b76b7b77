import type { EntryChange } from '../access/entering.ts'
import { type ClientProof, provingBetween } from '../access/proving.ts'
import { type DeclaredView, viewDeclaredState } from './state.ts'
import type { Store } from '../database/store.ts'
import { type Adoption, adoptionsOf } from './adoption.ts'
import { compare } from './compare.ts'
import type { Change } from './change.ts'
import type { Comparison, EndedHold, Sender, Settings } from './comparison.ts'
import type { Declared } from './declared.ts'
import { type AccessChanges, effectsOf, type WaitingProfile } from './effects.ts'
import type { ChangeKind } from './kinds.ts'
import { pruningOf } from './prune.ts'
import { type PasswordDecisions, withPasswords } from './passwords.ts'
import { namedBy } from './people.ts'
import { changesAnything, stateAfter } from './rows.ts'
import type { Strengthened } from '../access/strengthened.ts'
import { weakenedBy, type Weakening } from '../protocol/weakenings.ts'

/** What applying a file changes, and whose access. Plain JSON without secrets; empty where nothing changes. */
export interface Plan {
  changes: Change[]
  access: AccessChanges
  /** What makes sign-ins weaker than by default, and what is lost. */
  weakens?: ({ client_id: string } & Weakening)[]
  /** Changes of who exactly can prove to be a client by tokens of another issuer. */
  proves?: ClientProof[]
  /** The people that stricter policies stop. */
  strengthens?: Strengthened
  /** People whose entry to an application ends or begins, by the profiles that are there now. */
  enters?: EntryChange[]
  /** What clients of the file let in no more, because it was removed since: `roles: guest`. */
  unmet?: { client_id: string; entries: string[] }[]
  /** What is there already and not managed by the file. */
  adopts?: Adoption[]
  /** Profiles that wait for a proof: nobody has proved whose the account is, and who made it could not give as much. */
  waits?: WaitingProfile[]
  /** Addresses that somebody gave up and could still take back, until now. */
  holds?: EndedHold[]
  /** What the file managed and names no more, and stays because it was not asked to go. */
  unnamed?: { kind: ChangeKind; id: string }[]
}

export interface PlanSettings {
  /** Epoch milliseconds. */
  now: number
  /** What the file managed and names no more goes. */
  prune?: boolean
  verifyPassword: (password: string, hash: string) => Promise<boolean>
  /** The sender over HTTP. Left out: the command's user, or the service itself. */
  sender?: Sender | undefined
}

/**
 * What applying the file would change now; nothing is written. Throws what applying it would: `DeclaredFileError`, and
 * `last_administrator`.
 */
export async function planDeclared(
  store: Store,
  declared: Declared,
  { now, prune = false, verifyPassword, sender }: PlanSettings,
): Promise<Plan> {
  // Never written, so neither a real hash nor a real uuid is needed.
  const work = { verifyPassword, hashPassword: async () => 'new' }
  return await withPasswords(store, declared, work, async ({ decisions, state }) => {
    let created = 0
    const settings = { now, newUuid: () => `new ${++created}`, sender }
    // What is pruned needs a view.
    const silent = prune ? undefined : silentPlan(compare(declared, state, decisions, settings))
    if (silent !== undefined) return silent
    return await viewDeclaredState(store, namedBy(declared), async (view) => {
      created = 0
      return (await decide(declared, view, decisions, { ...settings, prune })).plan
    })
  })
}

export const emptyPlan = (): Plan => ({ changes: [], access: { users: [], clients: [] } })

/** A plan without what changes by itself: whom a policy stops with each sign-in, who enters with each profile that ends. */
export const lasting = (plan: Plan): Plan => {
  const { strengthens: _stopped, enters: _entering, ...rest } = plan
  return rest
}

/** Whether applying it does more than to note what the file manages. */
export function doesSomething({ changes, adopts = [] }: Plan): boolean {
  return changes.length > 0 || adopts.some((one) => one.loses.length > 0)
}

/** The plan where nothing changes; undefined: something does. */
export function silentPlan({ writes, unnamed, unmet, adopted }: Comparison): Plan | undefined {
  if (changesAnything(writes) || adopted.length > 0) return undefined
  return { ...emptyPlan(), ...(unnamed.length > 0 && { unnamed }), ...(unmet.length > 0 && { unmet }) }
}

/** What the file makes different from what a view shows. Throws as `compare` does, and `last_administrator`. */
export async function decide(
  declared: Declared,
  view: DeclaredView,
  decisions: PasswordDecisions,
  { prune, ...settings }: Settings & { prune: boolean },
): Promise<{ comparison: Comparison; plan: Plan }> {
  const pruning = prune ? { pruning: await pruningOf(declared, view) } : {}
  const comparison = compare(declared, view.state, decisions, { ...settings, ...pruning })
  return { comparison, plan: await planOf(comparison, view) }
}

/** The changes of a comparison, and what they mean for everybody's access. */
async function planOf(comparison: Comparison, view: DeclaredView): Promise<Plan> {
  const silent = silentPlan(comparison)
  if (silent !== undefined) return silent
  const { changes, writes, settings, unnamed, unmet, adopted, holds, disowned } = comparison
  const adopts = await adoptionsOf(adopted, view)
  const weakens = weakened(changes)
  const proves = provingBetween(view.state, stateAfter(view.state, writes))
  const more = {
    ...(weakens.length > 0 && { weakens }),
    ...(proves.length > 0 && { proves }),
    ...(adopts.length > 0 && { adopts }),
    ...(unnamed.length > 0 && { unnamed }),
    ...(unmet.length > 0 && { unmet }),
    ...(holds.length > 0 && { holds }),
  }
  if (!changesAnything(writes) && disowned.users.length === 0) return { ...emptyPlan(), ...more }
  const strengthens = await view.strengthenedBy(stateAfter(view.state, writes), settings.now)
  const { access, waits } = await effectsOf(view, comparison, settings.now)
  const enters = await view.entryChanges(stateAfter(view.state, writes), settings.now)
  return {
    changes,
    access,
    ...(enters.length > 0 && { enters }),
    ...(strengthens && { strengthens }),
    ...(waits.length > 0 && { waits }),
    ...more,
  }
}

/** What of the changes of clients makes them weaker; what was so before is not told again. */
const weakened = (changes: readonly Change[]): NonNullable<Plan['weakens']> =>
  changes
    .filter(({ kind, action }) => kind === 'client' && action !== 'remove')
    .flatMap(({ id, fields }) => {
      const values = (side: 'before' | 'after') =>
        Object.fromEntries(fields.flatMap((one) => ('hidden' in one ? [] : [[one.field, one[side]]])))
      return weakenedBy(values('before'), values('after')).map((one) => ({ client_id: id, ...one }))
    })
