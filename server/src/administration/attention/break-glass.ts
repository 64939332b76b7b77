import { demandedOf } from '../../store/demanded.ts'
import { asNamed, entriesInto, entryProfilesOf } from '../../store/gets-in.ts'
import { installationBreakGlass } from '../../store/break-glass.ts'
import { inActiveOrganisation } from '../../store/usable.ts'
import { type Finder, mostFound } from './finder.ts'
import { ownedWithin } from './things.ts'

/** Organisations, and the installation, whose working upstream a policy demands, and that nobody gets into without it. */
export const missingBreakGlass: Finder = async ({ store: { db } }, { authority, now }) => {
  const working = await db
    .selectFrom('upstreams as owned')
    .innerJoin('upstream_states as state', 'state.upstream_uuid', 'owned.uuid')
    .leftJoin('organisations', 'organisations.uuid', 'owned.organisation_uuid')
    .select(['organisations.uuid', 'organisations.name', 'organisations.break_glass'])
    .distinct()
    .where('owned.active', '=', 1)
    .where('state.last_sign_in_at', 'is not', null)
    .where(inActiveOrganisation('owned'))
    .where(ownedWithin(authority))
    .orderBy('organisations.name')
    .execute()
  if (working.length === 0) return []
  const demanded = await demandedOf(
    db,
    working.map(({ uuid }) => uuid),
  )
  const forced = working.filter(({ uuid }) => demanded.includes(uuid))
  const { people } = await installationBreakGlass(db)
  const named = forced.map(({ uuid, break_glass }) =>
    uuid === null ? { organisation_uuid: null, people } : asNamed({ uuid, break_glass: break_glass ?? '[]' }),
  )
  const profiles = await entryProfilesOf(db, named, now)
  return forced
    .filter((_, at) => named[at] !== undefined && entriesInto(named[at], profiles).length === 0)
    .slice(0, mostFound + 1)
    .map(({ uuid, name }) => ({
      target:
        uuid === null
          ? { kind: 'break_glass', id: 'installation', name: 'The installation' }
          : { kind: 'organisation', id: uuid, name: name ?? '' },
      since: null,
    }))
}
