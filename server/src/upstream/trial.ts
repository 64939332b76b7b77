/** A sign-in through an upstream that is tried: what came, and what it would do. It signs nobody in. */
import { type Actor, type Origin, record } from '../audit/record.ts'
import type { Store } from '../database/store.ts'
import { upstreamCures } from '../protocol/upstream-cures.ts'
import { endTrial, findTrial, keepTrial, type UpstreamTrialRow } from '../store/upstream-trials.ts'
import type { Assertion } from './assertion.ts'
import { noteTried } from './drafts.ts'
import type { SignInThere } from './person.ts'
import { type RefusalCode, UpstreamRefusal } from './refusal.ts'
import type { Upstream } from './upstream.ts'
import { wouldDo, type Would } from './would.ts'

export interface TrialAsked {
  upstream_uuid: string
  by: Pick<Origin, 'actor'>
  now: number
  /** What the upstream is a draft of: who tries it learns nothing of the accounts here. */
  draftOf?: string
  /** The page of ours that the page of the outcome leads back to. */
  returnTo?: `/${string}`
}

/** Begins a trial, whose address any one browser may open within 15 minutes. */
export async function beginTrial(
  { store, issuer }: { readonly store: Store; readonly issuer: string },
  { upstream_uuid, by, now, draftOf, returnTo }: TrialAsked,
): Promise<{ id: string; address: string; expires_at: number }> {
  const made = {
    upstream_uuid,
    draft_of: draftOf ?? null,
    return_to: returnTo ?? null,
    made_by: by.actor ?? { kind: 'service' },
    now,
  } as const
  const { id, secret, expires_at } = await keepTrial(store, made)
  return { id, address: `${issuer}/upstreams/${upstream_uuid}/try?trial=${secret}`, expires_at }
}

/** What an upstream said of somebody, as who asked for the trial is shown it. */
export interface CameOf extends Pick<Assertion, 'subject' | 'fields' | 'groups' | 'contexts' | 'amr'> {
  claims: Readonly<Record<string, readonly string[]>>
  /** Epoch milliseconds; null: it did not say. */
  auth_time: number | null
}

interface UpstreamTrialOutcome {
  /** What went wrong. The message is for those who set it up. */
  problem: { code: RefusalCode; message: string } | null
  came: CameOf | null
  /** Null: something went wrong, or it is a draft. */
  would: Would | null
}

export interface UpstreamTrial extends UpstreamTrialOutcome {
  id: string
  upstream_uuid: string
  draft_of: string | null
  state: 'waiting' | 'done' | 'failed'
  /** Whether a browser opened it. */
  opened: boolean
  expires_at: number
}

/** The trial with this id; undefined: it is unknown, or over. */
export async function trialOf(
  store: Pick<Store, 'db'>,
  id: string,
  now: number,
): Promise<UpstreamTrial | undefined> {
  const row = await findTrial(store, { id }, now)
  return row && shownTrial(row)
}

export function shownTrial(row: UpstreamTrialRow): UpstreamTrial {
  const { id, upstream_uuid, draft_of, browser_hash, expires_at } = row
  const none: UpstreamTrialOutcome = { problem: null, came: null, would: null }
  const outcome = row.outcome === null ? none : (JSON.parse(row.outcome) as UpstreamTrialOutcome)
  const state = row.outcome === null ? 'waiting' : outcome.problem === null ? 'done' : 'failed'
  return { id, upstream_uuid, draft_of, state, opened: browser_hash !== null, expires_at, ...outcome }
}

/** What to change, and at which side. */
export const cureOf = (code: RefusalCode): string => upstreamCures[code]

/** Ends a trial with what was proved, or why nothing was, and records that it was tried. */
export async function settleTrial(
  store: Store,
  trial: UpstreamTrialRow,
  upstream: Upstream,
  { proved, coming }: { proved: () => Promise<Assertion>; coming: SignInThere },
): Promise<void> {
  const outcome = await outcomeOf(store, trial, { proved, coming })
  const { now, from } = coming
  if (!(await endTrial(store, { id: trial.id, outcome, now }))) return
  const { organisation_uuid } = upstream
  const { problem, would } = outcome
  if (trial.draft_of !== null && problem === null) await noteTried(store, { id: trial.id, now })
  await record(store, {
    at: now,
    kind: 'upstream.tried',
    ...from,
    actor: JSON.parse(trial.made_by) as Actor,
    target: { kind: 'upstream', id: upstream.uuid },
    ...(organisation_uuid !== null && { organisation_uuid }),
    detail:
      problem === null
        ? { outcome: would?.outcome ?? 'draft', ...(would?.reason && { reason: would.reason }) }
        : { outcome: 'failed', reason: problem.code, text: problem.message },
  })
}

async function outcomeOf(
  store: Store,
  { draft_of }: UpstreamTrialRow,
  { proved, coming }: { proved: () => Promise<Assertion>; coming: SignInThere },
): Promise<UpstreamTrialOutcome> {
  let came: CameOf | null = null
  try {
    const assertion = await proved()
    came = cameOf(assertion)
    const would = draft_of === null ? await wouldDo(store, assertion, coming) : null
    return { problem: null, came, would }
  } catch (error) {
    if (!(error instanceof UpstreamRefusal)) throw error
    return { problem: { code: error.code, message: error.message }, came, would: null }
  }
}

/** The most characters of claims that are shown. */
const mostClaims = 64 * 1024

function cameOf({ subject, fields, groups, claims, contexts, amr, auth_time }: Assertion): CameOf {
  let left = mostClaims
  const shown = [...claims].filter(([name, values]) => (left -= name.length + values.join('').length) > 0)
  return {
    subject,
    fields,
    groups,
    claims: Object.fromEntries(shown),
    contexts,
    amr,
    auth_time: auth_time ?? null,
  }
}
