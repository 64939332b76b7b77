/** Whether a file leaves somebody who gets in when an upstream does not work, as writing it would ask. */
import { Access } from '../access/permitted.ts'
import { byKey } from '../access/by-key.ts'
import { demandedAmong, demandedBy } from '../store/demanded.ts'
import { installationPeople } from '../store/break-glass.ts'
import { asNamed, type NamedEntries, type NamedPeople, reachesLevel2, refuseLost } from '../store/gets-in.ts'
import type { DeclaredState, NamedFactors } from './state.ts'

interface Between {
  before: DeclaredState
  after: DeclaredState
  factors: NamedFactors
  /** People whose factors end, because the account is somebody else's from now on. */
  adopted: readonly string[]
  now: number
}

/** Throws `NobodyGetsIn`. */
export function keepBreakGlass({ before, after, factors, adopted, now }: Between): void {
  const left = new Map([...factors].filter(([user]) => !adopted.includes(user)))
  const had = entriesOf(before, factors, now)
  const places = had.named.map((one) => one.organisation_uuid)
  refuseLost(had, entriesOf(after, left, now), demandedAmong(places, demandedBy(after), after.upstreams))
}

const namedIn = ({ installation, organisations }: DeclaredState): NamedPeople[] => [
  { organisation_uuid: null, people: installationPeople(installation) },
  ...organisations
    .filter(({ active }) => active === 1)
    .map(({ uuid, break_glass = '[]' }) => asNamed({ uuid, break_glass })),
]

function entriesOf(state: DeclaredState, factors: NamedFactors, now: number): NamedEntries {
  const named = namedIn(state)
  const people = new Set(named.flatMap((one) => one.people))
  const users = byKey(state.users, ({ uuid }) => uuid)
  const access = new Access(state, { now, moved: [] })
  const profiles = state.profiles.filter((one) => {
    const user = users.get(one.user_uuid)
    if (user === undefined || !people.has(user.uuid)) return false
    return access.counts(one) && reachesLevel2(user, factors.get(user.uuid) ?? [])
  })
  return { named, profiles }
}
