import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { answered, api, type Organisation } from '../api/client.ts'
import { useWords } from '../messages/messages.tsx'
import { Pages, Search, usePages } from '../shared/list.tsx'
import { useMay } from '../shared/me.ts'
import { Name } from '../shared/text.tsx'
import type { UnitPlace } from './change.tsx'
import { State } from './state.tsx'

/** People with the profiles that they have in the organisation. */
function usePeople({ organisation, unit }: UnitPlace, q: string) {
  const may = useMay()
  const within = { organisation_uuid: organisation.uuid }
  return usePages(['organisation', organisation.uuid, 'people', unit?.uuid, q], async (cursor) => {
    const at = { ...within, ...(unit && { organisation_unit_uuid: unit.uuid }) }
    const query = { ...at, limit: '50', ...(q && { q }), ...(cursor && { cursor }) }
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

interface Held {
  uuid: string
  role_code: string
  place?: string | undefined
}

const alone = <U,>(user: U): { user: U; profiles: Held[] } => ({ user, profiles: [] })

/** The people who have a profile here or below. */
export function People({ at }: { at: UnitPlace }) {
  const { organisation: words, person } = useWords()
  const { q = '' } = useSearch({ strict: false })
  const navigate = useNavigate()
  const pages = usePeople(at, q)
  return (
    <>
      <div className="filters">
        <Search
          label={words.searchPeople}
          hint={person.hint}
          value={q}
          onChange={(q) => void navigate({ to: '.', search: { ...(q && { q }) }, replace: true })}
        />
      </div>
      <Pages
        pages={pages}
        label={words.people}
        id={({ user }) => user.uuid}
        count={person.found}
        empty={
          q === ''
            ? { title: words.noPeople, how: words.noPeopleHow }
            : { title: person.noMatch(q), how: person.noMatchHow }
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

/** Those that belong to the organisation, and so serve its people alone. */
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
