import { Button } from '@mantine/core'
import { getRouteApi, Link } from '@tanstack/react-router'
import { answered, api, type Client } from '../api/client.ts'
import { useWords } from '../messages/messages.tsx'
import { Filter, Pages, Search, usePages } from '../shared/list.tsx'
import { useMay, useMe } from '../shared/me.ts'
import { ServicePicker } from '../shared/pickers.tsx'
import { SavedViews } from '../shared/saved-views.tsx'
import { Empty } from '../shared/state.tsx'
import { Badge, Coded, Heading, Name } from '../shared/text.tsx'

const route = getRouteApi('/applications')
type ClientSearch = ReturnType<typeof route.useSearch>

/** A unit has no applications. */
export function Applications() {
  const words = useWords()
  const { reach } = useMe()
  if (reach.kind !== 'unit') return <List />
  return (
    <>
      <Heading>{words.applications}</Heading>
      <Empty title={words.application.unit}>
        {words.application.unitHow(reach.organisation_unit_name ?? '')}
      </Empty>
    </>
  )
}

function Connect({ label }: { label: string }) {
  return <Button renderRoot={(props) => <Link to="/applications/new" {...props} />}>{label}</Button>
}

function List() {
  const may = useMay()
  const words = useWords()
  const { application, person, records, role } = words
  const view = route.useSearch()
  const { q = '', type, service } = view
  const navigate = route.useNavigate()
  const search = (change: ClientSearch) =>
    void navigate({ search: (before) => ({ ...before, ...change }), replace: true })
  const kind = (Object.keys(application.types) as Client['type'][]).find((one) => one === type)
  const asked = { ...(q && { q }), ...(kind && { type: kind }), ...(service && { service }) }
  const pages = usePages(['applications', asked], (cursor) => {
    const query = { limit: '50', ...asked, ...(cursor && { cursor }) }
    return answered(api.GET('/admin/v1/clients', { params: { query } }))
  })
  return (
    <>
      <div className="top">
        <Heading>{words.applications}</Heading>
        {may('iam.clients.create') && <Connect label={words.wizard.another} />}
      </div>
      <div className="filters">
        <Search
          label={application.search}
          hint={application.hint}
          value={q}
          onChange={(q) => search({ q: q || undefined })}
        />
        <Filter
          label={application.type}
          value={kind}
          onChange={(type) => search({ type })}
          of={application.types}
        />
        {may('iam.services.read') && (
          <ServicePicker
            bare
            label={role.service}
            hint={role.service}
            value={service}
            onChange={(service) => search({ service })}
          />
        )}
      </div>
      <SavedViews list="applications" view={view} />
      <Pages
        pages={pages}
        label={words.applications}
        id={({ client_id }) => client_id}
        count={application.found}
        file={{ path: '/clients', query: asked }}
        empty={
          Object.keys(asked).length === 0
            ? {
                title: application.empty,
                how: application.emptyHow,
                action: may('iam.clients.create') && <Connect label={words.wizard.first} />,
              }
            : { title: q === '' ? records.nothing : person.noMatch(q), how: application.noMatchHow }
        }
        columns={[
          { title: application.name, plain: true, cell: (client) => <ApplicationLink {...client} /> },
          { title: application.type, plain: true, as: 'whole', cell: ({ type }) => application.types[type] },
          { title: application.services, cell: ({ services }) => <Name>{services.join(', ') || '–'}</Name> },
          {
            title: application.state,
            plain: true,
            as: 'state',
            cell: (client) => <ApplicationState client={client} />,
          },
        ]}
      />
    </>
  )
}

const ApplicationLink = ({ client_id: id, client_name: name }: Client) => (
  <Coded code={id}>
    <Link className="strong" to="/applications/$id" params={{ id }}>
      <Name>{name}</Name>
    </Link>
  </Coded>
)

export function ApplicationState({ client }: { client: Client }) {
  const { status, application } = useWords()
  const { active, weakenings } = client
  return (
    <span className="badges">
      <Badge tone={active ? 'good' : 'bad'}>{active ? status.active : status.disabled}</Badge>
      {weakenings.length > 0 && <Badge tone="warn">{application.weaker(weakenings.length)}</Badge>}
    </span>
  )
}
