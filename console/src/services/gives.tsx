import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { answered, api } from '../api/client.ts'
import { useWords } from '../messages/messages.tsx'
import { everyPage, type PageQuery } from '../shared/every-page.ts'
import { Pages, usePages } from '../shared/list.tsx'
import { givesOf } from '../shared/permissions.ts'
import { Name } from '../shared/text.tsx'

/** All roles that give something of a service. */
export const useGivingRoles = (code: string) =>
  useQuery({
    queryKey: ['service', code, 'giving'],
    queryFn: async () => {
      const ask = (query: PageQuery) => answered(api.GET('/admin/v1/roles', { params: { query } }))
      return (await everyPage(ask)).filter((one) => givesOf(one, code))
    },
  })

/** The roles that give something of a service. */
export function Roles({ code }: { code: string }) {
  const { service, role } = useWords()
  const pages = usePages(['service', code, 'roles'], async (cursor) => {
    const query = { limit: '200', ...(cursor && { cursor }) }
    const page = await answered(api.GET('/admin/v1/roles', { params: { query } }))
    return { ...page, items: page.items.filter((one) => givesOf(one, code)) }
  })
  return (
    <section>
      <h2>{service.roles}</h2>
      <Pages
        pages={pages}
        label={service.roles}
        id={(one) => one.code}
        empty={{ title: service.noRole }}
        columns={[
          {
            title: role.name,
            plain: true,
            cell: (one) => (
              <Link className="strong" to="/roles/$code" params={{ code: one.code }}>
                <Name>{one.name}</Name>
              </Link>
            ),
          },
          {
            title: role.gives,
            plain: true,
            cell: ({ permissions }) => {
              const given = permissions.filter((one) => one.startsWith(`${code}.`))
              return given.includes('iam.*') ? <code>iam.*</code> : role.count(given.length)
            },
          },
        ]}
      />
    </section>
  )
}

/** The applications that may ask for it. */
export function Applications({ code }: { code: string }) {
  const { service, application } = useWords()
  const pages = usePages(['service', code, 'applications'], (cursor) => {
    const query = { service: code, ...(cursor && { cursor }) }
    return answered(api.GET('/admin/v1/clients', { params: { query } }))
  })
  return (
    <section>
      <h2>{service.applications}</h2>
      <Pages
        pages={pages}
        label={service.applications}
        id={({ client_id: id }) => id}
        empty={{ title: service.noApplication }}
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
        ]}
      />
    </section>
  )
}
