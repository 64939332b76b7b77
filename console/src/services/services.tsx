import { getRouteApi, Link } from '@tanstack/react-router'
import { answered, api } from '../api/client.ts'
import { useWords } from '../messages/messages.tsx'
import { Pages, Search, usePages } from '../shared/list.tsx'
import { Badge, Coded, Heading, Name } from '../shared/text.tsx'
import { AddService } from './add.tsx'

const route = getRouteApi('/services')

export function Services() {
  const words = useWords()
  const { service, person, status } = words
  const { q = '' } = route.useSearch()
  const navigate = route.useNavigate()
  const pages = usePages(['services', q], (cursor) => {
    const query = { limit: '50', ...(q && { q }), ...(cursor && { cursor }) }
    return answered(api.GET('/admin/v1/services', { params: { query } }))
  })
  return (
    <>
      <div className="top">
        <Heading>{words.services}</Heading>
        <AddService />
      </div>
      <div className="filters">
        <Search
          label={service.search}
          hint={words.pick.role}
          value={q}
          onChange={(q) => void navigate({ search: { ...(q && { q }) }, replace: true })}
        />
      </div>
      <Pages
        pages={pages}
        label={words.services}
        id={({ code }) => code}
        count={service.found}
        file={{ path: '/services', query: { ...(q && { q }) } }}
        empty={
          q === ''
            ? { title: service.empty, how: service.emptyHow }
            : { title: person.noMatch(q), how: service.noMatchHow }
        }
        columns={[
          {
            title: service.name,
            plain: true,
            cell: ({ code, name }) => (
              <Coded code={code}>
                <Link className="strong" to="/services/$code" params={{ code }}>
                  <Name>{name}</Name>
                </Link>
              </Coded>
            ),
          },
          { title: service.audience, cell: ({ audience }) => <code translate="no">{audience}</code> },
          {
            title: service.origin,
            plain: true,
            cell: ({ built_in: builtIn, managed_by: file }) =>
              builtIn ? (
                <Badge tone="plain">{service.builtIn}</Badge>
              ) : (
                file && <Badge tone="plain">{status.managed(file)}</Badge>
              ),
          },
        ]}
      />
    </>
  )
}
