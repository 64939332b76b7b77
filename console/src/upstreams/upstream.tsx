import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import type { ComponentType } from 'react'
import { guarded } from '../api/change.ts'
import { api, type Upstream as Shape, withTag } from '../api/client.ts'
import { useWords } from '../messages/messages.tsx'
import type { Tagged } from '../shared/conflict.tsx'
import { History } from '../shared/history.tsx'
import { useMay } from '../shared/me.ts'
import { Empty, Shown } from '../shared/state.tsx'
import { PartTabs } from '../shared/tabs.tsx'
import { Badge, Heading } from '../shared/text.tsx'
import { Disable } from './changes.tsx'
import { Mapping } from './mapping.tsx'
import { useOwner } from './organisation.tsx'
import { Overview } from './overview.tsx'
import { Settings } from './settings.tsx'
import { UpstreamBadges } from './state.tsx'
import { Try } from './try.tsx'
import './upstreams.css'

interface Part {
  part: string | undefined
  word: 'overview' | 'mapping' | 'settings' | 'try' | 'activity'
  permission: string
  Show: ComponentType<Tagged<Shape>>
  /** An upstream of the whole installation gives no profiles. */
  owned?: true
}

const parts: readonly Part[] = [
  { part: undefined, word: 'overview', permission: 'iam.upstreams.read', Show: Overview },
  { part: 'mapping', word: 'mapping', permission: 'iam.upstreams.read', Show: Rules, owned: true },
  { part: 'settings', word: 'settings', permission: 'iam.upstreams.update', Show: Settings },
  { part: 'try', word: 'try', permission: 'iam.upstreams.update', Show: Try },
  { part: 'activity', word: 'activity', permission: 'iam.audit.read', Show: Activity },
]

export function Upstream() {
  const { uuid = '', part } = useParams({ strict: false })
  const words = useWords()
  const may = useMay()
  const asked = useQuery({
    queryKey: ['upstream', uuid],
    queryFn: () => withTag(api.GET('/admin/v1/upstreams/{uuid}', { params: { path: { uuid } } })),
  })
  return (
    <Shown asked={asked} page={{ name: words.upstreams, to: '/upstreams' }}>
      {({ data, tag }) => {
        const shown = parts.filter(
          ({ permission, owned }) => may(permission) && !(owned && data.organisation_uuid === null),
        )
        const Current = shown.find((one) => one.part === part)?.Show
        return (
          <>
            <Crumbs organisation={data.organisation_uuid} />
            <div className="top">
              <div>
                <Heading>{data.name}</Heading>
                <p className="soft">{words.upstream.kinds[data.kind].title}</p>
              </div>
              <UpstreamBadges upstream={data} />
              {data.managed_by && <Badge tone="plain">{words.status.managed(data.managed_by)}</Badge>}
              {may('iam.upstreams.update') && <Disable data={data} tag={tag} />}
            </div>
            <PartTabs
              label={data.name}
              at="/upstreams/$uuid"
              id={{ uuid }}
              parts={shown.map(({ part, word }) => ({ part, label: words.upstream.parts[word] }))}
            />
            {Current ? <Current key={uuid} data={data} tag={tag} /> : <Empty title={words.notFound} />}
          </>
        )
      }}
    </Shown>
  )
}

function Crumbs({ organisation }: { organisation: string | null }) {
  const words = useWords()
  const owner = useOwner(organisation).data?.data
  return (
    <nav className="crumbs" aria-label={words.upstreams}>
      <Link to="/upstreams" search={organisation === null ? {} : { organisation }}>
        {owner ? words.upstream.signInOf(owner.name) : words.upstreams}
      </Link>
    </nav>
  )
}

function Rules(thing: Tagged<Shape>) {
  const { upstream: words } = useWords()
  const { uuid, organisation_uuid: organisation, managed_by: file } = thing.data
  return (
    <Mapping
      current={thing}
      target={uuid}
      organisation={organisation ?? ''}
      file={file}
      lead={words.mappingHow}
      mayChange={useMay()('iam.upstreams.update')}
      ask={(body, tag, query) =>
        api.PATCH('/admin/v1/upstreams/{uuid}', {
          params: { path: { uuid }, query, header: guarded(tag, file) },
          body,
        })
      }
    />
  )
}

function Activity({ data: { uuid } }: Tagged<Shape>) {
  const { application } = useWords()
  return <History of={{ target: uuid }} label={application.parts.activity} empty={application.noActivity} />
}
