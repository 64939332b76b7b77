import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import type { ComponentType } from 'react'
import { guarded } from '../api/change.ts'
import { api, type Directory as Shape, issuer, withTag } from '../api/client.ts'
import { useWords } from '../messages/messages.tsx'
import type { Tagged } from '../shared/conflict.tsx'
import { History } from '../shared/history.tsx'
import { useMay } from '../shared/me.ts'
import { Removal, Switch } from '../shared/removal.tsx'
import { Empty, Shown } from '../shared/state.tsx'
import { PartTabs } from '../shared/tabs.tsx'
import { CopyRow, Heading } from '../shared/text.tsx'
import { DirectoryState } from './directories.tsx'
import { DirectorySettings } from './directory-settings.tsx'
import { Mapping } from './mapping.tsx'
import { useOwner } from './organisation.tsx'
import { Tokens } from './tokens.tsx'
import './upstreams.css'

export type OfDirectory = Tagged<Shape> & { file: string | null }

const parts = [
  { part: undefined, word: 'overview', permission: 'iam.directories.read', Show: Overview },
  { part: 'mapping', word: 'mapping', permission: 'iam.directories.read', Show: Rules },
  { part: 'settings', word: 'settings', permission: 'iam.directories.update', Show: DirectorySettings },
  { part: 'activity', word: 'activity', permission: 'iam.audit.read', Show: Activity },
] as const satisfies readonly {
  permission: string
  Show: ComponentType<OfDirectory>
  [name: string]: unknown
}[]

export function Directory() {
  const { uuid = '', part } = useParams({ strict: false })
  const words = useWords()
  const may = useMay()
  const asked = useQuery({
    queryKey: ['directory', uuid],
    queryFn: () => withTag(api.GET('/admin/v1/directories/{uuid}', { params: { path: { uuid } } })),
  })
  const owner = useOwner(asked.data?.data.organisation_uuid ?? null).data?.data
  return (
    <Shown asked={asked} page={{ name: words.upstreams, to: '/upstreams' }}>
      {({ data, tag }) => {
        const file = owner?.managed_by ?? null
        const shown = parts.filter(({ permission }) => may(permission))
        const Current = shown.find((one) => one.part === part)?.Show
        return (
          <>
            <nav className="crumbs" aria-label={words.upstreams}>
              <Link to="/upstreams" search={{ organisation: data.organisation_uuid }}>
                {owner ? words.upstream.signInOf(owner.name) : words.upstreams}
              </Link>
            </nav>
            <div className="top">
              <div>
                <Heading>{data.name}</Heading>
                <p className="soft">{words.directory.one}</p>
              </div>
              <DirectoryState directory={data} file={file} />
              {may('iam.directories.update') && <Disable {...{ data, tag, file }} />}
            </div>
            <PartTabs
              label={data.name}
              at="/directories/$uuid"
              id={{ uuid }}
              parts={shown.map(({ part, word }) => ({ part, label: words.upstream.parts[word] }))}
            />
            {Current ? <Current key={uuid} {...{ data, tag, file }} /> : <Empty title={words.notFound} />}
          </>
        )
      }}
    </Shown>
  )
}

function Overview({ data }: OfDirectory) {
  const { directory: words, organisation } = useWords()
  return (
    <>
      <section className="card" aria-label={words.connect}>
        <h2>{words.connect}</h2>
        <p className="soft">{words.connectHow}</p>
        <dl>
          <CopyRow label={words.address} value={`${issuer}/scim/v2`} />
        </dl>
      </section>
      <Tokens directory={data} />
      <section className="card" aria-label={organisation.about}>
        <h2>{organisation.about}</h2>
        <dl>
          <CopyRow label={organisation.code} value={data.code} />
          <CopyRow label="uuid" value={data.uuid} />
        </dl>
      </section>
    </>
  )
}

function Rules({ data, tag, file }: OfDirectory) {
  const { directory: words } = useWords()
  const { uuid, organisation_uuid: organisation } = data
  return (
    <Mapping
      current={{ data, tag }}
      target={uuid}
      organisation={organisation}
      file={file}
      lead={words.mappingHow}
      groupsAlone
      mayChange={useMay()('iam.directories.update')}
      ask={(body, at, query) =>
        api.PATCH('/admin/v1/directories/{uuid}', {
          params: { path: { uuid }, query, header: guarded(at, file) },
          body,
        })
      }
    />
  )
}

function Activity({ data: { uuid } }: OfDirectory) {
  const { application } = useWords()
  return <History of={{ target: uuid }} label={application.parts.activity} empty={application.noActivity} />
}

function Disable({ data: { uuid, name, active }, tag, file }: OfDirectory) {
  const { directory } = useWords()
  return (
    <Switch
      words={directory}
      {...{ name, active, file }}
      what={['directory', uuid, tag]}
      ask={(body, { query }) =>
        api.PATCH('/admin/v1/directories/{uuid}', {
          params: { path: { uuid }, query, header: guarded(tag, file) },
          body,
        })
      }
    />
  )
}

export function RemoveDirectory({ data, tag, file }: OfDirectory) {
  const { directory } = useWords()
  const navigate = useNavigate()
  const { uuid, name, organisation_uuid: organisation } = data
  return (
    <Removal
      words={directory}
      {...{ name, file }}
      what={['directory', uuid, tag]}
      done={() => navigate({ to: '/upstreams', search: { organisation } })}
      ask={({ query }) =>
        api.DELETE('/admin/v1/directories/{uuid}', {
          params: { path: { uuid }, query, header: guarded(tag, file) },
        })
      }
    />
  )
}
