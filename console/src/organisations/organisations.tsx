import { getRouteApi, Link, Navigate } from '@tanstack/react-router'
import { answered, api, type Organisation } from '../api/client.ts'
import { useWords } from '../messages/messages.tsx'
import { Filter, Pages, Search, usePages } from '../shared/list.tsx'
import { useMe } from '../shared/me.ts'
import { SavedViews } from '../shared/saved-views.tsx'
import { Heading, Name } from '../shared/text.tsx'
import { AddOrganisation } from './add.tsx'
import { State } from './state.tsx'

const route = getRouteApi('/organisations')
type OrganisationSearch = ReturnType<typeof route.useSearch>

/** An administrator of one organisation has no other to choose from. */
export function Organisations() {
  const { organisation_uuid: uuid, organisation_unit_uuid: unit } = useMe().reach
  if (uuid === null) return <All />
  if (unit === null) return <Navigate to="/organisations/$uuid" params={{ uuid }} replace />
  return <Navigate to="/organisations/$uuid/units/$unit" params={{ uuid, unit }} replace />
}

function All() {
  const words = useWords()
  const { organisation, person, records, status } = words
  const view = route.useSearch()
  const { q = '', active } = view
  const navigate = route.useNavigate()
  const search = (change: OrganisationSearch) =>
    void navigate({ search: (before) => ({ ...before, ...change }), replace: true })
  const state: 'true' | 'false' | undefined = active === 'true' || active === 'false' ? active : undefined
  const narrowed = { ...(q && { q }), ...(state && { active: state }) }
  const pages = usePages(['organisations', q, state], (cursor) => {
    const query = { limit: '50', ...narrowed, ...(cursor && { cursor }) }
    return answered(api.GET('/admin/v1/organisations', { params: { query } }))
  })
  return (
    <>
      <div className="top">
        <Heading>{words.organisations}</Heading>
        <AddOrganisation />
      </div>
      <div className="filters">
        <Search
          label={organisation.search}
          hint={organisation.hint}
          value={q}
          onChange={(q) => search({ q: q || undefined })}
        />
        <Filter
          label={organisation.state}
          value={state}
          onChange={(active) => search({ active })}
          of={{ true: status.active, false: status.disabled }}
        />
      </div>
      <SavedViews list="organisations" view={view} />
      <Pages
        pages={pages}
        label={words.organisations}
        id={({ uuid }) => uuid}
        count={organisation.found}
        file={{ path: '/organisations', query: narrowed }}
        empty={
          Object.keys(narrowed).length === 0
            ? { title: organisation.empty, how: organisation.emptyHow, action: <AddOrganisation /> }
            : { title: q === '' ? records.nothing : person.noMatch(q), how: organisation.noMatchHow }
        }
        columns={[
          { title: organisation.name, plain: true, cell: (one) => <OrganisationLink {...one} /> },
          { title: organisation.code, as: 'whole', cell: ({ code }) => <code translate="no">{code}</code> },
          { title: organisation.state, plain: true, as: 'whole', cell: (one) => <State {...one} /> },
        ]}
      />
    </>
  )
}

const OrganisationLink = ({ uuid, name }: Organisation) => (
  <Link className="strong" to="/organisations/$uuid" params={{ uuid }}>
    <Name>{name}</Name>
  </Link>
)
