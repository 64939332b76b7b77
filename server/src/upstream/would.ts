/** What a sign-in through an upstream would do: the same code in a transaction of which nothing stays. */
import type { Kysely } from 'kysely'
import type { AuditEvent } from '../audit/record.ts'
import { lockAdministration } from '../database/revision.ts'
import { rowOf } from '../database/rows.ts'
import type { Schema } from '../database/schema.ts'
import type { Store } from '../database/store.ts'
import { writeChange } from '../store/write/write.ts'
import type { Assertion } from './assertion.ts'
import { type PersonOutcome, personWithin, type RefusedReason, type SignInThere } from './person.ts'
import { returningWithin } from './returning.ts'

export interface Would {
  /** `known`: the account of `user_uuid` is signed in; of `prove` and `guest` see `PersonOutcome`. */
  outcome: 'known' | 'new' | 'prove' | 'guest' | 'refused'
  /** The account that is signed in, where it is there already. */
  user_uuid: string | null
  /** Why nobody is signed in, or why the address that it told does not count. */
  reason: RefusedReason | 'address_domain' | 'address_taken' | null
  /** Whether the account is linked now. */
  links: boolean
  changes: readonly { field: string; before: unknown; after: unknown }[]
  gives: readonly MappedProfile[]
  ends: readonly MappedProfile[]
}

interface MappedProfile {
  organisation_uuid: string | null
  role_code: string
  unit_uuid: string | null
}

/**
 * What a sign-in with this assertion would do now, as if the upstream were active. Throws the refusal that it would end
 * with. Concurrency: as `personOf`, for which others wait; then all of it is undone.
 */
export async function wouldDo(store: Store, assertion: Assertion, coming: SignInThere): Promise<Would> {
  try {
    return await store.db.transaction().execute(async (trx) => {
      throw new Undone(await tried(trx, assertion, coming))
    })
  } catch (error) {
    if (error instanceof Undone) return error.would
    throw error
  }
}

class Undone extends Error {
  readonly would: Would

  constructor(would: Would) {
    super('The trial is over.')
    this.would = would
  }
}

async function tried(trx: Kysely<Schema>, assertion: Assertion, coming: SignInThere): Promise<Would> {
  await lockAdministration(trx)
  const row = await rowOf(trx, 'upstreams', { uuid: assertion.upstream_uuid })
  const how = { now: coming.now, versions: 'overwritten', by: 'others', ends: 'each' } as const
  if (row?.active === 0) await writeChange(trx, 'upstreams', row, { active: 1 }, how)
  const known = await returningWithin(trx, assertion, coming.now)
  if (known !== undefined) return wouldOf({ outcome: 'known', user_uuid: known }, [])
  const { outcome, events } = await personWithin(trx, assertion, coming)
  return wouldOf(outcome, events)
}

function wouldOf(outcome: PersonOutcome, events: readonly AuditEvent[]): Would {
  const of = (kind: AuditEvent['kind']) => events.filter((one) => one.kind === kind)
  const isNew = of('person.provisioned').length > 0
  const user_uuid = outcome.outcome === 'known' && !isNew ? outcome.user_uuid : null
  return {
    outcome: isNew && outcome.outcome === 'known' ? 'new' : outcome.outcome,
    user_uuid,
    reason: outcome.outcome === 'refused' ? outcome.reason : addressRefusedIn(events),
    links: of('link.created').length > 0,
    changes: of('user.changed').flatMap(({ before = {}, after = {} }) =>
      Object.keys(after).map((field) => ({
        field,
        before: before[field] ?? null,
        after: after[field] ?? null,
      })),
    ),
    gives: of('profile.mapped').map(profileOf),
    ends: of('profile.unmapped').map(profileOf),
  }
}

/** The account stays as it is where its new address does not count. */
function addressRefusedIn(events: readonly AuditEvent[]): Would['reason'] {
  const reasons = events.map(({ kind, detail }) => (kind === 'link.refused' ? detail?.reason : undefined))
  return (['address_domain', 'address_taken'] as const).find((one) => reasons.includes(one)) ?? null
}

const profileOf = ({ organisation_uuid, detail }: AuditEvent): MappedProfile => ({
  organisation_uuid: organisation_uuid ?? null,
  role_code: String(detail?.role_code),
  unit_uuid: typeof detail?.unit_uuid === 'string' ? detail.unit_uuid : null,
})
