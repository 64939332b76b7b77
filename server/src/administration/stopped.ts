/** The people whom policies stop that are only tried out, or planned. */
import type { Kysely } from 'kysely'
import * as z from 'zod'
import { type Policies, policiesNow } from '../access/policies.ts'
import { strengthened } from '../access/strengthened.ts'
import type { Schema } from '../database/schema.ts'
import type { AuditedChange } from './by.ts'

export const entrants = z.object({ people: z.int(), organisations: z.int() })

export const enrol = entrants.describe(
  'People who must set up a second factor, or one that resists phishing, to sign in. Grace may be left.',
)
export const refresh = z
  .object({ clients: z.int(), people: z.int() })
  .describe('Applications whose tokens are not refreshed until people sign in again with more proof.')
export const forced = z.object({
  people: z.int(),
  never: z.int().describe('Of these, who have never signed in through it.'),
  last_used_at: z.iso.datetime().nullable().describe('When the last of the others did.'),
})

/** The most sign-ins of applications that a dry run looks at one by one. */
const mostFamilies = 20_000

/** What a dry run tells of them. */
export const whomStopped = {
  forces: forced
    .nullable()
    .describe(
      'How many people could not act because a policy newly demands their organisation’s upstream, which has not let them in lately. Null: nobody, or you lack `iam.access.read`.',
    ),
  strengthens: z
    .object({
      enrol,
      refresh: refresh
        .nullable()
        .describe(
          `${refresh.description} Null: there are more than ${mostFamilies} to look at; the plan of a declared file counts them.`,
        ),
    })
    .nullable()
    .describe(
      'How many people a policy stops that newly demands a second factor, or a stronger one. Null: nobody, or you lack `iam.access.read`.',
    ),
}

type Stopped = { [K in keyof typeof whomStopped]: z.output<(typeof whomStopped)[K]> }

/** People whom stricter policies of these changes stop. */
export async function stoppedBy(
  trx: Kysely<Schema>,
  told: readonly AuditedChange[],
  now: number,
): Promise<Stopped> {
  const changed = told.flatMap(policyChange)
  const after = changed.length === 0 ? undefined : await policiesNow(trx)
  const stopped =
    after && (await strengthened(trx, { before: earlier(after, changed), after }, now, mostFamilies))
  if (stopped === undefined) return { forces: null, strengthens: null }
  const { enrol: people, refresh: tokens, sign_in: forces = null } = stopped
  const isAny = people.people + (tokens?.people ?? 1) > 0
  return { forces, strengthens: isAny ? { enrol: people, refresh: tokens } : null }
}

interface PolicyChange {
  of: 'policy' | 'organisation' | 'role' | 'client'
  id: string
  before: string
}

function policyChange({ thing, id, before, after }: AuditedChange): PolicyChange[] {
  if (before === undefined || after === undefined) return []
  if (thing !== 'policy' && thing !== 'organisation' && thing !== 'role' && thing !== 'client') return []
  const of = (one: object) =>
    JSON.stringify(thing === 'policy' ? one : 'policy' in one ? (one.policy ?? null) : null)
  return of(before) === of(after) ? [] : [{ of: thing, id, before: of(before) }]
}

/** The policies as they were before these changes. */
function earlier(after: Policies, changed: readonly PolicyChange[]): Policies {
  const were = (of: PolicyChange['of']) => changed.filter((one) => one.of === of)
  const [own] = were('policy')
  const except = (of: PolicyChange['of']) => {
    const ids = new Set(were(of).map(({ id }) => id))
    return (id: string) => !ids.has(id)
  }
  return {
    installation: own === undefined ? after.installation : [{ name: 'policy', kept: own.before }],
    roles: [
      ...after.roles.filter(({ code }) => except('role')(code)),
      ...were('role').map(({ id, before }) => ({ code: id, policy: before })),
    ],
    organisations: [
      ...after.organisations.filter(({ uuid }) => except('organisation')(uuid)),
      ...were('organisation').map(({ id, before }) => ({ uuid: id, policy: before })),
    ],
    clients: [
      ...after.clients.filter(({ client_id }) => except('client')(client_id)),
      ...were('client').map(({ id, before }) => ({ client_id: id, policy: before })),
    ],
  }
}
