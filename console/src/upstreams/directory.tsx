import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import type { ComponentType } from 'react'
import { overriding } from '../api/change.ts'
import { api, type Directory as Shape, issuer, withTag } from '../api/client.ts'
import { useWords } from '../messages/messages.tsx'
import type { Tagged } from '../shared/conflict.tsx'
import { Confirm } from '../shared/dialog.tsx'
import { History } from '../shared/history.tsx'
import { useMay } from '../shared/me.ts'
import { Empty, Shown } from '../shared/state.tsx'
import { Tabs } from '../shared/tabs.tsx'
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
              <DirectoryState directory={data} />
              {may('iam.directories.update') && <Disable {...{ data, tag, file }} />}
            </div>
            <Tabs label={data.name}>
              {shown.map((one) => (
                <Link
                  key={one.word}
                  to={one.part === undefined ? '/directories/$uuid' : '/directories/$uuid/$part'}
                  params={{ uuid, part: one.part ?? '' }}
                  activeOptions={{ exact: true }}
                  activeProps={{ 'aria-current': 'page' }}
                >
                  {words.upstream.parts[one.word]}
                </Link>
              ))}
            </Tabs>
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
          params: { path: { uuid }, query, header: { 'If-Match': at, ...overriding(file) } },
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
  const { directory: words, upstream } = useWords()
  return (
    <Confirm
      label={active ? upstream.disable : upstream.enable}
      title={active ? upstream.disableTitle(name) : upstream.enableTitle(name)}
      danger={active}
      file={file}
      what={['directory', uuid, tag]}
      ask={({ query }) =>
        api.PATCH('/admin/v1/directories/{uuid}', {
          params: { path: { uuid }, query, header: { 'If-Match': tag, ...overriding(file) } },
          body: { active: !active },
        })
      }
    >
      <p>{active ? words.disableWhat : words.enableWhat}</p>
    </Confirm>
  )
}

export function RemoveDirectory({
  data: { uuid, name, organisation_uuid: organisation },
  tag,
  file,
}: OfDirectory) {
  const { directory: words } = useWords()
  const navigate = useNavigate()
  return (
    <section className="card line" aria-label={words.remove}>
      <div>
        <h2>{words.remove}</h2>
        <p className="soft">{words.removeHow}</p>
      </div>
      <Confirm
        danger
        label={words.remove}
        title={words.removeTitle(name)}
        file={file}
        name={name}
        what={['remove directory', uuid, tag]}
        done={() => void navigate({ to: '/upstreams', search: { organisation } })}
        ask={({ query }) =>
          api.DELETE('/admin/v1/directories/{uuid}', {
            params: { path: { uuid }, query, header: { 'If-Match': tag, ...overriding(file) } },
          })
        }
      >
        <p>{words.removeWhat}</p>
      </Confirm>
    </section>
  )
}
