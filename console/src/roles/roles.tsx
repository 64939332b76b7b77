import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { answered, api } from '../api/client.ts'
import { useWords } from '../messages/messages.tsx'
import { Filter, Pages, Search, usePages } from '../shared/list.tsx'
import { useMay, useMe } from '../shared/me.ts'
import { byService, givesOf } from '../shared/permissions.ts'
import { Badge, Coded, Heading, Name } from '../shared/text.tsx'
import { AddRole } from './add.tsx'

const route = getRouteApi('/roles')

/** What roles there are, and of which services each gives something. */
export function Roles() {
  const words = useWords()
  const { role, person, status } = words
  const { q = '', service } = route.useSearch()
  const navigate = route.useNavigate()
  const { kind } = useMe().reach
  const pages = usePages(['roles', q, service], async (cursor) => {
    const query = { limit: '200', ...(q && { q }), ...(cursor && { cursor }) }
    const page = await answered(api.GET('/admin/v1/roles', { params: { query } }))
    return { ...page, items: page.items.filter((one) => service === undefined || givesOf(one, service)) }
  })
  const search = (change: { q?: string | undefined; service?: string | undefined }) =>
    void navigate({ search: (before) => ({ ...before, ...change }) as typeof before, replace: true })
  return (
    <>
      <div className="top">
        <Heading>{words.roles}</Heading>
        <AddRole />
      </div>
      <div className="filters">
        <Search
          label={role.search}
          hint={words.pick.role}
          value={q}
          onChange={(q) => search({ q: q || undefined })}
        />
        <Services value={service} onChange={(service) => search({ service })} />
      </div>
      {service !== undefined && (
        <p className="beside-link">
          <Link to="/services/$code/$part" params={{ code: service, part: 'roles' }}>
            {role.matrix}
          </Link>
        </p>
      )}
      {kind !== 'installation' && <p className="soft">{role.organisationOnly}</p>}
      <Pages
        pages={pages}
        label={words.roles}
        id={({ code }) => code}
        count={role.found}
        file={{ path: '/roles', query: { ...(q && { q }) } }}
        empty={
          q === '' && service === undefined
            ? { title: role.empty, how: role.emptyHow }
            : { title: person.noMatch(q || (service ?? '')), how: role.noMatchHow }
        }
        columns={[
          {
            title: role.name,
            plain: true,
            cell: ({ code, name }) => (
              <Coded code={code}>
                <Link className="strong" to="/roles/$code" params={{ code }}>
                  <Name>{name}</Name>
                </Link>
              </Coded>
            ),
          },
          {
            title: role.gives,
            cell: ({ permissions }) =>
              byService(permissions)
                .map(([of, codes]) => (codes.includes('iam.*') ? 'iam.*' : `${of} (${codes.length})`))
                .join(', ') || '–',
          },
          {
            title: role.state,
            plain: true,
            as: 'state',
            cell: ({ active }) => (
              <Badge tone={active ? 'good' : 'bad'}>{active ? status.active : status.disabled}</Badge>
            ),
          },
        ]}
      />
    </>
  )
}

function Services({
  value,
  onChange,
}: {
  value: string | undefined
  onChange: (value: string | undefined) => void
}) {
  const { role } = useWords()
  const may = useMay()
  const { data } = useQuery({
    queryKey: ['services', 'names'],
    enabled: may('iam.services.read'),
    queryFn: () => answered(api.GET('/admin/v1/services', { params: { query: { limit: '200' } } })),
  })
  if (data === undefined) return null
  const names = Object.fromEntries(data.items.map(({ code, name }) => [code, name]))
  return <Filter label={role.service} value={value} onChange={onChange} of={names} />
}
