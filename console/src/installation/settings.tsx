import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { answered, api } from '../api/client.ts'
import { useWords } from '../messages/messages.tsx'
import { Filter, Search } from '../shared/list.tsx'
import { FromElsewhere } from '../shared/moving.tsx'
import { Empty, Shown } from '../shared/state.tsx'
import { Heading } from '../shared/text.tsx'
import { Environment, useFoundIn } from './environment.tsx'
import { Settled, useSettled } from './settled.tsx'
import './installation.css'

const route = getRouteApi('/settings')

/** All that is set of the installation, and where each is changed. */
export function InstallationSettings() {
  const { installation } = useWords()
  const asked = useQuery({
    queryKey: ['settings'],
    queryFn: () => answered(api.GET('/admin/v1/settings')),
  })
  const settled = useSettled()
  return (
    <Shown asked={asked} page={{ name: installation, to: '/settings' }}>
      {({ items }) => <Found environment={items} settled={settled} />}
    </Shown>
  )
}

function Found({
  environment,
  settled,
}: {
  environment: Parameters<typeof Environment>[0]['rows']
  settled: ReturnType<typeof useSettled>
}) {
  const { installation, installed } = useWords()
  const { q = '', by } = route.useSearch()
  const navigate = route.useNavigate()
  const search = (change: { q?: string | undefined; by?: string | undefined }) =>
    void navigate({ search: (before) => ({ ...before, ...change }) as typeof before, replace: true })
  const isFound = useFoundIn(q)
  const here = settled.filter(
    (one) => (by ?? 'console') === 'console' && isFound([one.label, one.how, one.value]),
  )
  const started = environment.filter(
    ({ name, description, value, set }) =>
      (by === undefined || by === (set ? 'environment' : 'standard')) && isFound([name, description, value]),
  )
  const count = here.length + started.length
  return (
    <>
      <div className="top">
        <Heading>{installation}</Heading>
      </div>
      <p className="lead">{installed.lead}</p>
      <FromElsewhere />
      <div className="filters">
        <Search
          label={installed.search}
          hint={installed.searchHint}
          value={q}
          onChange={(q) => search({ q: q || undefined })}
        />
        <Filter label={installed.by} value={by} onChange={(by) => search({ by })} of={installed.byOf} />
      </div>
      <p className="count" role="status">
        {count > 0 && installed.found(count)}
      </p>
      {here.length > 0 && <Settled rows={here} />}
      {started.length > 0 && <Environment rows={started} />}
      {count === 0 && (
        <Empty title={q === '' ? installed.nothingAtAll : installed.nothing(q)}>{installed.nothingHow}</Empty>
      )}
    </>
  )
}
