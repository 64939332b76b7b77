import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { answered, api } from '../api/client.ts'
import { useWords } from '../messages/messages.tsx'
import { Pages, usePages } from '../shared/list.tsx'
import { Table } from '../shared/table.tsx'
import { useMay } from '../shared/me.ts'
import { givesOf, usePermissions } from '../shared/permissions.ts'
import { Permission } from '../shared/permission.tsx'
import { Empty, Shown } from '../shared/state.tsx'
import { Badge, CopyRow, Fact, Heading, Name } from '../shared/text.tsx'
import { Snippet } from './snippet.tsx'

/** What is protected: the permissions of a service, and who comes by them. */
export function Service() {
  const { code = '' } = useParams({ strict: false })
  const words = useWords()
  const { service: own, status } = words
  const may = useMay()
  const asked = useQuery({
    queryKey: ['service', code],
    queryFn: () => answered(api.GET('/admin/v1/services/{code}', { params: { path: { code } } })),
  })
  return (
    <Shown asked={asked} page={{ name: words.services, to: '/services' }}>
      {(service) => (
        <>
          <nav className="crumbs" aria-label={words.services}>
            <Link to="/services">{words.services}</Link>
          </nav>
          <div className="top">
            <Heading>{service.name}</Heading>
            {service.managed_by && <Badge tone="plain">{status.managed(service.managed_by)}</Badge>}
            {service.built_in && <Badge tone="plain">{own.builtIn}</Badge>}
          </div>
          <p className="lead">{service.built_in ? own.unchanged : own.changed}</p>
          <div className="halves">
            <div>
              {may('iam.permissions.read') && <Permissions code={code} />}
              {may('iam.roles.read') && <Roles code={code} />}
              {may('iam.clients.read') && <Applications code={code} />}
            </div>
            <section className="card" aria-label={service.name}>
              <dl>
                <CopyRow label={words.organisation.code} value={code} />
                <CopyRow label={own.audience} value={service.audience} />
                <Fact label={own.alg}>{service.access_token_alg}</Fact>
                <Fact label={own.typ}>{service.access_token_typ}</Fact>
              </dl>
            </section>
          </div>
          {!service.built_in && <Snippet service={service} />}
        </>
      )}
    </Shown>
  )
}

function Permissions({ code }: { code: string }) {
  const { service } = useWords()
  return (
    <section>
      <h2>{service.permissions}</h2>
      <Shown asked={usePermissions(code)}>
        {(permissions) =>
          permissions.length === 0 ? (
            <Empty title={service.noPermission} />
          ) : (
            <Table
              label={service.permissions}
              rows={permissions}
              id={(one) => one.code}
              columns={[
                { title: service.permission, plain: true, cell: ({ code }) => <Permission code={code} /> },
                {
                  title: service.meaning,
                  plain: true,
                  cell: ({ description }) => <Name>{description}</Name>,
                },
              ]}
            />
          )
        }
      </Shown>
    </section>
  )
}

function Roles({ code }: { code: string }) {
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

function Applications({ code }: { code: string }) {
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
