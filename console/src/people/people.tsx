import { getRouteApi, Link } from '@tanstack/react-router'
import { answered, api, type User } from '../api/client.ts'
import { useWords } from '../messages/messages.tsx'
import { Filter, Pages, Search, usePages } from '../shared/list.tsx'
import { Badge, Name, Time } from '../shared/text.tsx'
import { Invite, PeopleTop } from './top.tsx'

const route = getRouteApi('/people')
type Search = ReturnType<typeof route.useSearch>

export function People() {
  const words = useWords()
  const { q = '', active } = route.useSearch()
  const navigate = route.useNavigate()
  const search = (change: Search) =>
    void navigate({ search: (before) => ({ ...before, ...change }), replace: true })
  const state = active === 'true' || active === 'false' ? active : undefined
  const pages = usePages(['people', q, state], (cursor) =>
    answered(
      api.GET('/admin/v1/users', {
        params: {
          query: { limit: '50', ...(q && { q }), ...(state && { active: state }), ...(cursor && { cursor }) },
        },
      }),
    ),
  )
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
      </div>
      <Pages
        pages={pages}
        label={words.people}
        id={({ uuid }) => uuid}
        count={person.found}
        empty={
          q === ''
            ? { title: person.empty, how: person.emptyHow, action: <Invite /> }
            : { title: person.noMatch(q), how: person.noMatchHow }
        }
        columns={[
          { title: person.name, plain: true, cell: (user) => <PersonLink {...user} /> },
          { title: person.email, plain: true, cell: ({ email }) => <Name>{email}</Name> },
          { title: person.state, plain: true, cell: (user) => <PersonState user={user} /> },
          { title: person.added, cell: ({ created_at }) => <Time at={created_at} /> },
        ]}
      />
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
