import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { guarded } from '../api/change.ts'
import { answered, api, type Permission, type Service } from '../api/client.ts'
import { useWords } from '../messages/messages.tsx'
import { Confirmation, Opening } from '../shared/dialog.tsx'
import { everyPage, type PageQuery } from '../shared/every-page.ts'
import { useMay } from '../shared/me.ts'
import { Name } from '../shared/text.tsx'
import { usePermission } from './describe.tsx'

/** Takes a permission away for good: from its service, the roles that give it and the applications that list it. */
export function Retire({ permission: { code }, service }: { permission: Permission; service: Service }) {
  const { service: words } = useWords()
  return (
    <Opening quiet danger label={words.retire} title={words.retireTitle(code)}>
      {(close) => <Retiring {...{ code, service, close }} />}
    </Opening>
  )
}

function Retiring({ code, service, close }: { code: string; service: Service; close: () => void }) {
  const { service: words } = useWords()
  const { data } = usePermission(code)
  return (
    <Confirmation
      danger
      label={words.retire}
      name={code}
      file={service.managed_by}
      what={['retire', code, data?.tag]}
      ask={
        data &&
        (({ query }) =>
          api.DELETE('/admin/v1/permissions/{code}', {
            params: { path: { code }, query, header: guarded(data.tag, service.managed_by) },
          }))
      }
      close={close}
      done={close}
    >
      <p>{words.retireWhat}</p>
      <NamedBy code={code} service={service.code} />
    </Confirmation>
  )
}

/** The roles that give it and the applications that list it: it is taken from each. */
function NamedBy({ code, service }: { code: string; service: string }) {
  const { service: words } = useWords()
  const may = useMay()
  const { data: roles } = useQuery({
    queryKey: ['permission', code, 'roles'],
    enabled: may('iam.roles.read'),
    queryFn: async () => {
      const ask = (query: PageQuery) => answered(api.GET('/admin/v1/roles', { params: { query } }))
      return (await everyPage(ask)).filter(({ permissions }) => permissions.includes(code))
    },
  })
  const { data: applications } = useQuery({
    queryKey: ['permission', code, 'applications'],
    enabled: may('iam.clients.read'),
    queryFn: async () => {
      const ask = (query: PageQuery) =>
        answered(api.GET('/admin/v1/clients', { params: { query: { ...query, service } } }))
      return (await everyPage(ask)).filter(
        ({ permissions, allowed }) => permissions?.includes(code) || allowed?.permissions?.includes(code),
      )
    },
  })
  return (
    <dl>
      <Names label={words.namedByRoles}>
        {roles?.map((one) => (
          <Link key={one.code} to="/roles/$code" params={{ code: one.code }}>
            <Name>{one.name}</Name>
          </Link>
        ))}
      </Names>
      <Names label={words.namedByApplications}>
        {applications?.map(({ client_id: id, client_name: name }) => (
          <Link key={id} to="/applications/$id" params={{ id }}>
            <Name>{name}</Name>
          </Link>
        ))}
      </Names>
    </dl>
  )
}

function Names({ label, children }: { label: string; children: ReactNode[] | undefined }) {
  const { none } = useWords()
  if (children === undefined) return null
  return (
    <div className="fact named">
      <dt>{label}</dt>
      <dd>{children.length === 0 ? <span className="soft">{none}</span> : children}</dd>
    </div>
  )
}
