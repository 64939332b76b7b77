import { useQuery } from '@tanstack/react-query'
import { Link, Outlet, useParams } from '@tanstack/react-router'
import { answered, api, type Organisation as Shape, type Unit, withTag } from '../api/client.ts'
import { useWords } from '../messages/messages.tsx'
import { useMay, useMe } from '../shared/me.ts'
import { Shown } from '../shared/state.tsx'
import { Name } from '../shared/text.tsx'
import { Tree } from './tree.tsx'
import './organisations.css'

export const useOrganisation = (uuid: string) =>
  useQuery({
    queryKey: ['organisation', uuid],
    queryFn: () => withTag(api.GET('/admin/v1/organisations/{uuid}', { params: { path: { uuid } } })),
  })

/** A unit with those above it, from the top, as far as one reaches; without one: none. */
function useAbove(unit: string | undefined) {
  const { organisation_unit_uuid: own } = useMe().reach
  return useQuery({
    queryKey: ['unit', unit, 'above'],
    enabled: unit !== undefined,
    placeholderData: (before) => before,
    queryFn: async () => {
      const units: Unit[] = []
      for (let next: string | null = unit ?? null; next !== null; ) {
        const path = { uuid: next }
        const one: Unit = await answered(api.GET('/admin/v1/units/{uuid}', { params: { path } }))
        units.unshift(one)
        next = one.uuid === own ? null : one.parent_uuid
      }
      return units
    },
  })
}

/** An organisation's units as a tree, beside the one that is looked at. */
export function Organisation() {
  const { uuid = '', unit } = useParams({ strict: false })
  const { organisations } = useWords()
  const may = useMay()
  const asked = useOrganisation(uuid)
  const above = useAbove(unit).data ?? []
  return (
    <Shown asked={asked} page={{ name: organisations, to: '/organisations' }}>
      {({ data: organisation }) => (
        <>
          <Crumbs organisation={organisation} above={above} />
          {may('iam.units.read') ? (
            <div className="where">
              <Tree organisation={organisation} above={above} />
              <div>
                <Outlet />
              </div>
            </div>
          ) : (
            <Outlet />
          )}
        </>
      )}
    </Shown>
  )
}

function Crumbs({ organisation: { uuid, name }, above }: { organisation: Shape; above: readonly Unit[] }) {
  const words = useWords()
  const { organisation_uuid: own } = useMe().reach
  const last = above.length - 1
  return (
    <nav className="crumbs" aria-label={words.organisations}>
      {own === null && <Link to="/organisations">{words.organisations}</Link>}
      {last >= 0 && (
        <Link to="/organisations/$uuid" params={{ uuid }}>
          <Name>{name}</Name>
        </Link>
      )}
      {above.slice(0, last).map((one) => (
        <Link key={one.uuid} to="/organisations/$uuid/units/$unit" params={{ uuid, unit: one.uuid }}>
          <Name>{one.name}</Name>
        </Link>
      ))}
    </nav>
  )
}
