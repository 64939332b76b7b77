import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { api, type Service as Shape, withTag } from '../api/client.ts'
import { useWords } from '../messages/messages.tsx'
import { useMay } from '../shared/me.ts'
import { Empty, Shown } from '../shared/state.tsx'
import { PartTabs } from '../shared/tabs.tsx'
import { Badge, CopyRow, Fact, Heading, Name } from '../shared/text.tsx'
import { Applications, Roles } from './gives.tsx'
import { Matrix } from './matrix.tsx'
import { useMayOf, WhyNot } from './may.tsx'
import { Permissions } from './permissions.tsx'
import { Settings } from './settings.tsx'
import { Snippet } from './snippet.tsx'

/** What is protected, and who comes by it; its roles as a table, and its settings for those who may change it. */
export function Service() {
  const { code = '', part } = useParams({ strict: false })
  const words = useWords()
  const may = useMay()
  const asked = useQuery({
    queryKey: ['service', code, 'tagged'],
    queryFn: () => withTag(api.GET('/admin/v1/services/{code}', { params: { path: { code } } })),
  })
  const isChanged = useIsChanged()
  return (
    <Shown asked={asked} page={{ name: words.services, to: '/services' }}>
      {(current) => (
        <>
          <Top {...current.data} />
          <Parts {...current.data} />
          {part === undefined ? (
            <Overview {...current.data} />
          ) : part === 'roles' && may('iam.roles.read') ? (
            <Matrix key={code} service={current.data} />
          ) : part === 'settings' && isChanged(current.data) ? (
            <Settings key={code} {...current} />
          ) : (
            <Empty
              title={words.notFound}
              action={
                <Link to="/services/$code" params={{ code }}>
                  <Name>{current.data.name}</Name>
                </Link>
              }
            />
          )}
        </>
      )}
    </Shown>
  )
}

/** Whether it has settings for this person. */
function useIsChanged(): (service: Shape) => boolean {
  const mayOf = useMayOf()
  return (service) => mayOf(service, 'iam.services.update') || mayOf(service, 'iam.services.delete')
}

function Top({ name, description, managed_by: file, built_in: builtIn }: Shape) {
  const { services, service, status } = useWords()
  return (
    <>
      <nav className="crumbs" aria-label={services}>
        <Link to="/services">{services}</Link>
      </nav>
      <div className="top">
        <Heading>{name}</Heading>
        {file && <Badge tone="plain">{status.managed(file)}</Badge>}
        {builtIn && <Badge tone="plain">{service.builtIn}</Badge>}
      </div>
      {description && (
        <p className="lead described">
          <Name>{description}</Name>
        </p>
      )}
    </>
  )
}

function Parts(service: Shape) {
  const { service: words, matrix } = useWords()
  const may = useMay()
  const isChanged = useIsChanged()
  return (
    <PartTabs
      label={service.name}
      at="/services/$code"
      id={{ code: service.code }}
      parts={[
        { part: undefined, label: words.overview },
        ...(may('iam.roles.read') && may('iam.permissions.read')
          ? [{ part: 'roles', label: matrix.tab }]
          : []),
        ...(isChanged(service) ? [{ part: 'settings', label: words.settings }] : []),
      ]}
    />
  )
}

function Overview(service: Shape) {
  const { service: words, organisation } = useWords()
  const may = useMay()
  const { code, audience } = service
  return (
    <>
      <WhyNot {...service} />
      <div className="halves">
        <div>
          {may('iam.permissions.read') && <Permissions service={service} />}
          {may('iam.roles.read') && <Roles code={code} />}
          {may('iam.clients.read') && <Applications code={code} />}
        </div>
        <section className="card" aria-label={service.name}>
          <dl>
            <CopyRow label={organisation.code} value={code} />
            <CopyRow label={words.audience} value={audience} />
            <Fact label={words.alg}>{service.access_token_alg}</Fact>
            <Fact label={words.typ}>{service.access_token_typ}</Fact>
          </dl>
        </section>
      </div>
      {!service.built_in && <Snippet service={service} />}
    </>
  )
}
