import type { components } from '../api/types.d.ts'
import { useWords } from '../messages/messages.tsx'
import { nameIn, type Names } from '../shared/names.ts'
import { Name } from '../shared/text.tsx'

type Holds = NonNullable<components['schemas']['UserPage']['items'][number]['holds']>

/** Profiles that a row shows; the person's own page has all. */
const most = 2

/** What somebody holds: each role with its place, and how many more there are. */
export function HoldsCell({ holds, names }: { holds?: Holds | undefined; names: Names }) {
  const { person } = useWords()
  const { profiles = [], more = 0 } = holds ?? {}
  if (profiles.length === 0) return <span className="soft">–</span>
  const rest = more + Math.max(0, profiles.length - most)
  return (
    <ul className="plain">
      {profiles.slice(0, most).map((one) => (
        <li key={one.uuid} className={one.active ? undefined : 'soft'}>
          <Name>{one.role_name}</Name>
          <span className="soft">
            {' · '}
            <Name>{placeOf(one, names) ?? person.everywhere}</Name>
          </span>
        </li>
      ))}
      {rest > 0 && <li className="soft">{person.moreHeld(rest)}</li>}
    </ul>
  )
}

function placeOf(
  { organisation_uuid: organisation, organisation_unit_uuid: unit }: Holds['profiles'][number],
  names: Names,
): string | undefined {
  if (organisation === null) return undefined
  return [organisation, unit]
    .flatMap((uuid) => (uuid === null ? [] : (nameIn(names, uuid) ?? '…')))
    .join(' › ')
}
