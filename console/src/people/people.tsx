import { getRouteApi, Link } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { answered, api, type User } from '../api/client.ts'
import { useWords } from '../messages/messages.tsx'
import { Filter, Pages, Search, usePages } from '../shared/list.tsx'
import { useMay, useMe } from '../shared/me.ts'
import { OrganisationPicker, RolePicker } from '../shared/pickers.tsx'
import {
  askedBySignIn,
  OrderChoice,
  SinceFilter,
  SinceHint,
  sinceOf,
  sortOf,
  useSignInColumn,
} from '../shared/signed-in.tsx'
import { SavedViews } from '../shared/saved-views.tsx'
import { Badge, Name, Time } from '../shared/text.tsx'
import { useBulkActions } from './bulk-actions.ts'
import { HoldsCell } from './holds.tsx'
import { isNobody, useSelectColumn, useSelection } from './select.tsx'
import { Invite, PeopleTop } from './top.tsx'

const route = getRouteApi('/people')
/** The bar and its dialogs are loaded when somebody is selected first. */
const BulkBar = lazy(async () => ({ default: (await import('./bulk.tsx')).BulkBar }))
type PeopleSearch = ReturnType<typeof route.useSearch>

export function People() {
  const words = useWords()
  const view = route.useSearch()
  const { q = '', active, organisation, role, sort } = view
  const since = sinceOf(view.since)
  const navigate = route.useNavigate()
  const search = (change: PeopleSearch) =>
    void navigate({ search: (before) => ({ ...before, ...change }), replace: true })
  const state: 'true' | 'false' | undefined = active === 'true' || active === 'false' ? active : undefined
  const asked = {
    ...(q && { q }),
    ...(state && { active: state }),
    ...(organisation && { organisation_uuid: organisation }),
    ...(role && { role_code: role }),
    ...askedBySignIn(view, q),
  }
  const mayReadProfiles = useMay()('iam.profiles.read')
  const pages = usePages(['people', asked], async (cursor) => {
    const include = mayReadProfiles ? { include: 'names,profiles' } : {}
    const query = { limit: '50', ...asked, ...include, ...(cursor && { cursor }) }
    const page = await answered(api.GET('/admin/v1/users', { params: { query } }))
    return { ...page, items: page.items.map((user) => ({ ...user, names: page.names })) }
  })
  const actions = useBulkActions()
  const rows = pages.data?.pages.flatMap(({ items }) => items) ?? []
  const selection = useSelection(asked, rows, pages.hasNextPage)
  const selecting = useSelectColumn(selection)
  const signedIn = useSignInColumn(sortOf(sort), q === '' ? (sort) => search({ sort }) : undefined)
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
        <SinceFilter value={since} searching={q !== ''} onChange={(since) => search({ since })} />
        <OrderChoice sort={sort} searching={q !== ''} onChange={(sort) => search({ sort })} />
      </div>
      <SinceHint since={since} sort={sort} searching={q !== ''} />
      <SavedViews list="people" view={view} />
      <Pages
        pages={pages}
        label={words.people}
        id={({ uuid }) => uuid}
        count={person.found}
        file={{ path: '/users', query: asked }}
        empty={
          Object.keys(asked).length === 0
            ? { title: person.empty, how: person.emptyHow, action: <Invite /> }
            : { title: q === '' ? person.noneSo : person.noMatch(q), how: person.noMatchHow }
        }
        columns={[
          ...(actions.length > 0 ? [selecting] : []),
          { title: person.name, plain: true, cell: (user) => <PersonLink {...user} /> },
          ...(mayReadProfiles
            ? [{ title: person.holds, cell: (user: Listed) => <HoldsCell {...user} /> }]
            : []),
          signedIn,
          { title: person.state, plain: true, as: 'state', cell: (user) => <PersonState user={user} /> },
          { title: person.added, cell: ({ created_at }) => <Time at={created_at} /> },
        ]}
      />
      {!isNobody(selection) && (
        <Suspense>
          <BulkBar {...{ selection, actions }} filter={asked} />
        </Suspense>
      )}
    </>
  )
}

type Listed = User & Parameters<typeof HoldsCell>[0]

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

const PersonLink = ({ uuid, name, email }: User) => (
  <>
    <Link className="strong" to="/people/$uuid" params={{ uuid }}>
      <Name>{name}</Name>
    </Link>
    <br />
    <span className="soft">
      <Name>{email}</Name>
    </span>
  </>
)

export function PersonState({ user }: { user: User }) {
  const { status } = useWords()
  return <Badge tone={user.active ? 'good' : 'bad'}>{user.active ? status.active : status.disabled}</Badge>
}
