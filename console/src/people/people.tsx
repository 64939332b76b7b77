import { getRouteApi, Link } from '@tanstack/react-router'
import { answered, api, type User } from '../api/client.ts'
import { useWords } from '../messages/messages.tsx'
import { Filter, Pages, Search, usePages } from '../shared/list.tsx'
import { useMay, useMe } from '../shared/me.ts'
import { OrganisationPicker, RolePicker } from '../shared/pickers.tsx'
import { Badge, Name, Time } from '../shared/text.tsx'
import { BulkBar, useBulkActions } from './bulk.tsx'
import { useSelectColumn, useSelection } from './select.tsx'
import { Invite, PeopleTop } from './top.tsx'

const route = getRouteApi('/people')
type PeopleSearch = ReturnType<typeof route.useSearch>

export function People() {
  const words = useWords()
  const { q = '', active, organisation, role } = route.useSearch()
  const navigate = route.useNavigate()
  const search = (change: PeopleSearch) =>
    void navigate({ search: (before) => ({ ...before, ...change }), replace: true })
  const state: 'true' | 'false' | undefined = active === 'true' || active === 'false' ? active : undefined
  const asked = {
    ...(q && { q }),
    ...(state && { active: state }),
    ...(organisation && { organisation_uuid: organisation }),
    ...(role && { role_code: role }),
  }
  const pages = usePages(['people', asked], (cursor) => {
    const query = { limit: '50', ...asked, ...(cursor && { cursor }) }
    return answered(api.GET('/admin/v1/users', { params: { query } }))
  })
  const actions = useBulkActions()
  const rows = pages.data?.pages.flatMap(({ items }) => items) ?? []
  const selection = useSelection(asked, rows, pages.hasNextPage)
  const selecting = useSelectColumn(selection)
  const { person, status } = words
  return (
    <>
      <PeopleTop />
      <div className="filters">
        <Search
          label={person.search}
          hint={person.hint}
          value={q}
          onChange={(q) => search({ q: q || undefined })}
        />
        <Filter
          label={person.state}
          value={state}
          onChange={(active) => search({ active })}
          of={{ true: status.active, false: status.disabled }}
        />
        <Held organisation={organisation} role={role} choose={search} />
      </div>
      <Pages
        pages={pages}
        label={words.people}
        id={({ uuid }) => uuid}
        count={person.found}
        empty={
          Object.keys(asked).length === 0
            ? { title: person.empty, how: person.emptyHow, action: <Invite /> }
            : { title: q === '' ? person.noneSo : person.noMatch(q), how: person.noMatchHow }
        }
        columns={[
          ...(actions.length > 0 ? [selecting] : []),
          { title: person.name, plain: true, cell: (user) => <PersonLink {...user} /> },
          { title: person.email, plain: true, cell: ({ email }) => <Name>{email}</Name> },
          { title: person.state, plain: true, as: 'state', cell: (user) => <PersonState user={user} /> },
          { title: person.added, cell: ({ created_at }) => <Time at={created_at} /> },
        ]}
      />
      <BulkBar {...{ selection, actions }} filter={asked} />
    </>
  )
}

/** Filters for what people hold and where. An administrator of one organisation has no other to choose. */
function Held({
  organisation,
  role,
  choose,
}: {
  organisation: string | undefined
  role: string | undefined
  choose: (change: PeopleSearch) => void
}) {
  const { profile } = useWords()
  const may = useMay()
  const { reach } = useMe()
  return (
    <>
      {reach.kind === 'installation' && may('iam.organisations.read') && (
        <OrganisationPicker
          bare
          label={profile.organisation}
          hint={profile.organisation}
          value={organisation}
          onChange={(organisation) => choose({ organisation })}
        />
      )}
      {may('iam.roles.read') && may('iam.profiles.read') && (
        <RolePicker
          bare
          label={profile.role}
          hint={profile.role}
          value={role}
          onChange={(role) => choose({ role })}
        />
      )}
    </>
  )
}

const PersonLink = ({ uuid, name }: User) => (
  <Link className="strong" to="/people/$uuid" params={{ uuid }}>
    <Name>{name}</Name>
  </Link>
)

export function PersonState({ user }: { user: User }) {
  const { status } = useWords()
  return <Badge tone={user.active ? 'good' : 'bad'}>{user.active ? status.active : status.disabled}</Badge>
}
