import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { answered, api, type Organisation } from '../api/client.ts'
import { useWords } from '../messages/messages.tsx'
import { Pages, Search, usePages } from '../shared/list.tsx'
import { useMay } from '../shared/me.ts'
import {
  askedBySignIn,
  OrderChoice,
  SinceFilter,
  SinceHint,
  sinceOf,
  sortOf,
  type SignInView,
  useSignInColumn,
} from '../shared/signed-in.tsx'
import { Name } from '../shared/text.tsx'
import type { UnitPlace } from './change.tsx'
import { State } from './state.tsx'

/** People with the profiles that they have in the organisation. */
function usePeople(at: UnitPlace, q: string, view: SignInView) {
  const { organisation, unit } = at
  const may = useMay()
  const within = { organisation_uuid: organisation.uuid }
  return usePages(['organisation', organisation.uuid, 'people', unit?.uuid, q, view], async (cursor) => {
    const query = { ...askedOf(at, q, view), limit: '50', ...(cursor && { cursor }) }
    const page = await answered(api.GET('/admin/v1/users', { params: { query } }))
    const people = page.items.map(({ uuid }) => uuid).join(',')
    if (people === '' || !may('iam.profiles.read')) return { ...page, items: page.items.map(alone) }
    const asked = { ...within, user_uuid: people, limit: '200', include: 'names' }
    const held = await answered(api.GET('/admin/v1/profiles', { params: { query: asked } }))
    const profiles = held.items.map((one) => ({
      ...one,
      place: held.names?.[one.organisation_unit_uuid ?? '']?.name,
    }))
    const items = page.items.map((user) => ({
      user,
      profiles: profiles.filter((one) => one.user_uuid === user.uuid),
    }))
    return { ...page, items }
  })
}

/** What is set stands in the address. */
const narrowedBy = ({ q, since, sort }: SignInView & { q?: string | undefined }) => ({
  ...(q && { q }),
  ...(since && { since }),
  ...(sort && { sort }),
})

const askedOf = ({ organisation, unit }: UnitPlace, q: string, view: SignInView) => ({
  organisation_uuid: organisation.uuid,
  ...(unit && { organisation_unit_uuid: unit.uuid }),
  ...(q && { q }),
  ...askedBySignIn(view, q),
})

interface Held {
  uuid: string
  role_code: string
  place?: string | undefined
}

const alone = <U,>(user: U): { user: U; profiles: Held[] } => ({ user, profiles: [] })

/** The people who have a profile here or below. */
export function People({ at }: { at: UnitPlace }) {
  const { organisation: words, person } = useWords()
  const { q = '', since: asked, sort } = useSearch({ strict: false })
  const since = sinceOf(asked)
  const navigate = useNavigate()
  const pages = usePeople(at, q, { since, sort })
  const search = (change: SignInView & { q?: string | undefined }) =>
    void navigate({
      to: '.',
      search: narrowedBy({ q: q || undefined, since, sort, ...change }),
      replace: true,
    })
  const { cell, ...signedIn } = useSignInColumn(
    sortOf(sort),
    q === '' ? (sort) => search({ sort }) : undefined,
  )
  return (
    <>
      <div className="filters">
        <Search
          label={words.searchPeople}
          hint={person.hint}
          value={q}
          onChange={(q) => search({ q: q || undefined })}
        />
        <SinceFilter value={since} searching={q !== ''} onChange={(since) => search({ since })} />
        <OrderChoice sort={sort} searching={q !== ''} onChange={(sort) => search({ sort })} />
      </div>
      <SinceHint since={since} sort={sort} searching={q !== ''} />
      <Pages
        pages={pages}
        label={words.people}
        id={({ user }) => user.uuid}
        count={person.found}
        file={{ path: '/users', query: askedOf(at, q, { since, sort }) }}
        empty={
          q === '' && since === undefined
            ? { title: words.noPeople, how: words.noPeopleHow }
            : { title: q === '' ? person.noneSo : person.noMatch(q), how: person.noMatchHow }
        }
        columns={[
          {
            title: person.name,
            plain: true,
            cell: ({ user: { uuid, name, email } }) => (
              <>
                <Link className="strong" to="/people/$uuid" params={{ uuid }}>
                  <Name>{name}</Name>
                </Link>
                <br />
                <span className="soft">
                  <Name>{email}</Name>
                </span>
              </>
            ),
          },
          { title: words.roles, cell: ({ profiles }) => <Roles profiles={profiles} /> },
          { ...signedIn, cell: ({ user }) => cell(user) },
          {
            title: person.state,
            plain: true,
            as: 'state',
            cell: ({ user }) => <State active={user.active} />,
          },
        ]}
      />
    </>
  )
}

function Roles({ profiles }: { profiles: readonly Held[] }) {
  return (
    <ul className="plain">
      {profiles.map(({ uuid, role_code: role, place }) => (
        <li key={uuid}>
          <code translate="no">{role}</code>
          {place !== undefined && (
            <span className="soft">
              {' · '}
              <Name>{place}</Name>
            </span>
          )}
        </li>
      ))}
    </ul>
  )
}

/** Applications of the organisation, which serve its people alone. */
export function Applications({ organisation: { uuid } }: { organisation: Organisation }) {
  const { organisation: words, application } = useWords()
  const pages = usePages(['organisation', uuid, 'applications'], (cursor) => {
    const query = { organisation_uuid: uuid, ...(cursor && { cursor }) }
    return answered(api.GET('/admin/v1/clients', { params: { query } }))
  })
  return (
    <>
      <h2>{words.applications}</h2>
      <Pages
        pages={pages}
        label={words.applications}
        id={({ client_id: id }) => id}
        empty={{ title: words.noApplications, how: words.noApplicationsHow }}
        columns={[
          {
            title: application.name,
            plain: true,
            cell: ({ client_id: id, client_name: name }) => (
              <Link className="strong" to="/applications/$id" params={{ id }}>
                <Name>{name}</Name>
              </Link>
            ),
          },
          { title: application.type, plain: true, cell: ({ type }) => application.types[type] },
          { title: application.state, plain: true, cell: ({ active }) => <State active={active} /> },
        ]}
      />
    </>
  )
}
