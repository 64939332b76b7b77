import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { changeDeclaredState, type DeclaredGiving } from './write.ts'
import { contentOf, type Origin } from '../audit/record.ts'
import type { Store } from '../database/store.ts'
import type { EncryptTotp } from '../store/given-totp.ts'
import type { EncryptUpstream } from '../administration/upstreams/secrets.ts'
import { renewStatistics } from '../database/statistics.ts'
import type { Service } from '../service.ts'
import { compare } from './compare.ts'
import type { Declared } from './declared.ts'
import { withPasswords } from './passwords.ts'
import { namedBy } from './people.ts'
import { decide, lasting, type Plan, type PlanSettings, silentPlan } from './plan.ts'

export interface ApplySettings extends PlanSettings {
  /** The plan that somebody agreed to. Any other plan is refused. */
  expected?: Plan
  /** The check of a plan, where `expected` is not at hand. */
  agrees?: (plan: Plan) => boolean
  /** Asked within the transaction that writes, before it does, with the counts of the changes. May throw. */
  first?: DeclaredGiving['first']
  /** The actor for the audit. Left out: the service itself. */
  by?: Origin
  hashPassword: (password: string) => Promise<string>
  /** Encrypts the secrets of authenticator apps that a file of development gives. */
  encryptTotp?: EncryptTotp
  /** Encrypts the keys and secrets of new upstreams. */
  encryptUpstream?: EncryptUpstream
  /** Sends invitations. Left out: none is sent. */
  mail?: Service['mail']
}

/**
 * Makes the stored state what the file says, all or nothing, and yields what was done. Throws
 * `DeclaredFileError` when the file contradicts what is stored; then nothing changed.
 *
 * Concurrency: many processes may apply files at the same time. They write one after the other, and each
 * compares with what the one before it left: see `changeDeclaredState`. Of equal files only the first changes anything.
 */
export async function applyDeclared(
  store: Store,
  declared: Declared,
  settings: ApplySettings,
): Promise<Plan> {
  const {
    now,
    by = {},
    prune = false,
    encryptTotp = encryptsNone,
    encryptUpstream = encryptsNone,
    mail,
    first: beforeAll,
    sender,
  } = settings
  const named = namedBy(declared)
  return await withPasswords(store, declared, settings, async ({ decisions, state }) => {
    const comparing = { now, newUuid: () => randomUUID(), sender }
    // Nothing changed at most starts, and nothing is locked then. Pruning needs a view.
    const first = prune ? undefined : compare(declared, state, decisions, comparing)
    const silent = first?.marks.length === 0 ? silentPlan(first) : undefined
    if (silent !== undefined) return silent
    const decision = await changeDeclaredState(
      store,
      named,
      { now, by, encryptTotp, encryptUpstream, mail, first: beforeAll },
      async (view) => {
        const { comparison, plan } = await decide(declared, view, decisions, { ...comparing, prune })
        refuseOther(plan, settings)
        const marked = plan.changes.length === 0 ? { marked: comparison.marks.length } : {}
        return {
          plan,
          comparison,
          file: declared.file,
          detail: { ...countsOf(plan), ...marked },
          records: comparison.records.map((event) =>
            contentOf({
              at: now,
              ...by,
              ...event,
              detail: { ...event.detail, declared_file: comparison.manager },
            }),
          ),
        }
      },
    )
    await renewStatistics(store, decision.plan.changes.length)
    return decision.plan
  })
}

const encryptsNone = () => {
  throw new Error(
    'A declared file gives an authenticator app or an upstream, and nothing encrypts its secret.',
  )
}

/** The plan is another than the one that somebody agreed to. */
export class OtherPlan extends Error {
  readonly plan: Plan

  constructor(plan: Plan) {
    super('What is stored changed since the plan was shown, and nothing was applied; look at it again.')
    this.plan = plan
  }
}

function refuseOther(plan: Plan, { expected, agrees }: Pick<ApplySettings, 'expected' | 'agrees'>): void {
  const same = expected === undefined || isDeepStrictEqual(lasting(plan), lasting(expected))
  if (!same || agrees?.(plan) === false) throw new OtherPlan(plan)
}

/** Such as `{"user_create": 2, "role_change": 1}`, and how many people's and clients' access differs. */
export function countsOf(plan: Plan): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { kind, action } of plan.changes) {
    counts[`${kind}_${action}`] = (counts[`${kind}_${action}`] ?? 0) + 1
  }
  const users = new Set(plan.access.users.map((one) => one.email)).size
  const clients = new Set(plan.access.clients.map((one) => one.client_id)).size
  const adopted = plan.adopts === undefined ? {} : { adopted: plan.adopts.length }
  return { ...counts, ...adopted, users_affected: users, clients_affected: clients }
}
